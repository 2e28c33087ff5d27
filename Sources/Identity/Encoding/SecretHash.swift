import Cryptography
import TextFormats

/// The SHA-256 of secrets: stored in their place and shown to operators.
package enum SecretHash {
    /// Returns the 32 bytes of the hash.
    static func sha256(_ bytes: some Collection<UInt8>) -> [UInt8] { Array(SHA256.hash(data: bytes)) }

    /// Returns the first eight hexadecimal digits of the hash: enough to distinguish two keys, too little to find one.
    package static func fingerprint(_ text: String) -> String {
        Hexadecimal.text(sha256(text.utf8).prefix(4))
    }
}

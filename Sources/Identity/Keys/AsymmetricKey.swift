internal import Cryptography
package import GatewayModel
internal import TextFormats

/// A public or private key, validated for its use; immutable and thread-safe.
package struct AsymmetricKey: Sendable {
    /// The key types of the supported algorithms.
    enum KeyType: Sendable, Equatable {
        case rsa
        case p256

        var text: String {
            switch self {
            case .rsa: "an RSA key"
            case .p256: "an elliptic-curve key on P-256"
            }
        }
    }

    /// The size of RSA keys in bits: a smaller one can be broken by a state (NIST SP 800-131A); a larger one makes
    /// verification expensive, which strangers can trigger.
    static let rsaBits = 2048...4096
    /// The size of a new RSA key in bits: about as strong as the 128-bit content keys that it encrypts (NIST SP 800-57
    /// part 1).
    private static let newRSABits = 3072
    /// The maximum size of a PEM text: an RSA key of 4096 bits has about 3,300 bytes.
    static let maxPEMBytes = 8192

    let handle: KeyHandle

    /// Parses a public key: SubjectPublicKeyInfo (`BEGIN PUBLIC KEY`).
    package init(publicPEM pem: String, for use: KeyUse) throws(KeyRejection) {
        guard pem.utf8.count <= Self.maxPEMBytes else { throw .unreadable }
        guard !pem.containsBytes(of: "PRIVATE KEY-----") else { throw .privateKey }
        guard let handle = try? KeyHandle(firstPublicKeyOf: pem) else { throw .unreadable }
        try self.init(handle, for: use)
    }

    /// Parses a private key: PKCS#8 or the traditional form, not encrypted.
    package init(privatePEM pem: String, for use: KeyUse) throws(KeyRejection) {
        // Deriving a key from a password may take OpenSSL hours.
        guard pem.utf8.count <= Self.maxPEMBytes, !pem.containsBytes(of: "ENCRYPTED"),
            let handle = try? KeyHandle(firstPrivateKeyOf: pem)
        else { throw .unreadable }
        try self.init(handle, for: use)
    }

    /// Generates a private key; takes up to a second of CPU time for RSA, so call it on a thread that may block.
    ///
    /// - Throws: ``KeyRejection/unavailable``.
    package init(newFor use: KeyUse) throws(KeyRejection) {
        do {
            switch use.type {
            case .rsa: handle = try KeyHandle(newRSAWithBits: Self.newRSABits)
            case .p256: handle = try KeyHandle(newOnP256: ())
            }
        } catch { throw .unavailable }
    }

    private init(_ handle: KeyHandle, for use: KeyUse) throws(KeyRejection) {
        switch use.type {
        case .rsa:
            guard handle.isRSA else { throw .wrongType(needed: KeyType.rsa.text) }
            guard Self.rsaBits.contains(handle.bitCount) else { throw .wrongSize(bits: handle.bitCount) }
        case .p256:
            guard handle.isOnP256 else { throw .wrongType(needed: KeyType.p256.text) }
        }
        guard handle.hasValidPublicNumbers else { throw .invalid }
        self.handle = handle
    }

    /// The public key, as operators see it.
    package var publicKey: PublicKeyDetails {
        PublicKeyDetails(
            publicKey: handle.publicPEM + "\n",
            publicKeyFingerprint: Hexadecimal.text(SecretHash.sha256(handle.publicDER))
        )
    }

    /// The private key as PKCS#8 PEM, not encrypted: secret.
    package var privatePEM: String { handle.privatePEM + "\n" }
}

import Crypto
import Foundation

/// Encrypts as a brand's login would: ECDH-ES on P-256 with A256GCM (RFC 7518 section 4.6).
enum TestJWE {
    static func sealed(_ content: String, for publicPEM: String, kid: String) throws -> String {
        let own = P256.KeyAgreement.PrivateKey()
        let secret = try own.sharedSecretFromKeyAgreement(
            with: P256.KeyAgreement.PublicKey(pemRepresentation: publicPEM)
        )
        let point = Array(own.publicKey.rawRepresentation)
        let key = #"{"kty":"EC","crv":"P-256","x":"\#(encode(point.prefix(32)))","y":"\#(encode(point.suffix(32)))"}"#
        let header = encode(
            Data(#"{"alg":"ECDH-ES","enc":"A256GCM","kid":"\#(kid)","cty":"JWT","epk":\#(key)}"#.utf8)
        )
        var hash = SHA256()
        hash.update(data: [0, 0, 0, 1])
        secret.withUnsafeBytes { hash.update(bufferPointer: $0) }
        hash.update(data: [0, 0, 0, 7] + Array("A256GCM".utf8))
        hash.update(data: [UInt8](repeating: 0, count: 8) + [0, 0, 1, 0])
        let box = try AES.GCM.seal(
            Data(content.utf8),
            using: SymmetricKey(data: Array(hash.finalize())),
            nonce: AES.GCM.Nonce(),
            authenticating: Data(header.utf8)
        )
        return [header, "", encode(Array(box.nonce)), encode(box.ciphertext), encode(box.tag)].joined(separator: ".")
    }

    private static func encode(_ data: some DataProtocol) -> String {
        Data(data).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}

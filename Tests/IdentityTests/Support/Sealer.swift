import Crypto
import CryptoExtras
import Foundation
import GatewayModel

/// Encrypts as a brand's login system would, and as an attacker would; shares no code with the tested code.
struct Sealer {
    var algorithm = KeyEncryptionAlgorithm.rsaOAEP256
    var encryption = "A256GCM"
    /// PEM of the gateway's key.
    var publicPEM: String
    /// Members of the header in addition to `alg`, `enc` and `epk`, or in their place; nil removes one.
    var header: [String: String?] = [:]
    /// The content key in place of a random one, when it is encrypted.
    var contentKey = [UInt8](SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) })

    /// A token's five parts, not encoded, with their text.
    struct Parts {
        var header: String
        var encryptedKey: [UInt8]
        var vector: [UInt8]
        var ciphertext: [UInt8]
        var tag: [UInt8]

        var token: String {
            ([Array(header.utf8), encryptedKey, vector, ciphertext, tag]).map(Signer.base64URL).joined(separator: ".")
        }
    }

    func token(_ content: String) throws -> String { try parts(Array(content.utf8)).token }

    func parts(_ content: [UInt8]) throws -> Parts {
        var members = ["alg": "\"\(algorithm.rawValue)\"", "enc": "\"\(encryption)\""]
        var key = contentKey
        var encryptedKey: [UInt8] = []
        if algorithm == .ecdhES {
            let own = P256.KeyAgreement.PrivateKey()
            let theirs = try P256.KeyAgreement.PublicKey(pemRepresentation: publicPEM)
            key = Self.derived(try own.sharedSecretFromKeyAgreement(with: theirs), encryption)
            let point = Array(own.publicKey.rawRepresentation)
            members["epk"] = Self.jwk(x: Array(point.prefix(32)), y: Array(point.suffix(32)))
        } else {
            let theirs = try _RSA.Encryption.PublicKey(pemRepresentation: publicPEM)
            let padding = algorithm == .rsaOAEP ? _RSA.Encryption.Padding.PKCS1_OAEP : .PKCS1_OAEP_SHA256
            encryptedKey = Array(try theirs.encrypt(contentKey, padding: padding))
        }
        for (name, value) in header { members[name] = value }
        let header = Issuer.object(members)
        let additional = Array(Signer.base64URL(Array(header.utf8)).utf8)
        if encryption == "A128CBC-HS256" {
            let iv = AES._CBC.IV()
            let ciphertext = Array(try AES._CBC.encrypt(content, using: SymmetricKey(data: key.suffix(16)), iv: iv))
            let length = withUnsafeBytes(of: UInt64(additional.count * 8).bigEndian) { Array($0) }
            let code = HMAC<SHA256>.authenticationCode(
                for: additional + Array(iv) + ciphertext + length,
                using: SymmetricKey(data: key.prefix(16))
            )
            return Parts(
                header: header,
                encryptedKey: encryptedKey,
                vector: Array(iv),
                ciphertext: ciphertext,
                tag: Array(Array(code).prefix(16))
            )
        }
        let nonce = AES.GCM.Nonce()
        let box = try AES.GCM.seal(content, using: SymmetricKey(data: key), nonce: nonce, authenticating: additional)
        return Parts(
            header: header,
            encryptedKey: encryptedKey,
            vector: Array(nonce),
            ciphertext: Array(box.ciphertext),
            tag: Array(box.tag)
        )
    }

    static func jwk(x: [UInt8], y: [UInt8]) -> String {
        #"{"kty":"EC","crv":"P-256","x":"\#(Signer.base64URL(x))","y":"\#(Signer.base64URL(y))"}"#
    }

    /// Returns the result of the Concat KDF for 256 bits without parties (RFC 7518 section 4.6.2).
    private static func derived(_ secret: SharedSecret, _ encryption: String) -> [UInt8] {
        var hash = SHA256()
        hash.update(data: [0, 0, 0, 1])
        secret.withUnsafeBytes { hash.update(bufferPointer: $0) }
        hash.update(data: [0, 0, 0, UInt8(encryption.utf8.count)] + Array(encryption.utf8))
        hash.update(data: [UInt8](repeating: 0, count: 8) + [0, 0, 1, 0])
        return Array(hash.finalize())
    }
}

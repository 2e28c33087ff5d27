internal import Crypto
internal import CryptoExtras
internal import FoundationEssentials

/// How the content of an encrypted assertion is closed (RFC 7518 section 5); the raw value is the JWE `enc`.
enum ContentEncryption: String, Sendable {
    /// AES in Galois/Counter Mode with a key of 256 bits.
    case a256GCM = "A256GCM"
    /// AES-128 in CBC mode with HMAC-SHA-256, each with half of the key.
    case a128CBCHS256 = "A128CBC-HS256"

    /// The length of the content key, which is the same for both.
    static let keyBytes = 32
    /// The length of the tag, which is the same for both.
    private static let tagBytes = 16

    /// Opens the content of a token.
    ///
    /// - Parameters:
    ///   - jwe: The token.
    ///   - key: The content key.
    /// - Returns: The content; nil when the tag is wrong or anything else is.
    func open(_ jwe: CompactJWE, key: [UInt8]) -> [UInt8]? {
        guard key.count == Self.keyBytes, jwe.tag.count == Self.tagBytes else { return nil }
        return switch self {
        case .a256GCM: Self.openGCM(jwe, key)
        case .a128CBCHS256: Self.openCBC(jwe, key)
        }
    }

    private static func openGCM(_ jwe: CompactJWE, _ key: [UInt8]) -> [UInt8]? {
        guard jwe.initializationVector.count == 12, let nonce = try? AES.GCM.Nonce(data: jwe.initializationVector),
            let box = try? AES.GCM.SealedBox(nonce: nonce, ciphertext: jwe.ciphertext, tag: jwe.tag)
        else { return nil }
        let opened = try? AES.GCM.open(box, using: SymmetricKey(data: key), authenticating: jwe.additionalData)
        return opened.map { Array($0) }
    }

    private static func openCBC(_ jwe: CompactJWE, _ key: [UInt8]) -> [UInt8]? {
        guard let vector = try? AES._CBC.IV(ivBytes: jwe.initializationVector) else { return nil }
        var code = HMAC<SHA256>(key: SymmetricKey(data: key.prefix(16)))
        code.update(data: jwe.additionalData)
        code.update(data: jwe.initializationVector)
        code.update(data: jwe.ciphertext)
        let additionalBits = UInt64(jwe.additionalData.count * 8).bigEndian
        withUnsafeBytes(of: additionalBits) { code.update(bufferPointer: $0) }
        // Before anything is decrypted, so that its padding tells nobody anything.
        guard ConstantTime.equal(Array(code.finalize().prefix(tagBytes)), jwe.tag) else { return nil }
        let opened = try? AES._CBC.decrypt(jwe.ciphertext, using: SymmetricKey(data: key.suffix(16)), iv: vector)
        return opened.map { Array($0) }
    }
}

internal import Cryptography

/// The encryption of an encrypted assertion's content (RFC 7518 section 5); the raw value is the JWE `enc`.
enum ContentEncryption: String, Sendable, CaseIterable {
    /// AES in Galois/Counter Mode with a key of 256 bits.
    case a256GCM = "A256GCM"
    /// AES-128 in CBC mode with HMAC-SHA-256, each with half of the key.
    case a128CBCHS256 = "A128CBC-HS256"

    /// The length of the content key, which is the same for both.
    static let keyBytes = 32
    /// The length of the tag, which is the same for both.
    private static let tagBytes = 16

    /// Decrypts content; nil for a wrong tag and for every other error.
    func open(_ closed: ClosedContent, key: [UInt8]) -> [UInt8]? {
        guard key.count == Self.keyBytes, closed.tag.count == Self.tagBytes else { return nil }
        return switch self {
        case .a256GCM: Self.openGCM(closed, key)
        case .a128CBCHS256: Self.openCBC(closed, key)
        }
    }

    private static func openGCM(_ closed: ClosedContent, _ key: [UInt8]) -> [UInt8]? {
        guard closed.initializationVector.count == 12,
            let nonce = try? AES.GCM.Nonce(data: closed.initializationVector),
            let box = try? AES.GCM.SealedBox(nonce: nonce, ciphertext: closed.ciphertext, tag: closed.tag)
        else { return nil }
        return try? AES.GCM.open(box, using: SymmetricKey(data: key), authenticating: closed.additionalData)
    }

    private static func openCBC(_ closed: ClosedContent, _ key: [UInt8]) -> [UInt8]? {
        guard let vector = try? AES._CBC.IV(ivBytes: closed.initializationVector) else { return nil }
        var code = HMAC<SHA256>(key: SymmetricKey(data: key.prefix(16)))
        code.update(data: closed.additionalData)
        code.update(data: closed.initializationVector)
        code.update(data: closed.ciphertext)
        withUnsafeBytes(of: UInt64(closed.additionalData.count * 8).bigEndian) { code.update(data: $0) }
        // Before anything is decrypted, so that its padding leaks nothing.
        guard ConstantTime.equal(Array(code.finalize().prefix(tagBytes)), closed.tag) else { return nil }
        return try? AES._CBC.decrypt(closed.ciphertext, using: SymmetricKey(data: key.suffix(16)), iv: vector)
    }
}

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
        try? AES.GCM.open(
            closed.ciphertext,
            tag: closed.tag,
            using: key,
            nonce: closed.initializationVector,
            authenticating: closed.additionalData
        )
    }

    private static func openCBC(_ closed: ClosedContent, _ key: [UInt8]) -> [UInt8]? {
        let code = HMAC<SHA256>(key: key.prefix(16)).code(
            of: closed.additionalData,
            closed.initializationVector,
            closed.ciphertext,
            withUnsafeBytes(of: UInt64(closed.additionalData.count * 8).bigEndian) { Array($0) }
        )
        // Before anything is decrypted, so that its padding leaks nothing.
        guard code.prefix(tagBytes).isEqualInConstantTime(to: closed.tag) else { return nil }
        return try? AES.CBC.decrypt(
            closed.ciphertext,
            using: Array(key.suffix(16)),
            vector: closed.initializationVector
        )
    }
}

internal import GatewayModel
internal import TextFormats

/// A JWE in compact serialization (RFC 7516 section 7.1), parsed strictly before any key is used on it.
///
/// Nothing in it is trusted before it is decrypted, and its content not before the content's signature is verified:
/// everybody has the public key that encrypts it.
struct CompactJWE: Sendable {
    /// The header's members.
    let header: StrictJSON.Members
    /// The encryption of the content key: `alg`.
    let algorithm: KeyEncryptionAlgorithm
    /// The encryption of the content: `enc`.
    let encryption: ContentEncryption
    /// The encrypted content key; empty for direct agreement.
    let encryptedKey: [UInt8]
    /// The content.
    let content: ClosedContent

    /// The maximum size: a signed token of the maximum size with its key and header; a longer text is rejected before
    /// it is decoded.
    static let maxBytes = 16_384

    /// Parses a token.
    ///
    /// - Throws: ``AuthenticationError/tokenInvalid(_:)`` with `malformed`, or with `wrong_algorithm` for an
    ///   unsupported `alg` or `enc`.
    init(_ token: [UInt8]) throws(AuthenticationError) {
        // Compressed content has no known size before it is decrypted, and its length leaks information about the text.
        guard let parts = CompactParts(token, count: 5, maxBytes: Self.maxBytes), let header = parts.header,
            header["zip"] == nil, let encryptedKey = parts.bytes(1), let vector = parts.bytes(2),
            let ciphertext = parts.bytes(3), let tag = parts.bytes(4)
        else { throw .tokenInvalid(.malformed) }
        guard let algorithm = header["alg"]?.text.flatMap({ KeyEncryptionAlgorithm(word: $0) }),
            let encryption = header["enc"]?.text.flatMap({ ContentEncryption(word: $0) })
        else { throw .tokenInvalid(.wrongAlgorithm) }
        self.header = header
        self.algorithm = algorithm
        self.encryption = encryption
        self.encryptedKey = encryptedKey
        content = ClosedContent(
            initializationVector: vector,
            ciphertext: ciphertext,
            tag: tag,
            additionalData: Array(parts.parts[0])
        )
    }
}

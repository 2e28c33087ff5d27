internal import GatewayModel
internal import TextFormats

/// A JWE in compact serialisation (RFC 7516 section 7.1), taken apart strictly before any key is used on it.
///
/// Nothing in it is to be believed before it was opened, and its content not before the content's signature was verified:
/// everybody has the public key that closes it.
struct CompactJWE: Sendable {
    /// The header's members.
    let header: StrictJSON.Members
    /// How the content key reaches us: `alg`.
    let algorithm: KeyEncryptionAlgorithm
    /// How the content is closed: `enc`.
    let encryption: ContentEncryption
    /// The content key, closed; empty for direct agreement.
    let encryptedKey: [UInt8]
    /// The content.
    let content: ClosedContent

    /// A signed token of the largest size with its key and header around it: what is longer is refused before it is decoded.
    static let maxBytes = 16_384

    /// Takes a token apart.
    ///
    /// - Parameter token: The text as received.
    /// - Throws: ``AuthenticationError/tokenInvalid(_:)`` with `malformed`, or with `wrong_algorithm` for an `alg` or `enc`
    ///   that is none of ours.
    init(_ token: [UInt8]) throws(AuthenticationError) {
        // Content that was compressed has no size before it is opened, and its length tells of the text.
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

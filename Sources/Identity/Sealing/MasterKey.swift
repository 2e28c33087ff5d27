internal import TextFormats

/// The key that seals the store's secrets: 32 random bytes.
package struct MasterKey: Sendable {
    /// The reason why a key is rejected; no case contains the text.
    package enum Rejection: Error, Sendable, Equatable {
        /// The text is not base64 (RFC 4648 section 4, padded).
        case notBase64
        /// It is base64, but of another number of bytes.
        case wrongLength(bytes: Int)

        /// The text for operators.
        package var text: String {
            switch self {
            case .notBase64: "the master key must be 32 random bytes as base64 text"
            case .wrongLength(let bytes): "the master key must be 32 bytes as base64 text, and this one has \(bytes)"
            }
        }
    }

    /// The 32 bytes.
    let bytes: [UInt8]
    /// The id of the key in what it sealed: the first 8 bytes of the key's SHA-256.
    let id: [UInt8]

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
        self.id = Array(SecretHash.sha256(bytes).prefix(Self.idLength))
    }

    static let idLength = 8

    /// Creates a key from a key file's text, 32 bytes as base64; white space around it is dropped.
    package init(base64: String) throws(Rejection) {
        guard let bytes = StrictBase64.decode(base64.utf8.trimmingASCIISpace, .standard) else { throw .notBase64 }
        guard bytes.count == 32 else { throw .wrongLength(bytes: bytes.count) }
        self.init(bytes)
    }

    /// Creates a random key.
    package init() { self.init(SecureRandom.bytes(32)) }

    /// The text for the key file: the secret itself, only for that file.
    package var base64: String { StrictBase64.encode(bytes, .standard) }
}

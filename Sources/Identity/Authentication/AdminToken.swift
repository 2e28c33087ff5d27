internal import Cryptography
internal import TextFormats

/// The instance's admin token, which permits everything; kept as its hash.
///
/// The executable reads it from its file.
package struct AdminToken: Sendable {
    /// The reason why a text is not a valid token; neither case contains the text.
    package enum Rejection: Error, Sendable, Equatable {
        /// Fewer than 32 characters: too weak for a secret.
        case tooShort
        /// More than 512 characters, or a character within the text that is not visible ASCII.
        case malformed

        /// The text for operators.
        package var text: String {
            switch self {
            case .tooShort: "the admin token must have at least 32 characters"
            case .malformed: "the admin token must be one line of at most 512 visible ASCII characters"
            }
        }
    }

    private let hash: [UInt8]

    /// Creates the token from its file's text, 32 to 512 visible ASCII characters; white space around it is dropped.
    package init(text: String) throws(Rejection) {
        let token = Array(text.utf8.trimmingASCIISpace)
        guard token.count <= 512, token.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .malformed }
        guard token.count >= 32 else { throw .tooShort }
        hash = SecretHash.sha256(token)
    }

    /// Returns a new token for the file: 256 random bits as base64url, 43 characters.
    package static func makeText() -> String { StrictBase64.encode(SecureRandom.bytes(32), .url) }

    /// Returns whether a token in the caller's `Bearer` header is the admin token, in constant time.
    package func matches(_ token: String) -> Bool { hash.isEqualInConstantTime(to: SecretHash.sha256(token.utf8)) }
}

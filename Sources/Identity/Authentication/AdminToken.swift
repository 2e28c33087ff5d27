/// The instance's admin token, which may do everything; kept as its hash.
///
/// The file that it is read from is the executable's business.
package struct AdminToken: Sendable {
    /// Why a token was not taken; neither case holds the text.
    package enum Refusal: Error, Sendable, Equatable {
        /// Fewer than 32 characters: not worth the name of a secret.
        case tooShort
        /// More than 512 characters, or something else than visible ASCII within the text.
        case malformed

        /// A text for operators.
        package var text: String {
            switch self {
            case .tooShort: "the admin token must have at least 32 characters"
            case .malformed: "the admin token must be one line of at most 512 visible ASCII characters"
            }
        }
    }

    private let hash: [UInt8]

    /// Takes a token as its file holds it; white space around it is dropped.
    ///
    /// - Parameter text: 32 to 512 visible ASCII characters.
    /// - Throws: ``Refusal``.
    package init(text: String) throws(Refusal) {
        let token = Array(text.utf8.trimmingASCIISpace)
        guard token.count <= 512, token.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .malformed }
        guard token.count >= 32 else { throw .tooShort }
        hash = SecretHash.sha256(token)
    }

    /// A new token: 256 random bits as base64url.
    ///
    /// - Returns: The text for the file; 43 characters.
    package static func makeText() -> String { StrictBase64.encode(SecureRandom.bytes(32), .url) }

    /// Whether a caller shows the token; takes the same time whatever it shows.
    ///
    /// - Parameter token: What the caller's `Bearer` header holds.
    /// - Returns: True when it is the token.
    package func matches(_ token: String) -> Bool { ConstantTime.equal(SecretHash.sha256(token.utf8), hash) }
}

internal import TextFormats

/// A JWS in compact serialisation (RFC 7515 section 7.1), taken apart strictly before any signature is looked at.
///
/// Nothing in it is to be believed before the signature over ``signingInput`` was verified with a key of ours.
struct CompactJWS: Sendable {
    /// The header's members.
    let header: StrictJSON.Members
    /// The claims' members.
    let claims: StrictJSON.Members
    /// The ASCII text of parts 1 and 2 as received, never re-serialised.
    let signingInput: [UInt8]
    /// The signature's bytes.
    let signature: [UInt8]
    /// The header's `alg`; nil when it is absent or no text.
    let algorithm: String?

    /// More than any assertion needs; what is longer is refused before it is decoded.
    static let maxBytes = 8192

    /// Takes a token apart.
    ///
    /// - Parameter token: The text as received.
    /// - Throws: ``AuthenticationError/tokenInvalid(_:)`` with `malformed`, also for one that says it is another kind of token.
    init(_ token: [UInt8]) throws(AuthenticationError) {
        guard let parts = CompactParts(token, count: 3, maxBytes: Self.maxBytes), let header = parts.header,
            Self.isJWT(header["typ"]), let claims = parts.object(1), let signature = parts.bytes(2)
        else { throw .tokenInvalid(.malformed) }
        self.header = header
        algorithm = header["alg"]?.text
        self.claims = claims
        self.signature = signature
        signingInput = Array(token[..<parts.parts[1].endIndex])
    }

    /// Whether `typ` says that the token is a plain JWT, or nothing: access tokens, logout tokens and others that the same keys
    /// sign say what they are, and are no logins (RFC 8725 section 3.11).
    ///
    /// A media type in any case, whose `application/` may be left out where no other slash is (RFC 7515 section 4.1.9).
    private static func isJWT(_ type: StrictJSON?) -> Bool {
        guard let type else { return true }
        guard let name = type.text else { return false }
        return name.isWord("jwt") || name.isWord("application/jwt")
    }

    /// Whether the header's `alg` is an algorithm's name.
    ///
    /// - Parameter algorithm: The algorithm that a key is for.
    /// - Returns: False for a header without `alg`, too.
    func isSigned(by algorithm: some RawRepresentable<String>) -> Bool {
        self.algorithm?.hasSameBytes(as: algorithm.rawValue) ?? false
    }
}

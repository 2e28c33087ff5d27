internal import TextFormats

/// A JWS in compact serialization (RFC 7515 section 7.1), parsed strictly before any signature is verified.
///
/// Nothing in it is trusted before the signature over ``signingInput`` is verified with one of the gateway's keys.
struct CompactJWS: Sendable {
    /// The header's members.
    let header: StrictJSON.Members
    /// The claims' members.
    let claims: StrictJSON.Members
    /// The ASCII text of parts 1 and 2 as received, never serialized again.
    let signingInput: [UInt8]
    /// The signature's bytes.
    let signature: [UInt8]
    /// The header's `alg`; nil when it is absent or not a string.
    let algorithm: String?

    /// The maximum size, more than any assertion needs; a longer text is rejected before it is decoded.
    static let maxBytes = 8192

    /// Parses a token.
    ///
    /// - Throws: ``AuthenticationError/tokenInvalid(_:)`` with `malformed`, also for another kind of token by its
    ///   `typ`.
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

    /// Returns whether `typ` is absent or that of a plain JWT.
    ///
    /// Access tokens, logout tokens and others that the same keys sign have another `typ`, and are no logins (RFC 8725
    /// section 3.11). It is a media type in any case; `application/` may be omitted if there is no other slash (RFC
    /// 7515 section 4.1.9).
    private static func isJWT(_ type: StrictJSON?) -> Bool {
        guard let type else { return true }
        guard let name = type.text else { return false }
        return name.isWord("jwt") || name.isWord("application/jwt")
    }

    /// Returns whether the header's `alg` is an algorithm's name.
    ///
    /// - Parameter algorithm: The algorithm of a key.
    /// - Returns: False also for a header without `alg`.
    func isSigned(by algorithm: some RawRepresentable<String>) -> Bool {
        self.algorithm?.hasSameBytes(as: algorithm.rawValue) ?? false
    }
}

/// A JWS in compact serialisation (RFC 7515 section 7.1), taken apart strictly before any signature is looked at.
///
/// Nothing in it is to be believed before the signature over ``signingInput`` was verified with a key of ours.
struct CompactJWS: Sendable {
    /// The header's members.
    let header: [String: StrictJSON]
    /// The claims' members.
    let claims: [String: StrictJSON]
    /// The ASCII text of parts 1 and 2 as received, never re-serialised.
    let signingInput: [UInt8]
    /// The signature's bytes.
    let signature: [UInt8]

    /// More than any assertion needs; what is longer is refused before it is decoded.
    static let maxBytes = 8192

    /// Takes a token apart.
    ///
    /// - Parameter token: The text as received.
    /// - Throws: ``AuthenticationError/tokenInvalid(_:)`` with `malformed`.
    init(_ token: String) throws(AuthenticationError) {
        let bytes = Array(token.utf8)
        guard bytes.count <= Self.maxBytes else { throw .tokenInvalid(.malformed) }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3,
            let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = StrictBase64.decode(parts[2], .url)
        else { throw .tokenInvalid(.malformed) }
        // Every name in `crit` must be understood, and we know none (RFC 7515 section 4.1.11). `jku`, `x5u`, `jwk` and
        // `x5c` are never looked at: a token does not choose its own key (RFC 8725 section 3.10).
        guard header["crit"] == nil else { throw .tokenInvalid(.malformed) }
        self.header = header
        self.claims = claims
        self.signature = signature
        signingInput = Array(bytes[..<(parts[0].count + 1 + parts[1].count)])
    }

    /// The header's `alg`.
    var algorithm: String? { header["alg"]?.text }

    private static func object(_ part: ArraySlice<UInt8>) -> [String: StrictJSON]? {
        guard let decoded = StrictBase64.decode(part, .url) else { return nil }
        return (try? StrictJSON.parse(decoded))?.members
    }
}

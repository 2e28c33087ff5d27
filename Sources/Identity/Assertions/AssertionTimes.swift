internal import GatewayModel
internal import TextFormats

/// The times in an assertion, in whole seconds since 1970 (RFC 7519 section 4.1), fractions rounded down.
struct AssertionTimes {
    /// `iat`.
    let issuedAt: Int64
    /// `exp`.
    let expiry: Int64
    /// `nbf`.
    private let notBefore: Int64?

    /// The tolerance for a signer's clock that runs ahead, in seconds (R26).
    private static let maxSkewSeconds: Int64 = 60
    /// The time after `exp` for which a token is still accepted, in seconds: just enough for network latency.
    private static let leewaySeconds: Int64 = 5
    /// The maximum of a NumericDate: seconds since 1970 have eleven digits until the year 5138; more are milliseconds.
    private static let maxNumericDate: Int64 = 99_999_999_999

    /// Parses the claims; only numbers of seconds are accepted: some signers write strings, milliseconds and time
    /// objects (Requirements page, traps 18 and 20).
    ///
    /// They may have a fraction, as a NumericDate may (RFC 7519 section 2, R193).
    ///
    /// - Parameters:
    ///   - claims: The claims.
    ///   - needsIssueTime: Whether `iat` must be present.
    /// - Throws: `malformed` for a value that is not a time, `missing_claim` without `iat` or `exp`.
    init(_ claims: StrictJSON.Members, needsIssueTime: Bool = true) throws(AuthenticationError) {
        let issuedAt = try Self.numericDate("iat", claims)
        let expiry = try Self.numericDate("exp", claims)
        notBefore = try Self.numericDate("nbf", claims)
        guard issuedAt != nil || !needsIssueTime else { throw .missingClaim("iat") }
        guard let expiry else { throw .missingClaim("exp") }
        self.issuedAt = issuedAt ?? 0
        self.expiry = expiry
    }

    /// Checks the time from `iat` to `exp` against a limit in seconds, if there is one; throws `lifetime`.
    func check(lifetime limit: Int64?) throws(AuthenticationError) {
        if let limit, expiry - issuedAt > limit { throw .tokenInvalid(.lifetime) }
    }

    /// Checks the times against a clock; throws `token_expired` or `not_yet_valid`.
    func check(at time: Timestamp) throws(AuthenticationError) {
        let now = time.seconds
        if now >= expiry + Self.leewaySeconds { throw .tokenExpired }
        if issuedAt > now + Self.maxSkewSeconds { throw .tokenInvalid(.notYetValid) }
        if let notBefore, notBefore > now + Self.maxSkewSeconds { throw .tokenInvalid(.notYetValid) }
    }

    private static func numericDate(
        _ name: BoundedName,
        _ claims: StrictJSON.Members
    ) throws(AuthenticationError) -> Int64? {
        let seconds: Double?
        switch claims[name] {
        case nil: return nil
        case .integer(let value)? where value >= 0 && value <= maxNumericDate: return value
        case .otherNumber(let text)?: seconds = Double(text)
        default: seconds = nil
        }
        guard let seconds, seconds >= 0, seconds <= Double(maxNumericDate) else { throw .tokenInvalid(.malformed) }
        return Int64(seconds)
    }
}

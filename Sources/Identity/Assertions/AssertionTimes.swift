internal import GatewayModel
internal import TextFormats

/// The times that an assertion names, in whole seconds since 1970 (RFC 7519 section 4.1).
struct AssertionTimes {
    /// `iat`.
    private let issuedAt: Int64
    /// `exp`.
    let expiry: Int64
    /// `nbf`.
    private let notBefore: Int64?

    /// How far a signer's clock may run ahead of ours, in seconds (R26).
    private static let maxSkewSeconds: Int64 = 60
    /// How long past `exp` a token is still taken, in seconds: just enough for its way here.
    private static let leewaySeconds: Int64 = 5
    /// Seconds since 1970 have eleven digits until the year 5138; more are milliseconds.
    private static let maxNumericDate: Int64 = 99_999_999_999

    /// Reads them; whole seconds only: signers are known to print texts, milliseconds and time objects (Requirements
    /// page, traps 18 and 20).
    ///
    /// - Parameter claims: The claims.
    /// - Throws: `malformed` for what is no time, `missing_claim` without `iat` or `exp`.
    init(_ claims: StrictJSON.Members) throws(AuthenticationError) {
        let issuedAt = try Self.numericDate("iat", claims)
        let expiry = try Self.numericDate("exp", claims)
        notBefore = try Self.numericDate("nbf", claims)
        guard let issuedAt, let expiry else { throw .tokenInvalid(.missingClaim) }
        self.issuedAt = issuedAt
        self.expiry = expiry
    }

    /// Compares the time from `iat` to `exp` with a limit.
    ///
    /// - Parameter limit: The longest time in seconds; nil sets no limit.
    /// - Throws: `lifetime`.
    func check(lifetime limit: Int64?) throws(AuthenticationError) {
        if let limit, expiry - issuedAt > limit { throw .tokenInvalid(.lifetime) }
    }

    /// Compares them with a clock.
    ///
    /// - Parameter time: Now.
    /// - Throws: `token_expired` or `not_yet_valid`.
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
        switch claims[name] {
        case nil: return nil
        case .integer(let value)? where value >= 0 && value <= maxNumericDate: return value
        default: throw .tokenInvalid(.malformed)
        }
    }
}

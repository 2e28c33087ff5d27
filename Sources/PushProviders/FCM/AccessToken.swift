/// An access token of Google's (ProviderFacts page, B1): secret.
struct AccessToken: Sendable {
    /// Counts the tokens of a service account, to know one again.
    var number: UInt64
    /// The value of `authorization`, `Bearer ` included.
    var authorization: String
    /// From here on a new one is fetched while this one is still used, on the monotonic clock.
    var refreshAt: UInt64
    /// From here on it is not used, on the monotonic clock.
    var expiresAt: UInt64
}

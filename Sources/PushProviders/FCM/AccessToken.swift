/// A Google access token (ProviderFacts page, B1): secret.
struct AccessToken: Sendable {
    /// The number of the token within its service account, to identify it.
    var number: UInt64
    /// The value of `authorization`, `Bearer ` included.
    var authorization: String
    /// The time from which a new one is fetched while this one is still used, on the monotonic clock.
    var refreshAt: UInt64
    /// The time from which it is not used any more, on the monotonic clock.
    var expiresAt: UInt64
}

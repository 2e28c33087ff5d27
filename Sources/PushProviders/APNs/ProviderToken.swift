/// A provider token of APNs (ProviderFacts page, A5): secret.
struct ProviderToken: Sendable {
    /// Counts the tokens of a process, to know one again.
    var number: UInt64
    /// The value of `authorization`, `bearer ` included.
    var authorization: String
    /// When it was signed, on the monotonic clock.
    var signedAt: UInt64
}

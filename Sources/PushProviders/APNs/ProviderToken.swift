/// A provider token of APNs (ProviderFacts page, A5): secret.
struct ProviderToken: Sendable {
    /// The number of the token within the process, to identify it.
    var number: UInt64
    /// The value of `authorization`, `bearer ` included.
    var authorization: String
    /// The time of signing, on the monotonic clock.
    var signedAt: UInt64
}

package import GatewayModel

/// The source of keys that issuers publish (JWK sets, RFC 7517 section 5).
package protocol PublishedKeys: Sendable {
    /// Returns the keys of a set that can verify with an algorithm.
    ///
    /// - Parameters:
    ///   - url: The set's URL, as a credential names it.
    ///   - keyID: The `kid` of the token; the set is fetched again, within limits, when it has no such key. Nil for all
    ///     keys of the algorithm.
    ///   - algorithm: The algorithm.
    ///   - brand: The brand of the credential; each brand has its own sets and its share of the cache.
    /// - Returns: The keys, of which the first eight are tried; empty when the set has none.
    /// - Throws: ``AuthenticationError/upstreamUnavailable(_:)`` when there is neither a fresh nor a cached set, and
    ///   when the cached set has no such key while its URL fails.
    func keys(
        at url: String,
        keyID: String?,
        algorithm: SignatureAlgorithm,
        of brand: BrandID
    ) async throws(AuthenticationError) -> [VerifyingKey]
}

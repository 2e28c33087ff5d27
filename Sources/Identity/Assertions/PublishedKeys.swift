package import GatewayModel

/// Who fetches the keys that others publish (JWK sets, RFC 7517 section 5).
package protocol PublishedKeys: Sendable {
    /// The keys of a set that can verify with an algorithm.
    ///
    /// - Parameters:
    ///   - url: The set's address, as a credential names it.
    ///   - keyID: The `kid` that the token names; the set is read again, within limits, when it has no such key. Nil asks for
    ///     all keys of the algorithm.
    ///   - algorithm: What they must verify.
    ///   - brand: Whose credential it is; each brand has sets of its own and its share of the room for them.
    /// - Returns: The keys, of which the first eight are tried; empty when the set has none.
    /// - Throws: ``AuthenticationError/upstreamUnavailable(_:)`` when there is neither a fresh set nor one that is kept, and when
    ///   the one that is kept has no such key while its address fails.
    func keys(
        at url: String,
        keyID: String?,
        algorithm: SignatureAlgorithm,
        of brand: BrandID
    ) async throws(AuthenticationError) -> [VerifyingKey]
}

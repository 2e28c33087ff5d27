package import GatewayModel
internal import TextFormats

/// Verifies the id tokens of the operators' identity provider (OpenID Connect Core section 3.1.3.7).
package struct OperatorTokenVerifier: Sendable {
    /// A person, as an authentic token describes it.
    package struct Person: Sendable, Equatable {
        /// The name of the account.
        package var name: OperatorName
        /// The roles; may be none.
        package var grants: [OperatorGrant]
    }

    /// The algorithms of accepted tokens.
    private static let algorithms: [SignatureAlgorithm] = [.rs256, .es256]
    /// The tolerance for a clock of the provider that is behind, in seconds.
    private static let maxSkewSeconds: Int64 = 60

    private let keys: any PublishedKeys
    private let clock: any GatewayClock

    /// Creates a verifier; the clock is for the times of claims.
    package init(keys: any PublishedKeys, clock: any GatewayClock) {
        self.keys = keys
        self.clock = clock
    }

    /// Verifies a token.
    ///
    /// - Parameters:
    ///   - token: The compact JWS.
    ///   - provider: The identity provider.
    ///   - url: The URL of its JWK set.
    ///   - nonce: The nonce of the authorization request.
    ///   - start: When that was sent; an older token belongs to another sign-in.
    /// - Returns: The person.
    /// - Throws: ``AuthenticationError``.
    package func verify(
        _ token: String,
        of provider: OperatorProvider,
        keysAt url: String,
        nonce: String,
        since start: Timestamp
    ) async throws(AuthenticationError) -> Person {
        guard token.utf8.count <= CompactJWS.maxBytes else { throw .tokenInvalid(.malformed) }
        let jws = try CompactJWS(Array(token.utf8))
        guard let algorithm = jws.algorithm.flatMap(SignatureAlgorithm.init(word:)),
            Self.algorithms.contains(algorithm)
        else { throw .tokenInvalid(.wrongAlgorithm) }
        let keyID = jws.header["kid"]?.text
        // The settings' provider belongs to no brand.
        let found = try await keys.keys(at: url, keyID: keyID, algorithm: algorithm, of: BrandID(trusted: ""))
        guard !found.isEmpty else { throw .tokenInvalid(.unknownKey) }
        guard AssertionVerifier.isAuthentic(jws, found) else { throw .tokenInvalid(.badSignature) }
        try AssertionVerifier.checkParties(jws.claims, issuer: provider.issuer, clientID: provider.clientID)
        if case .array(let names)? = jws.claims["aud"], names.count > 1, jws.claims["azp"] == nil {
            throw .tokenInvalid(.wrongAudience)
        }
        guard let given = jws.claims["nonce"]?.text else { throw .missingClaim("nonce") }
        guard given.hasSameBytes(as: nonce) else {
            throw .invalidClaim(name: "nonce", detail: "is not that of the request")
        }
        let times = try AssertionVerifier.times(
            jws.claims,
            AssertionLimits(maxLifetimeSeconds: AssertionLimits.defaultLifetimeSeconds)
        )
        let person = Person(name: try provider.name(jws.claims), grants: provider.grants(jws.claims))
        try times.check(at: clock.now)
        guard times.issuedAt >= start.seconds - Self.maxSkewSeconds else { throw .tokenExpired }
        return person
    }
}

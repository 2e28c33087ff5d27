package import GatewayModel
import GatewayStorage
import TextFormats

extension AssertionVerifier {
    /// The maximum of an issuer's credentials that are tried for one token; those for its audience come first, then
    /// newer before older.
    ///
    /// Two during a rotation, and some that were left over. Each costs a verification, which strangers can trigger.
    private static let maxTries = 4
    /// The maximum of keys that are tried for one token, over all credentials.
    ///
    /// A set distinguishes its keys by `kid`, and an issuer that omits it from tokens has one key, or two during a
    /// rotation. But a set may contain a hundred keys, and each costs a verification, which strangers can trigger.
    private static let maxKeys = 8

    /// Verifies the id token from a code exchange with an identity provider (R50; OpenID Connect Core section 3.1.3.7).
    ///
    /// - Parameters:
    ///   - token: The compact JWS, or the compact JWE around one.
    ///   - provider: The identity provider.
    ///   - credentialID: Its credential.
    ///   - brand: The brand of the request.
    ///   - clientID: The gateway's client id there, which `aud` must contain.
    /// - Returns: The assertion; `keyName` is the credential's name.
    /// - Throws: ``AuthenticationError``.
    package func verifyIDToken(
        _ token: String,
        of provider: IdentityProviderDetails,
        credentialID: String,
        brand: BrandID,
        clientID: String
    ) async throws(AuthenticationError) -> VerifiedAssertion {
        let jws = try signed(token, brand)
        let snapshot = directory.snapshot
        let known = snapshot.identityProviders[brand]?.first { $0.credentialID.hasSameBytes(as: credentialID) }
        guard let known, let credential = snapshot.credential(credentialID),
            known.expiresAt.map({ clock.now < $0 }) ?? true
        else { throw .tokenInvalid(.revoked) }
        let keyID = jws.header["kid"]?.text
        guard Self.isTaken(keyID, by: provider.key) else { throw .tokenInvalid(.unknownKey) }
        guard jws.isSigned(by: provider.key.algorithm) else { throw .tokenInvalid(.wrongAlgorithm) }
        let keys = try await keys(provider.key, known.key, keyID, brand)
        guard !keys.isEmpty else { throw .tokenInvalid(.unknownKey) }
        guard Self.isAuthentic(jws, keys) else { throw .tokenInvalid(.badSignature) }
        try Self.checkParties(jws.claims, issuer: provider.issuer, clientID: clientID)
        return try assertion(
            jws.claims,
            brand,
            credential: credentialID,
            named: credential.name,
            limits: known.details.limits
        )
    }

    /// Checks who made an id token, and for whom.
    static func checkParties(
        _ claims: StrictJSON.Members,
        issuer: String,
        clientID: String
    ) throws(AuthenticationError) {
        guard let maker = claims["iss"] else { throw .missingClaim("iss") }
        guard let maker = maker.text, maker.hasSameBytes(as: issuer) else { throw .tokenInvalid(.unknownIssuer) }
        guard isMeant(claims, for: clientID) else { throw .tokenInvalid(.wrongAudience) }
        // The authorized party, for an `aud` with several names.
        if let party = claims["azp"] {
            guard let party = party.text, party.hasSameBytes(as: clientID) else { throw .tokenInvalid(.wrongAudience) }
        }
    }

    /// Verifies an assertion that an issuer signed with its own key (R48).
    ///
    /// The issuer may have several credentials; a display name in the request selects among them (R61).
    func verify(
        _ jws: CompactJWS,
        ofIssuer key: DirectorySnapshot.IssuerKey,
        called name: String?,
        in snapshot: DirectorySnapshot,
        _ now: Timestamp
    ) async throws(AuthenticationError) -> VerifiedAssertion {
        let issuer = try await signer(of: jws, key, in: snapshot, now) {
            !$0.backend && Self.isCalled($0.issuerDisplayName, name)
        }
        return try assertion(
            jws.claims,
            issuer.brand,
            credential: issuer.id,
            named: issuer.name,
            limits: issuer.details.limits
        )
    }

    /// Verifies a back-end's token, which an issuer that is marked `backend` signed; `sub` has no meaning.
    ///
    /// - Parameters:
    ///   - token: The compact JWS, or the compact JWE around one.
    ///   - brand: The brand of the request; another brand's credential counts as unknown (R188).
    /// - Returns: The back-end, with the scopes for campaigns.
    /// - Throws: ``AuthenticationError``.
    package func verifyBackend(
        _ token: String,
        brand: BrandID
    ) async throws(AuthenticationError) -> ServiceAccountIdentity {
        let jws = try signed(token, brand)
        guard let name = jws.claims["iss"]?.text else { throw .missingClaim("iss") }
        let key = Self.issuerKey(name, brand)
        let snapshot = directory.snapshot
        if snapshot.jwtIssuers[key] == nil, snapshot.revokedIssuers.contains(.init(key: key, keyID: nil), of: brand) {
            throw .tokenInvalid(.revoked)
        }
        let issuer = try await signer(of: jws, key, in: snapshot, clock.now) { $0.backend }
        let times = try Self.times(jws.claims, issuer.details.limits)
        try times.check(at: clock.now)
        // It may have been revoked while its published keys were fetched.
        guard directory.snapshot.credential(issuer.id) != nil else { throw .tokenInvalid(.revoked) }
        return ServiceAccountIdentity(
            id: issuer.id,
            name: issuer.name,
            brand: issuer.brand,
            scopes: [.eventsWrite, .deliveriesRead]
        )
    }

    /// Returns the credential that verifies a token's signature and audience, of those of an issuer that are wanted.
    private func signer(
        of jws: CompactJWS,
        _ key: DirectorySnapshot.IssuerKey,
        in snapshot: DirectorySnapshot,
        _ now: Timestamp,
        _ isWanted: (JWTIssuerDetails) -> Bool
    ) async throws(AuthenticationError) -> JWTIssuer {
        let keyID = jws.header["kid"]?.text
        let named = (snapshot.jwtIssuers[key] ?? []).filter { isWanted($0.details) }
        guard !named.isEmpty else { throw .tokenInvalid(.unknownIssuer) }
        let all = named.filter { Self.isTaken(keyID, by: $0.details.key) }
        let active = all.filter { $0.expiresAt.map { now < $0 } ?? true }
        guard !active.isEmpty else {
            let name = keyID.map(DirectorySnapshot.KeyName.init)
            let isRevoked = name.map { snapshot.revokedIssuers.contains(.init(key: key, keyID: $0), of: key.brand) }
            throw .tokenInvalid(isRevoked == true || !all.isEmpty ? .revoked : .unknownKey)
        }
        let fitting = active.filter { jws.isSigned(by: $0.details.key.algorithm) }
        guard !fitting.isEmpty else { throw .tokenInvalid(.wrongAlgorithm) }
        var rejection = AuthenticationError.tokenInvalid(.unknownKey)
        var left = Self.maxKeys
        for issuer in Self.inOrder(fitting, jws.claims).prefix(Self.maxTries) {
            let keys: [VerifyingKey]
            do { keys = try await self.keys(issuer.details.key, issuer.key, keyID, issuer.brand) } catch {
                rejection = error
                continue
            }
            guard !keys.isEmpty else { continue }
            let tried = keys.prefix(left)
            left -= tried.count
            guard Self.isAuthentic(jws, tried) else {
                if rejection == .tokenInvalid(.unknownKey) { rejection = .tokenInvalid(.badSignature) }
                continue
            }
            guard Self.isMeant(jws.claims, for: issuer.details.audience) else {
                // Credentials for the audience came before; the token may be for one whose keys could not be fetched.
                if case .tokenInvalid = rejection { rejection = .tokenInvalid(.wrongAudience) }
                continue
            }
            return issuer
        }
        throw rejection
    }

    /// Returns an issuer's credentials in the order in which they are tried.
    ///
    /// Those for the token's audience come first; the others only distinguish a wrong audience from a forgery. Of each,
    /// fixed keys come before keys that must be fetched.
    private static func inOrder(_ issuers: [JWTIssuer], _ claims: StrictJSON.Members) -> [JWTIssuer] {
        guard issuers.count > 1 else { return issuers }
        let ranks = issuers.map { issuer in
            (isMeant(claims, for: issuer.details.audience) ? 0 : 2) + (issuer.key != nil ? 0 : 1)
        }
        return (0...3).flatMap { place in issuers.indices.filter { ranks[$0] == place }.map { issuers[$0] } }
    }

    /// Returns the keys that may have signed: the fixed one, or the few published ones with the `kid`.
    private func keys(
        _ key: VerificationKey,
        _ given: VerifyingKey?,
        _ keyID: String?,
        _ brand: BrandID
    ) async throws(AuthenticationError) -> [VerifyingKey] {
        switch key.source {
        case .key: given.map { [$0] } ?? []
        case .jwks(let url):
            try await publishedKeys.keys(at: url, keyID: keyID, algorithm: key.algorithm, of: brand)
        }
    }

    /// Returns the content of an authentic token's claims.
    private func assertion(
        _ claims: StrictJSON.Members,
        _ brand: BrandID,
        credential: String,
        named name: String,
        limits: AssertionLimits
    ) throws(AuthenticationError) -> VerifiedAssertion {
        // Permanent errors come before those that time resolves (R54).
        let times = try Self.times(claims, limits)
        guard let subject = claims["sub"], subject != .null else { throw .missingClaim("sub") }
        let consumer = try AssertionClaims.consumer(subject, name: "sub")
        let presentation = try presentation(claims, times, limits, brand: brand, credential: credential)
        try times.check(at: clock.now)
        // It may have been revoked while its published keys were fetched.
        guard directory.snapshot.credential(credential) != nil else { throw .tokenInvalid(.revoked) }
        return VerifiedAssertion(
            brand: brand,
            consumer: consumer,
            anonymous: false,
            profile: AssertionClaims.profile(claims),
            pushToken: nil,
            app: nil,
            credential: credential,
            keyName: name,
            presentation: presentation
        )
    }

    /// Returns the times of a token that is no security event; only its lifetime is checked.
    static func times(
        _ claims: StrictJSON.Members,
        _ limits: AssertionLimits
    ) throws(AuthenticationError) -> AssertionTimes {
        // A logout token or another security event: issuers without `typ` mark them in no other way (OpenID Connect
        // Back-Channel Logout section 2.4, RFC 8417 section 2.2).
        guard claims["events"] == nil else { throw .tokenInvalid(.malformed) }
        let times = try AssertionTimes(claims)
        try times.check(lifetime: limits.maxLifetimeSeconds)
        return times
    }

    /// Returns whether one of the first keys has signed a token.
    static func isAuthentic(_ jws: CompactJWS, _ keys: some Collection<VerifyingKey>) -> Bool {
        keys.prefix(maxKeys).contains { $0.isValid(jws.signature, of: jws.signingInput) }
    }

    /// Returns whether an issuer has the display name in the request, if the request has one.
    private static func isCalled(_ displayName: String?, _ name: String?) -> Bool {
        guard let name else { return true }
        return displayName?.hasSameBytes(as: name) ?? false
    }

    /// Returns whether a key that is pinned to a `kid` accepts a token with this `kid`.
    private static func isTaken(_ keyID: String?, by key: VerificationKey) -> Bool {
        guard let only = key.keyId else { return true }
        return keyID?.hasSameBytes(as: only) ?? false
    }

    /// Returns whether `aud` is or contains a name; without a name only a token without an audience is accepted (RFC
    /// 7519 section 4.1.3).
    private static func isMeant(_ claims: StrictJSON.Members, for audience: String?) -> Bool {
        guard let audience else { return claims["aud"] == nil }
        return switch claims["aud"] {
        case .string(let name)?: name.hasSameBytes(as: audience)
        case .array(let names)?: names.contains { $0.text?.hasSameBytes(as: audience) ?? false }
        default: false
        }
    }
}

package import GatewayModel
import GatewayStorage
import TextFormats

extension AssertionVerifier {
    /// How many of an issuer's credentials are tried for one token, those for its audience and then the newest first.
    ///
    /// Two while a key changes, and some that were forgotten; each costs a verification, which strangers ask for.
    private static let maxTries = 4
    /// How many keys are tried for one token, of all credentials together.
    ///
    /// A set names its keys apart by `kid`, and who leaves it out of tokens has one key, or two while it changes; but a set may
    /// hold a hundred, and each costs a verification, which strangers ask for.
    private static let maxKeys = 8

    /// Verifies the id token that an identity provider gave for a code (R50; OpenID Connect Core section 3.1.3.7).
    ///
    /// - Parameters:
    ///   - token: The compact JWS, or the compact JWE around one.
    ///   - provider: The identity provider.
    ///   - credentialID: Its credential.
    ///   - brand: The brand of the request.
    ///   - clientID: Our name there, which `aud` must hold.
    /// - Returns: What the token says; `keyName` is the credential's name.
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
        guard Self.isAuthentic(jws, keys.prefix(Self.maxKeys)) else { throw .tokenInvalid(.badSignature) }
        guard let issuer = jws.claims["iss"] else { throw .tokenInvalid(.missingClaim) }
        guard let issuer = issuer.text, issuer.hasSameBytes(as: provider.issuer) else {
            throw .tokenInvalid(.unknownIssuer)
        }
        guard Self.isMeant(jws.claims, for: clientID) else { throw .tokenInvalid(.wrongAudience) }
        // Whom it was made for, where `aud` names several.
        if let party = jws.claims["azp"] {
            guard let party = party.text, party.hasSameBytes(as: clientID) else { throw .tokenInvalid(.wrongAudience) }
        }
        return try assertion(
            jws.claims,
            brand,
            credential: credentialID,
            named: credential.name,
            limits: known.details.limits
        )
    }

    /// Verifies an assertion that an issuer signed with its own key (R48); several credentials may be the issuer's,
    /// of which a display name chooses where the request gives one (R61).
    func verify(
        _ jws: CompactJWS,
        ofIssuer key: DirectorySnapshot.IssuerKey,
        called name: String?,
        in snapshot: DirectorySnapshot,
        _ now: Timestamp
    ) async throws(AuthenticationError) -> VerifiedAssertion {
        let keyID = jws.header["kid"]?.text
        let named = (snapshot.jwtIssuers[key] ?? []).filter { Self.isCalled($0.details.issuerDisplayName, name) }
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
        var refusal = AuthenticationError.tokenInvalid(.unknownKey)
        var left = Self.maxKeys
        for issuer in Self.inOrder(fitting, jws.claims).prefix(Self.maxTries) {
            let keys: [VerifyingKey]
            do { keys = try await self.keys(issuer.details.key, issuer.key, keyID, issuer.brand) } catch {
                refusal = error
                continue
            }
            guard !keys.isEmpty else { continue }
            let tried = keys.prefix(left)
            left -= tried.count
            guard Self.isAuthentic(jws, tried) else {
                if refusal == .tokenInvalid(.unknownKey) { refusal = .tokenInvalid(.badSignature) }
                continue
            }
            guard Self.isMeant(jws.claims, for: issuer.details.audience) else {
                // Those for the audience came before; one that could not be asked may be its.
                if case .tokenInvalid = refusal { refusal = .tokenInvalid(.wrongAudience) }
                continue
            }
            return try assertion(
                jws.claims,
                issuer.brand,
                credential: issuer.id,
                named: issuer.name,
                limits: issuer.details.limits
            )
        }
        throw refusal
    }

    /// An issuer's credentials in the order in which they are tried: those that are for the token's audience before others, which
    /// only tell a wrong audience from a forgery, and keys that are at hand before those that somebody must be asked for.
    private static func inOrder(_ issuers: [JWTIssuer], _ claims: StrictJSON.Members) -> [JWTIssuer] {
        guard issuers.count > 1 else { return issuers }
        let ranks = issuers.map { issuer in
            (isMeant(claims, for: issuer.details.audience) ? 0 : 2) + (issuer.key != nil ? 0 : 1)
        }
        return (0...3).flatMap { place in issuers.indices.filter { ranks[$0] == place }.map { issuers[$0] } }
    }

    /// The keys that may have signed: the one that was given, or those that are published, few.
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

    /// What the claims of an authentic token say of the consumer.
    private func assertion(
        _ claims: StrictJSON.Members,
        _ brand: BrandID,
        credential: String,
        named name: String,
        limits: AssertionLimits
    ) throws(AuthenticationError) -> VerifiedAssertion {
        // A logout token or another security event: issuers of old say so by nothing else (OpenID Connect Back-Channel Logout
        // section 2.4, RFC 8417 section 2.2).
        guard claims["events"] == nil else { throw .tokenInvalid(.malformed) }
        // What makes it invalid for ever goes before what time mends (R54).
        let times = try AssertionTimes(claims)
        try times.check(lifetime: limits.maxLifetimeSeconds)
        guard let subject = claims["sub"], subject != .null else { throw .tokenInvalid(.missingClaim) }
        let consumer = try AssertionClaims.consumer(subject, name: "sub")
        let presentation = try presentation(claims, times, limits, brand: brand, credential: credential)
        try times.check(at: clock.now)
        // It may have been revoked while its published keys were asked for.
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

    private static func isAuthentic(_ jws: CompactJWS, _ keys: ArraySlice<VerifyingKey>) -> Bool {
        keys.contains { $0.isValid(jws.signature, of: jws.signingInput) }
    }

    /// Whether an issuer's display name is the one that is asked for, if any is.
    private static func isCalled(_ displayName: String?, _ name: String?) -> Bool {
        guard let name else { return true }
        return displayName?.hasSameBytes(as: name) ?? false
    }

    /// Whether a key that is pinned to a `kid` takes a token with this one.
    private static func isTaken(_ keyID: String?, by key: VerificationKey) -> Bool {
        guard let only = key.keyId else { return true }
        return keyID?.hasSameBytes(as: only) ?? false
    }

    /// Whether `aud` is, or holds, a name; who has none takes only what is for everybody (RFC 7519 section 4.1.3).
    private static func isMeant(_ claims: StrictJSON.Members, for audience: String?) -> Bool {
        guard let audience else { return claims["aud"] == nil }
        return switch claims["aud"] {
        case .string(let name)?: name.hasSameBytes(as: audience)
        case .array(let names)?: names.contains { $0.text?.hasSameBytes(as: audience) ?? false }
        default: false
        }
    }
}

package import GatewayModel
internal import GatewayStorage
internal import TextFormats

/// Verifies consumers' assertions: signed with an SDK key (R25-R33) or by an issuer's own key (R48), each perhaps encrypted
/// for us (R49), and the id tokens of identity providers (R50).
///
/// The key pins its algorithm, whatever the token says; the signature is checked before anything else is believed, so that
/// an expired token and a forged one are told apart (R54) and an expired forgery is called forged. Any thread may call.
package struct AssertionVerifier: Sendable {
    let directory: Directory
    let publishedKeys: any PublishedKeys
    let clock: any GatewayClock

    /// Verifies with the keys of a directory.
    ///
    /// - Parameters:
    ///   - directory: Where the credentials are.
    ///   - publishedKeys: Who has the keys of those that publish theirs.
    ///   - clock: For the claims' times.
    package init(directory: Directory, publishedKeys: any PublishedKeys, clock: any GatewayClock) {
        self.directory = directory
        self.publishedKeys = publishedKeys
        self.clock = clock
    }

    /// Verifies an assertion.
    ///
    /// The key is the one that the request names; else `iss` names an SDK key or an issuer, or `kid` an SDK key. Where the request
    /// names an issuer, only its tokens are taken (R61).
    ///
    /// - Parameters:
    ///   - token: The compact JWS, or the compact JWE around one.
    ///   - keyName: An SDK key's name where the request gives it: the only one that counts then.
    ///   - issuerName: An issuer's display name where the request gives it; SDK keys have none.
    ///   - brand: The brand of the request; another brand's credential is unknown here (R188).
    /// - Returns: What the assertion says.
    /// - Throws: ``AuthenticationError``.
    package func verify(
        _ token: String,
        keyName: String?,
        issuerName: String? = nil,
        brand: BrandID
    ) async throws(AuthenticationError) -> VerifiedAssertion {
        let jws = try signed(token, brand)
        let now = clock.now
        let snapshot = directory.snapshot
        let isForSDKKey = jws.algorithm.flatMap(HMACAlgorithm.init(word:)) != nil
        if issuerName == nil {
            if let keyName {
                guard let key = try Self.sdkKey(keyName, snapshot, brand, now) else { throw .tokenInvalid(.unknownKey) }
                return try verify(jws, with: key)
            }
            // SDK keys and issuers may be called the same: each has its algorithms, and none is tried with the other's.
            if isForSDKKey, let key = try Self.sdkKey(of: jws, snapshot, brand, now) {
                return try verify(jws, with: key)
            }
        }
        if let named = jws.claims["iss"]?.text {
            let key = Self.issuerKey(named, brand)
            if snapshot.jwtIssuers[key] != nil {
                return try await verify(jws, ofIssuer: key, called: issuerName, in: snapshot, now)
            }
            if snapshot.revokedIssuers.contains(.init(key: key, keyID: nil), of: brand) {
                throw .tokenInvalid(.revoked)
            }
        }
        // One that names an SDK key is refused for its algorithm.
        if issuerName == nil, let key = try Self.sdkKey(of: jws, snapshot, brand, now) {
            return try verify(jws, with: key)
        }
        if jws.claims["iss"] != nil || issuerName != nil { throw .tokenInvalid(.unknownIssuer) }
        // Only an issuer signs so, and its tokens must name it (R48, R53).
        let isOfIssuer = jws.algorithm.flatMap(SignatureAlgorithm.init(word:)) != nil
        throw .tokenInvalid(isOfIssuer ? .missingClaim : .unknownKey)
    }

    /// The signed token: the text itself, or what is in it when it is an encrypted one.
    func signed(_ token: String, _ brand: BrandID) throws(AuthenticationError) -> CompactJWS {
        // Before anybody walks over it.
        guard token.utf8.count <= CompactJWE.maxBytes else { throw .tokenInvalid(.malformed) }
        let bytes = Array(token.utf8)
        guard bytes.count(where: { $0 == UInt8(ascii: ".") }) == 4 else { return try CompactJWS(bytes) }
        let jwe = try CompactJWE(bytes)
        let inner = try CompactJWS(AssertionOpener(snapshot: directory.snapshot, now: clock.now).open(jwe, brand))
        // Encryption proves nothing: everybody has the public key.
        guard !inner.signature.isEmpty else { throw .tokenInvalid(.malformed) }
        return inner
    }

    /// The presentation of an assertion, where its credential accepts it once only.
    func presentation(
        _ claims: StrictJSON.Members,
        _ times: AssertionTimes,
        _ limits: AssertionLimits,
        brand: BrandID,
        credential: String
    ) throws(AuthenticationError) -> RedeemedCode? {
        guard limits.singleUse else { return nil }
        return try AssertionClaims.presentation(claims, brand: brand, credential: credential, expiry: times.expiry)
    }

    static func issuerKey(_ issuer: String, _ brand: BrandID) -> DirectorySnapshot.IssuerKey {
        DirectorySnapshot.IssuerKey(brand: brand, issuer: DirectorySnapshot.KeyName(issuer))
    }
}

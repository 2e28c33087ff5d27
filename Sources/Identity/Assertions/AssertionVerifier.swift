package import GatewayModel
internal import GatewayStorage
internal import TextFormats

/// Verifies consumers' assertions, signed with an SDK key (R25-R33) or by an issuer's own key (R48), optionally
/// encrypted for the gateway (R49), and the id tokens of identity providers (R50).
///
/// The key determines its algorithm, whatever the token states. The signature is checked before anything else is
/// trusted: an expired token and a forged one are distinguished (R54), and an expired forgery is reported as forged.
/// Thread-safe.
package struct AssertionVerifier: Sendable {
    let directory: Directory
    let publishedKeys: any PublishedKeys
    let clock: any GatewayClock

    /// Creates a verifier with the keys of a directory and of published sets; the clock is for the times of claims.
    package init(directory: Directory, publishedKeys: any PublishedKeys, clock: any GatewayClock) {
        self.directory = directory
        self.publishedKeys = publishedKeys
        self.clock = clock
    }

    /// Verifies an assertion.
    ///
    /// The key is the one in the request; else `iss` names an SDK key or an issuer, or `kid` an SDK key. If the request
    /// names an issuer, only its tokens are accepted (R61).
    ///
    /// - Parameters:
    ///   - token: The compact JWS, or the compact JWE around one.
    ///   - keyName: An SDK key's name from the request, which is then the only key that is tried.
    ///   - issuerName: An issuer's display name from the request; SDK keys have none.
    ///   - brand: The brand of the request; another brand's credential counts as unknown (R188).
    /// - Returns: The assertion.
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
            // An SDK key and an issuer may have the same name: each is tried only with its own algorithms.
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
        // A token that names an SDK key is rejected for its algorithm.
        if issuerName == nil, let key = try Self.sdkKey(of: jws, snapshot, brand, now) {
            return try verify(jws, with: key)
        }
        if jws.claims["iss"] != nil || issuerName != nil { throw .tokenInvalid(.unknownIssuer) }
        // Only issuers use these algorithms, and their tokens must have `iss` (R48, R53).
        let isOfIssuer = jws.algorithm.flatMap(SignatureAlgorithm.init(word:)) != nil
        throw isOfIssuer ? AuthenticationError.missingClaim("iss") : .tokenInvalid(.unknownKey)
    }

    /// Returns the signed token: the text itself, or the content of an encrypted one.
    func signed(_ token: String, _ brand: BrandID) throws(AuthenticationError) -> CompactJWS {
        // Before the text is scanned.
        guard token.utf8.count <= CompactJWE.maxBytes else { throw .tokenInvalid(.malformed) }
        let bytes = Array(token.utf8)
        guard bytes.count(where: { $0 == UInt8(ascii: ".") }) == 4 else { return try CompactJWS(bytes) }
        let jwe = try CompactJWE(bytes)
        let inner = try CompactJWS(AssertionOpener(snapshot: directory.snapshot, now: clock.now).open(jwe, brand))
        // Encryption authenticates nobody: everybody has the public key.
        guard !inner.signature.isEmpty else { throw .tokenInvalid(.malformed) }
        return inner
    }

    /// Returns the record of an assertion if its credential accepts it only once.
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

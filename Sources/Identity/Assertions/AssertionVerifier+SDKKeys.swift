import Crypto
import FoundationEssentials
import GatewayModel
import GatewayStorage
import TextFormats

extension AssertionVerifier {
    /// Verifies an assertion where nothing but an SDK key's name tells the brand (R25).
    ///
    /// One without an identifier is taken whatever its brand allows: whoever lets it in asks that.
    ///
    /// - Parameters:
    ///   - token: The compact JWS, or the compact JWE around one.
    ///   - name: The SDK key's name, unique in the instance.
    /// - Returns: What the assertion says, with the key's brand.
    /// - Throws: ``AuthenticationError``; a name that is nobody's is `unknown_key`.
    package func verify(_ token: String, sdkKeyName name: String) throws(AuthenticationError) -> VerifiedAssertion {
        let snapshot = directory.snapshot
        let name = DirectorySnapshot.KeyName(name)
        guard let key = snapshot.sdkKeys[name] else {
            throw .tokenInvalid(snapshot.revokedSDKKeys.contains(name) ? .revoked : .unknownKey)
        }
        guard key.isActive(at: clock.now) else { throw .tokenInvalid(.revoked) }
        return try verify(try signed(token, key.brand), with: key, takesAnonymous: true)
    }

    /// A brand's SDK key by its name.
    ///
    /// - Returns: Nil when the brand has none of that name.
    /// - Throws: `revoked` when it had one, or its time is over.
    static func sdkKey(
        _ name: String,
        _ snapshot: DirectorySnapshot,
        _ brand: BrandID,
        _ now: Timestamp
    ) throws(AuthenticationError) -> SDKKey? {
        let name = DirectorySnapshot.KeyName(name)
        if let key = snapshot.sdkKeys[name], key.brand == brand {
            guard key.isActive(at: now) else { throw .tokenInvalid(.revoked) }
            return key
        }
        if snapshot.revokedSDKKeys.contains(name, of: brand) { throw .tokenInvalid(.revoked) }
        return nil
    }

    /// The SDK key that a token names: by `iss`, as our own signer does, else by `kid`, where `iss` is its back-end's name.
    ///
    /// - Returns: Nil when neither is a key of the brand.
    /// - Throws: `revoked` when one of them was, and the other is none.
    static func sdkKey(
        of jws: CompactJWS,
        _ snapshot: DirectorySnapshot,
        _ brand: BrandID,
        _ now: Timestamp
    ) throws(AuthenticationError) -> SDKKey? {
        var refusal: AuthenticationError?
        if let name = jws.claims["iss"]?.text {
            do {
                if let key = try sdkKey(name, snapshot, brand, now) { return key }
            } catch { refusal = error }
        }
        if let name = jws.header["kid"]?.text, let key = try sdkKey(name, snapshot, brand, now) { return key }
        if let refusal { throw refusal }
        return nil
    }

    /// Verifies an assertion that an SDK key signed (R26-R32).
    func verify(
        _ jws: CompactJWS,
        with key: SDKKey,
        takesAnonymous: Bool = false
    ) throws(AuthenticationError) -> VerifiedAssertion {
        guard jws.isSigned(by: key.algorithm) else { throw .tokenInvalid(.wrongAlgorithm) }
        guard Self.isAuthentic(jws, key) else { throw .tokenInvalid(.badSignature) }
        // What makes it invalid for ever goes before what time mends (R54).
        let times = try AssertionTimes(jws.claims)
        try times.check(lifetime: key.limits.maxLifetimeSeconds)
        var consumer: ConsumerID?
        if let claim = jws.claims["identifier"], claim != .null {
            consumer = try AssertionClaims.consumer(claim, name: "identifier")
        }
        let isAnonymous = consumer == nil
        if isAnonymous, !takesAnonymous, directory.brand(key.brand)?.settings.anonymousConsumers != true {
            throw .tokenInvalid(.missingClaim)
        }
        let profile = try AssertionClaims.checkedProfile(jws.claims)
        let session = try AssertionClaims.session(jws.claims)
        let pushToken = try AssertionClaims.pushToken(jws.claims)
        let presentation = try presentation(jws.claims, times, key.limits, brand: key.brand, credential: key.id)
        try times.check(at: clock.now)
        return VerifiedAssertion(
            brand: key.brand,
            consumer: consumer ?? ConsumerID(trusted: UUID().uuidString.lowercased()),
            anonymous: isAnonymous,
            profile: profile,
            pushToken: pushToken,
            app: key.app,
            credential: key.id,
            keyName: key.name,
            session: session,
            presentation: presentation
        )
    }

    private static func isAuthentic(_ jws: CompactJWS, _ key: SDKKey) -> Bool {
        let secret = SymmetricKey(data: key.secret)
        // swift-crypto compares in constant time.
        return switch key.algorithm {
        case .hs256:
            HMAC<SHA256>.isValidAuthenticationCode(jws.signature, authenticating: jws.signingInput, using: secret)
        case .hs384:
            HMAC<SHA384>.isValidAuthenticationCode(jws.signature, authenticating: jws.signingInput, using: secret)
        case .hs512:
            HMAC<SHA512>.isValidAuthenticationCode(jws.signature, authenticating: jws.signingInput, using: secret)
        }
    }
}

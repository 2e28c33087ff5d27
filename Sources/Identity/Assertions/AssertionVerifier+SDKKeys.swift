import Cryptography
import FoundationEssentials
import GatewayModel
import GatewayStorage
import TextFormats

extension AssertionVerifier {
    /// Verifies an assertion of which only the SDK key's name determines the brand (R25).
    ///
    /// One without an identifier is accepted with any settings of the brand: the caller checks whether it is allowed.
    ///
    /// - Parameters:
    ///   - token: The compact JWS, or the compact JWE around one.
    ///   - name: The SDK key's name, unique in the instance.
    /// - Returns: The assertion, with the key's brand.
    /// - Throws: ``AuthenticationError``; an unknown name is `unknown_key`.
    package func verify(_ token: String, sdkKeyName name: String) throws(AuthenticationError) -> VerifiedAssertion {
        let snapshot = directory.snapshot
        let name = DirectorySnapshot.KeyName(name)
        guard let key = snapshot.sdkKeys[name] else {
            throw .tokenInvalid(snapshot.revokedSDKKeys.contains(name) ? .revoked : .unknownKey)
        }
        guard key.isActive(at: clock.now) else { throw .tokenInvalid(.revoked) }
        return try verify(try signed(token, key.brand), with: key, takesAnonymous: true)
    }

    /// Returns a brand's SDK key by its name; nil when the brand has none of that name.
    ///
    /// - Throws: `revoked` when that key was revoked or has expired.
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

    /// Returns the SDK key that a token names: by `iss`, as in the gateway's own tokens, else by `kid`, with the
    /// back-end's name in `iss`; nil when neither is a key of the brand.
    ///
    /// - Throws: `revoked` when one of them was a revoked key, and the other is not a key.
    static func sdkKey(
        of jws: CompactJWS,
        _ snapshot: DirectorySnapshot,
        _ brand: BrandID,
        _ now: Timestamp
    ) throws(AuthenticationError) -> SDKKey? {
        var rejection: AuthenticationError?
        if let name = jws.claims["iss"]?.text {
            do {
                if let key = try sdkKey(name, snapshot, brand, now) { return key }
            } catch { rejection = error }
        }
        if let name = jws.header["kid"]?.text, let key = try sdkKey(name, snapshot, brand, now) { return key }
        if let rejection { throw rejection }
        return nil
    }

    /// Verifies an assertion that an SDK key signed (R26-R32).
    func verify(
        _ jws: CompactJWS,
        with key: SDKKey,
        takesAnonymous: Bool = false
    ) throws(AuthenticationError) -> VerifiedAssertion {
        guard jws.isSigned(by: key.algorithm) else { throw .tokenInvalid(.wrongAlgorithm) }
        guard key.signature(of: jws.signingInput).isEqualInConstantTime(to: jws.signature) else {
            throw .tokenInvalid(.badSignature)
        }
        // Permanent errors come before those that time resolves (R54).
        let times = try AssertionTimes(jws.claims)
        try times.check(lifetime: key.limits.maxLifetimeSeconds)
        var consumer: ConsumerID?
        if let claim = jws.claims["identifier"], claim != .null {
            consumer = try AssertionClaims.consumer(claim, name: "identifier")
        }
        let isAnonymous = consumer == nil
        if isAnonymous, !takesAnonymous, directory.brand(key.brand)?.settings.anonymousConsumers != true {
            throw .missingClaim("identifier")
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
}

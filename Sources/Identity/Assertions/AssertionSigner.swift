internal import Cryptography
package import GatewayModel
package import GatewayStorage
package import TextFormats

/// Signs an app's claims about a consumer with an SDK key of its brand, for brands without a signing service of their
/// own (R20-R24).
///
/// Thread-safe.
///
/// ``AssertionVerifier`` accepts its tokens.
package struct AssertionSigner: Sendable {
    /// The lifetime of a token, in seconds (R23); shorter if its key allows less.
    package static let lifeSeconds: Int64 = 600
    /// The maximum size of the payload as JSON, in bytes: with the added claims the token stays below the verifier's
    /// limit.
    package static let maxPayloadBytes = 4096
    /// Claims that have a meaning for this or other verifiers, and that an app must not set.
    private static let refused: [BoundedName] = ["nbf", "sub", "aud", "jti", AssertionClaims.sessionName]

    private let directory: Directory
    private let clock: any GatewayClock

    /// Creates a signer with the keys of a directory; the clock is for their expiry and the claims' times.
    package init(directory: Directory, clock: any GatewayClock) {
        self.directory = directory
        self.clock = clock
    }

    /// Signs a payload.
    ///
    /// Its members are kept unless they are set here (R21): `identifier`, `iss`, `iat` and `exp` always (R22, R23),
    /// `name`, `email` and `phone` if they are stored. Numbers with a fraction are kept as they are written (R193). A
    /// device does not choose an email or a phone (R22): they are removed from the payload of a session unless they are
    /// stored. An assertion signed for a session contains the session's hash, and is valid only as long as the session.
    ///
    /// - Parameters:
    ///   - payload: The payload's members.
    ///   - consumer: The consumer that it is about.
    ///   - profile: The stored profile of the consumer.
    ///   - session: The session that requests it; nil for a back-end, whose payload is trusted.
    ///   - brand: The brand.
    ///   - app: The app whose key signs; nil for the brand's newest key, with keys for all apps before those for one.
    /// - Returns: The compact JWS.
    /// - Throws: ``SigningError``.
    package func sign(
        _ payload: StrictJSON.Members,
        of consumer: ConsumerID,
        _ profile: ConsumerProfile,
        for session: StoredSession?,
        brand: BrandID,
        app: AppID?
    ) throws(SigningError) -> String {
        guard let key = key(brand, app) else { throw .noKey }
        for name in Self.refused where payload[name] != nil {
            throw .payload(member: name.text, detail: "must be absent: the gateway decides what the token is for")
        }
        var claims = payload
        let now = clock.now.seconds
        claims["identifier"] = .string(consumer.rawValue)
        claims["iss"] = .string(key.name)
        claims["iat"] = .integer(now)
        claims["exp"] = .integer(now + min(Self.lifeSeconds, key.limits.maxLifetimeSeconds ?? Self.lifeSeconds))
        if key.limits.singleUse { claims["jti"] = .string(StrictBase64.encode(SecureRandom.bytes(16), .url)) }
        if let session {
            for name: BoundedName in ["email", "phone"] { claims[name] = nil }
            claims[AssertionClaims.sessionName] = AssertionClaims.sessionClaim(session)
        }
        if let name = profile.name { claims["name"] = .string(name) }
        if let email = profile.email { claims["email"] = .string(email) }
        if let phone = profile.phone { claims["phone"] = .string(phone) }
        do { try AssertionClaims.check(claims) } catch { throw .claim(error) }
        return try token(.object(claims), of: .object(.init(payload.filter { claims[$0.key] == $0.value })), key)
    }

    private func token(_ claims: StrictJSON, of payload: StrictJSON, _ key: SDKKey) throws(SigningError) -> String {
        let parameters: StrictJSON = .object([
            "alg": .string(key.algorithm.rawValue), "typ": .string("JWT"), "kid": .string(key.name),
        ])
        guard payload.sortedText.count <= Self.maxPayloadBytes else {
            throw .payload(member: nil, detail: "must be at most \(Self.maxPayloadBytes) bytes")
        }
        let input =
            StrictBase64.encode(parameters.sortedText, .url) + "." + StrictBase64.encode(claims.sortedText, .url)
        let token = input + "." + StrictBase64.encode(key.signature(of: Array(input.utf8)), .url)
        // Too deep, or too long with the added claims.
        guard (try? CompactJWS(Array(token.utf8))) != nil else {
            throw .payload(member: nil, detail: "must be smaller, or less deeply nested")
        }
        return token
    }

    /// Returns the newest key that may sign.
    private func key(_ brand: BrandID, _ app: AppID?) -> SDKKey? {
        let snapshot = directory.snapshot
        let now = clock.now
        let keys = snapshot.sdkKeys.values.filter { key in
            key.brand == brand && key.isActive(at: now) && (app == nil || key.app == app)
        }
        /// Keys for all apps come before keys for one app, then by age; the id decides between equal ages.
        func rank(_ key: SDKKey) -> (Int, Int64, String) {
            (key.app == nil ? 1 : 0, snapshot.credential(key.id)?.createdAt.milliseconds ?? 0, key.id)
        }
        return keys.max { rank($0) < rank($1) }
    }
}

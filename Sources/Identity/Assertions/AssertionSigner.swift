internal import Crypto
package import GatewayModel
package import GatewayStorage
internal import TextFormats

/// Signs what an app wants to say of a consumer with an SDK key of its brand, where the brand has no signing service of its
/// own (R20-R24); any thread may call.
///
/// What it signs, ``AssertionVerifier`` takes.
package struct AssertionSigner: Sendable {
    /// How long a token is good for, in seconds (R23); shorter where its key allows less.
    package static let lifeSeconds: Int64 = 600
    /// The longest payload as JSON, in bytes: with what is added to it the token stays below what is verified.
    package static let maxPayloadBytes = 4096
    /// Claims that the verifier gives a meaning, or that other verifiers might, and that are none of the app's business.
    private static let refused: [BoundedName] = ["nbf", "sub", "aud", "jti", AssertionClaims.sessionName]

    private let directory: Directory
    private let clock: any GatewayClock

    /// Signs with the keys of a directory.
    ///
    /// - Parameters:
    ///   - directory: Where the keys are.
    ///   - clock: For the keys' expiry and the claims' times.
    package init(directory: Directory, clock: any GatewayClock) {
        self.directory = directory
        self.clock = clock
    }

    /// Signs a payload.
    ///
    /// Its members are kept unless they are set here (R21): `identifier`, `iss`, `iat` and `exp` always (R22, R23), `name`,
    /// `email` and `phone` where they are known. A device does not choose an email or a phone (R22): a payload from a session
    /// loses what is not known. What a session had signed names the session, and is worth no more than it.
    ///
    /// - Parameters:
    ///   - payload: The payload's members.
    ///   - consumer: Whom it is about.
    ///   - profile: What is known of the consumer.
    ///   - session: The session that asks; nil for a back-end, which says what it knows.
    ///   - brand: The brand.
    ///   - app: The app whose key is to sign; nil takes the brand's newest, before those for one app.
    /// - Returns: The compact JWS.
    /// - Throws: ``SigningRefusal``.
    package func sign(
        _ payload: StrictJSON.Members,
        of consumer: ConsumerID,
        _ profile: ConsumerProfile,
        for session: StoredSession?,
        brand: BrandID,
        app: AppID?
    ) throws(SigningRefusal) -> String {
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
        for (name, value) in claims.sorted(by: { $0.key < $1.key }) {
            var text: [UInt8] = []
            guard value.write(to: &text) else {
                throw .payload(member: name.text, detail: "must hold whole numbers only")
            }
        }
        return try token(.object(claims), of: .object(.init(payload.filter { claims[$0.key] == $0.value })), key)
    }

    private func token(_ claims: StrictJSON, of payload: StrictJSON, _ key: SDKKey) throws(SigningRefusal) -> String {
        let header: StrictJSON = .object([
            "alg": .string(key.algorithm.rawValue), "typ": .string("JWT"), "kid": .string(key.name),
        ])
        var texts: (header: [UInt8], claims: [UInt8], payload: [UInt8]) = ([], [], [])
        guard header.write(to: &texts.header), claims.write(to: &texts.claims), payload.write(to: &texts.payload),
            texts.payload.count <= Self.maxPayloadBytes
        else { throw .payload(member: nil, detail: "must be at most \(Self.maxPayloadBytes) bytes") }
        let input = StrictBase64.encode(texts.header, .url) + "." + StrictBase64.encode(texts.claims, .url)
        let token = input + "." + StrictBase64.encode(key.signature(of: Array(input.utf8)), .url)
        // Too deep, or too long with what was added.
        guard (try? CompactJWS(Array(token.utf8))) != nil else {
            throw .payload(member: nil, detail: "must be smaller, or nest less deep")
        }
        return token
    }

    /// The newest key that may sign.
    private func key(_ brand: BrandID, _ app: AppID?) -> SDKKey? {
        let snapshot = directory.snapshot
        let now = clock.now
        let keys = snapshot.sdkKeys.values.filter { key in
            key.brand == brand && key.isActive(at: now) && (app == nil || key.app == app)
        }
        /// One for all apps before one for some app, then by age; the id tells those of one moment apart.
        func rank(_ key: SDKKey) -> (Int, Int64, String) {
            (key.app == nil ? 1 : 0, snapshot.credential(key.id)?.createdAt.milliseconds ?? 0, key.id)
        }
        return keys.max { rank($0) < rank($1) }
    }
}

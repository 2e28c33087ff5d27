internal import CoreMetrics
internal import GatewayModel
internal import GatewayStorage
internal import Hummingbird
internal import Identity
internal import IdentityProviders
internal import Telemetry

// Every authentication method ends here: a verified identity becomes a session.
extension Call {
    /// Logs in the consumer of an assertion; the consumer is created or updated (R27-R29), and the push token of the
    /// assertion registers the device (R32).
    ///
    /// A token that a session had signed gives no more rights than that session: the session must be live and of the
    /// same consumer, and its device, its end and its credential apply.
    ///
    /// - Parameters:
    ///   - assertion: The verified assertion.
    ///   - brand: The brand.
    ///   - device: The device that logs in, if it is given.
    ///   - proofs: The proofs that the caller presents in addition to the assertion.
    ///   - grant: The grant.
    /// - Returns: The session, and whether the assertion has a push token that was not registered.
    /// - Throws: `Problem`.
    func login(
        _ assertion: VerifiedAssertion,
        _ brand: Brand,
        _ device: DeviceID?,
        _ proofs: LoginProofs,
        by grant: GrantLabel
    ) async throws(Problem) -> (session: MintedSession, isPushTokenIgnored: Bool) {
        // The holder of a key can be at any address. The state of its limit is not reported to each device.
        _ = try limiter.take(.credential, assertion.credential)
        guard !assertion.anonymous || brand.settings.anonymousConsumers else { throw .noAnonymousConsumers }
        let session = try await signingSession(of: assertion)
        if let session, let device {
            try ConsumerAccess(brand: brand, consumer: session.consumer, session: session)
                .require(device: device)
        }
        let device = device ?? session?.device
        let minted = try await open(
            brand,
            assertion.consumer,
            device,
            credential: session == nil ? assertion.credential : session?.credential,
            isAnonymous: assertion.anonymous,
            expiresNoLaterThan: session?.expiresAt,
            signedBy: session?.tokenHash,
            assertion: LoginAssertion(
                anonymous: assertion.anonymous,
                profile: assertion.profile,
                presentation: assertion.presentation
            ),
            proofs: proofs,
            by: grant
        )
        guard let token = assertion.pushToken else { return (minted, false) }
        // Apps of CCAI Platform name no device.
        let claim = PushTokenClaim(token: token, app: assertion.app, device: device, namesDevice: grant == .ccai)
        let isRegistered = await claim.register(by: minted.session, brand, self)
        return (minted, !isRegistered)
    }

    /// Returns the session that had an assertion signed, if there is one.
    func signingSession(of assertion: VerifiedAssertion) async throws(Problem) -> StoredSession? {
        guard let hash = assertion.session else { return nil }
        let session: StoredSession
        do { session = try await services.sessions.session(tokenHash: hash, brand: assertion.brand) } catch {
            throw Problem(error)
        }
        guard session.consumer == assertion.consumer else { throw Problem(AuthenticationError.tokenInvalid(.revoked)) }
        return session
    }

    /// Logs in a consumer without an identity, when the brand allows it.
    func loginAnonymously(
        _ brand: Brand,
        _ device: DeviceID?,
        _ proofs: LoginProofs
    ) async throws(Problem) -> MintedSession {
        guard brand.settings.anonymousConsumers else { throw .noAnonymousConsumers }
        let consumer = ConsumerID(trusted: AnonymousConsumer.newID())
        _ = try await perform(
            .upsertConsumer(brand: brand.id, id: consumer, anonymous: true, profile: ConsumerProfile())
        )
        return try await open(
            brand,
            consumer,
            device,
            credential: nil,
            isAnonymous: true,
            proofs: proofs,
            by: .anonymous
        )
    }

    /// Opens a session for an identified consumer.
    func open(
        _ brand: Brand,
        _ consumer: ConsumerID,
        _ device: DeviceID?,
        credential: String?,
        isAnonymous: Bool = false,
        expiresNoLaterThan limit: Timestamp? = nil,
        signedBy signer: [UInt8]? = nil,
        assertion: LoginAssertion? = nil,
        proofs: LoginProofs = LoginProofs(),
        by grant: GrantLabel
    ) async throws(Problem) -> MintedSession {
        do {
            let minted = try await services.sessions.open(
                brand: brand.id,
                consumer: consumer,
                device: device,
                credential: credential,
                isAnonymous: isAnonymous,
                expiresNoLaterThan: limit,
                signedBy: signer,
                assertion: assertion,
                proofs: proofs
            )
            services.metrics.sessionsOpened[grant].increment()
            return minted
        } catch { throw Problem(error) }
    }
}

extension Problem {
    /// The error for an anonymous login when the brand does not allow it.
    static let noAnonymousConsumers = Problem(.forbidden, "The brand does not allow anonymous consumers.")
}

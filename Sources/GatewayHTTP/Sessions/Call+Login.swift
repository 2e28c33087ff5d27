internal import CoreMetrics
internal import GatewayModel
internal import GatewayStorage
internal import Hummingbird
internal import Identity
internal import IdentityProviders
internal import PushPayloads
internal import Telemetry

// Every way in ends here: a verified identity becomes a session.
extension Call {
    /// Lets in whom an assertion names; the consumer is made or brought up to date (R27-R29), and the push token that the
    /// assertion carries registers the device (R32).
    ///
    /// What a session had signed opens no more than that session is: it must be live and the consumer's, its device, its end and
    /// its credential stay.
    ///
    /// - Parameters:
    ///   - assertion: The assertion, verified.
    ///   - brand: The brand.
    ///   - device: The device that logs in, if it is named.
    ///   - proofs: What it shows beside the assertion.
    ///   - grant: How it logs in.
    /// - Returns: The session.
    /// - Throws: `Problem`.
    func login(
        _ assertion: VerifiedAssertion,
        _ brand: Brand,
        _ device: DeviceID?,
        _ proofs: LoginProofs,
        by grant: GrantLabel
    ) async throws(Problem) -> MintedSession {
        // Who holds a key can be anybody anywhere. How it stands is not for each device to know.
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
        if let token = assertion.pushToken, let device {
            await PushTokenClaim(token: token, app: assertion.app).register(
                device,
                by: minted.session,
                brand,
                self
            )
        }
        return minted
    }

    /// The session that had an assertion signed, if one had.
    func signingSession(of assertion: VerifiedAssertion) async throws(Problem) -> StoredSession? {
        guard let hash = assertion.session else { return nil }
        let session: StoredSession
        do { session = try await services.sessions.session(tokenHash: hash, brand: assertion.brand) } catch {
            throw Problem(error)
        }
        guard session.consumer == assertion.consumer else { throw Problem(AuthenticationError.tokenInvalid(.revoked)) }
        return session
    }

    /// Lets in somebody without an identity, where the brand allows it.
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

    /// Opens a session for a consumer who is known to be one.
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
    /// An anonymous login where the brand allows none.
    static let noAnonymousConsumers = Problem(.forbidden, "The brand does not allow anonymous consumers.")
}

package import GatewayModel
package import GatewayStorage
import Synchronization

/// The consumers' sessions: opaque tokens with 256 random bits, of which only the SHA-256 is stored.
///
/// Lookups use a bounded cache. The store reports the sessions that this gateway or another has ended, and they are
/// removed from the cache before the call that ended them returns. A lookup that began before cannot bring them back
/// (every end increments the generation). Thread-safe.
package final class SessionService: Sendable {
    private struct Cache {
        var sessions: SessionCache
        var generation: UInt64 = 0
    }

    private let store: any SessionStore
    private let directory: Directory
    private let writer: any SessionWriter
    private let clock: any GatewayClock
    private let cache: Mutex<Cache>
    private let tokens: SessionToken
    private let listeners = Mutex<[@Sendable (SessionEnd) -> Void]>([])

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: The store of sessions.
    ///   - directory: The brands with their lifetimes.
    ///   - writer: The writer that makes changes durable.
    ///   - clock: The clock for expiry.
    ///   - cacheLimit: The maximum of sessions in memory, about 500 bytes each with ids of 36 characters.
    package init(
        store: any SessionStore,
        directory: Directory,
        writer: any SessionWriter,
        clock: any GatewayClock,
        cacheLimit: Int = 100_000
    ) {
        self.store = store
        self.directory = directory
        self.writer = writer
        self.clock = clock
        tokens = SessionToken(key: directory.derivedKey(for: "session token"))
        cache = Mutex(Cache(sessions: SessionCache(limit: cacheLimit)))
        store.onSessionEnd { [weak self] end in self?.receive(end) }
    }

    /// Authenticates the session of a token.
    ///
    /// - Parameters:
    ///   - token: The bearer token.
    ///   - brand: The brand of the path; another brand's session is rejected like an unknown one. Nil for a path
    ///     without a brand.
    /// - Returns: A live session.
    /// - Throws: `refused` with `token_expired` or `token_invalid`, or `storage`.
    package func authenticate(token: String, brand: BrandID?) async throws(SessionError) -> StoredSession {
        guard let hash = SessionToken.hash(of: token) else { throw .refused(.tokenInvalid(.malformed)) }
        let session = try await find(hash)
        if session == nil, tokens.hasExpired(token, now: clock.now) { throw .refused(.tokenExpired) }
        return try check(session, brand)
    }

    /// Authenticates the session that something is bound to.
    ///
    /// - Parameters:
    ///   - hash: The SHA-256 of its token.
    ///   - brand: The brand of the session; nil for any.
    /// - Returns: A live session.
    /// - Throws: `refused` with `token_expired` or `token_invalid`, or `storage`.
    package func session(tokenHash hash: [UInt8], brand: BrandID?) async throws(SessionError) -> StoredSession {
        try check(try await find(hash), brand)
    }

    /// Returns the session of a token, also an expired one as long as it is stored; it authenticates nobody.
    ///
    /// - Parameter token: The bearer token.
    /// - Returns: Nil when there is none.
    /// - Throws: `storage`.
    package func stored(token: String) async throws(SessionError) -> StoredSession? {
        guard let hash = SessionToken.hash(of: token) else { return nil }
        return try await find(hash)
    }

    /// Returns whether a session is used for the first time in this hour, as far as this node has it in memory; true
    /// only once.
    ///
    /// - Returns: False also when it is not in memory.
    package func isFirstUseOfHour(_ session: StoredSession) -> Bool {
        let hour = Int32(truncatingIfNeeded: clock.now.milliseconds / 3_600_000)
        return cache.withLock { $0.sessions.isFirstUse(SessionCache.Key(session.tokenHash), inHour: hour) }
    }

    /// Throws unless there is a live session of a brand.
    private func check(_ session: StoredSession?, _ brand: BrandID?) throws(SessionError) -> StoredSession {
        guard let session, brand == nil || session.brand == brand else { throw .refused(.tokenInvalid(.revoked)) }
        guard clock.now < session.expiresAt else { throw .refused(.tokenExpired) }
        return session
    }

    /// Returns whether a token's session is in memory, so that it can be authenticated without the store.
    ///
    /// - Returns: True also for a text that is not a session token: the store is not queried for that either.
    package func isCached(_ token: String) -> Bool {
        guard let hash = SessionToken.hash(of: token) else { return true }
        return cache.withLock { $0.sessions.session(SessionCache.Key(hash), tokenHash: hash) != nil }
    }

    /// Opens a session; the consumer is created if it is new.
    ///
    /// If the brand's `singleDevice` is on, a login that names its device ends the consumer's other sessions; one that
    /// names none does so when it registers its device (``DeviceToRegister/singleDevice``). A login with an identifier
    /// merges anonymous consumers (``StoreChange/openSession(_:_:)``).
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: The consumer.
    ///   - device: The device that it is bound to, if any.
    ///   - credential: The credential that opens it and whose revocation ends it; nil for anonymous logins and the
    ///     admin's.
    ///   - isAnonymous: Whether the login had no identity, whose sessions may have a lifetime of their own (R65).
    ///   - limit: The latest end, for any lifetime of the brand; nil for none.
    ///   - signer: The token hash of the session for which the login's assertion was signed; nil for none.
    ///   - assertion: The content of the login's assertion; nil for a login without one.
    ///   - proofs: The proofs that the login sends with its identity.
    /// - Returns: The session with its token.
    /// - Throws: `unknownBrand`, `refused` when the credential is no longer active, the limit has passed, the signing
    ///   session has ended or a single-use assertion was presented before, or `storage`.
    package func open(
        brand: BrandID,
        consumer: ConsumerID,
        device: DeviceID?,
        credential: String? = nil,
        isAnonymous: Bool = false,
        expiresNoLaterThan limit: Timestamp? = nil,
        signedBy signer: [UInt8]? = nil,
        assertion: LoginAssertion? = nil,
        proofs: LoginProofs = LoginProofs()
    ) async throws(SessionError) -> MintedSession {
        guard let settings = directory.brand(brand)?.settings else { throw .unknownBrand }
        let now = clock.now
        let lifetime = isAnonymous ? settings.anonymousSessionTtlSeconds : nil
        let end = now.adding(seconds: lifetime ?? settings.sessionTtlSeconds)
        let expiresAt = min(end, limit ?? end)
        guard now < expiresAt else { throw .refused(.tokenExpired) }
        let token = tokens.make(expiresAt: expiresAt)
        var session = StoredSession(
            tokenHash: SecretHash.sha256(token.utf8),
            brand: brand,
            consumer: consumer,
            device: device,
            credential: credential,
            expiresAt: expiresAt,
            createdAt: now
        )
        var terms = LoginTerms(settings)
        terms.signedBy = signer
        terms.assertion = assertion
        terms.anonymousToken = proofs.anonymousToken.flatMap(SessionToken.hash)
        terms.currentToken = proofs.currentToken
        let opening: SessionOpening
        switch try await perform(.openSession(session, terms)) {
        case .sessionOpened(let done): opening = done
        case .alreadyPresented: throw .refused(.tokenInvalid(.reused))
        case .credentialRevoked, .sessionEnded: throw .refused(.tokenInvalid(.revoked))
        default: throw .unknownBrand
        }
        session.consumer = opening.consumer
        return MintedSession(
            token: token,
            // Seconds are rounded up: no session is opened for zero seconds.
            expiresInSeconds: (expiresAt.milliseconds - now.milliseconds + 999) / 1000,
            session: session,
            anonymous: opening.anonymous,
            merged: !opening.merged.isEmpty
        )
    }

    /// Merges a consumer into another, whose sessions end.
    ///
    /// - Returns: `merged`, `notMerged` or `notFound`.
    /// - Throws: `storage`.
    package func merge(_ request: MergeRequest) async throws(SessionError) -> StoreChangeResult {
        try await perform(.merge(request))
    }

    /// Ends the session of a token (logout).
    ///
    /// - Parameters:
    ///   - token: The bearer token.
    ///   - unregister: The effect on the device's registrations.
    /// - Returns: The ended sessions; none when there was no such session.
    /// - Throws: `refused` for a text that is not a session token, or `storage`.
    package func end(token: String, unregister: UnregisterScope) async throws(SessionError) -> EndedSessions {
        guard let hash = SessionToken.hash(of: token) else { throw .refused(.tokenInvalid(.malformed)) }
        return Self.ended(try await perform(.endSession(tokenHash: hash, unregister: unregister)))
    }

    /// Ends a consumer's sessions (remote logout).
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: The consumer.
    ///   - device: The device whose sessions end, together with those bound to none; nil for all.
    ///   - unregister: The effect on the registrations.
    ///   - audit: The entry for the audit trail.
    /// - Returns: The ended sessions.
    /// - Throws: `storage`.
    package func endAll(
        brand: BrandID,
        consumer: ConsumerID,
        device: DeviceID?,
        unregister: UnregisterScope,
        audit: AuditEntry? = nil
    ) async throws(SessionError) -> EndedSessions {
        Self.ended(
            try await perform(
                .endSessions(
                    brand: brand,
                    consumer: consumer,
                    device: device,
                    unregister: unregister,
                    audit: audit
                )
            )
        )
    }

    private func perform(_ change: StoreChange) async throws(SessionError) -> StoreChangeResult {
        do { return try await writer.perform(change) } catch { throw .storage(error) }
    }

    // MARK: Listeners

    /// Registers a listener for sessions that may have ended, after they were removed from the cache.
    ///
    /// - Parameter listener: Called on a thread of the store: must not block. Whether a session is live is returned by
    ///   ``session(tokenHash:brand:)``.
    package func onEnd(_ listener: @escaping @Sendable (SessionEnd) -> Void) {
        listeners.withLock { $0.append(listener) }
    }

    /// Removes sessions that may have ended from the cache, which are read again when needed, and notifies the
    /// listeners.
    private func receive(_ end: SessionEnd) {
        cache.withLock { cache in
            cache.generation += 1
            switch end {
            case .consumer(let name): cache.sessions.remove(brand: name.brand, consumer: name.consumer)
            case .brand(let brand): cache.sessions.remove(brand: brand)
            case .credential(let id): cache.sessions.remove(credential: id)
            }
        }
        for listener in listeners.withLock({ $0 }) { listener(end) }
    }

    /// The number of sessions in memory.
    package var cachedSessions: Int { cache.withLock { $0.sessions.count } }

    private func find(_ hash: [UInt8]) async throws(SessionError) -> StoredSession? {
        let key = SessionCache.Key(hash)
        let (known, generation) = cache.withLock { ($0.sessions.session(key, tokenHash: hash), $0.generation) }
        if let known { return known }
        let stored: StoredSession?
        do { stored = try await store.session(tokenHash: hash) } catch { throw .storage(error) }
        guard let stored else { return nil }
        let now = clock.now
        cache.withLock { cache in
            // Some session ended meanwhile, perhaps this one: the row may be out of date.
            guard cache.generation == generation, now < stored.expiresAt else { return }
            cache.sessions.insert(stored, key, now: now)
        }
        return stored
    }

    private static func ended(_ result: StoreChangeResult) -> EndedSessions {
        if case .sessionsEnded(let ended) = result { ended } else { EndedSessions() }
    }
}

internal import GatewayModel
internal import GatewayStorage

/// Sessions that are opened, and those that a logout ends.
extension TurnRows {
    /// Opens a session.
    mutating func open(
        _ session: StoredSession,
        _ terms: LoginTerms,
        _ context: inout TurnContext
    ) throws(Failure) -> StoreChangeResult {
        guard let brand = try brandKey(session.brand) else { return .notFound }
        let now = context.turn.now
        // It may have been revoked since the assertion was verified.
        if let credential = session.credential, try !isInForce(credential, brand: brand) { return .credentialRevoked }
        let name = BrandedName(brand: brand, id: session.consumer.rawValue)
        let known = try self.consumer(name)
        // The session that requested the assertion may have ended, too.
        if let signer = terms.signedBy, try !isLive(signer, of: known?.key, at: now) { return .sessionEnded }
        // The last check: an assertion that another check rejects may be presented again.
        if let code = terms.assertion?.presentation, try !markUsed(code, at: now) { return .alreadyPresented }
        let consumer: KnownConsumer
        if let assertion = terms.assertion {
            consumer = try upsert(name, assertion.profile, isAnonymous: assertion.anonymous, at: now)
        } else if let known {
            consumer = known
        } else {
            consumer = try makeConsumer(name, isAnonymous: false, at: now)
        }
        var opening = try logIn(consumer, session, terms, &context)
        // Room for one more session of the consumer.
        opening.endedSessions += try endOldestSessions(of: consumer.key, beyond: SessionLimits.perConsumer - 1)
        noteEnds(opening, session.brand, &context)
        let proofEnd = session.expiresAt.adding(seconds: 86_400 * terms.anonymousMergeDays)
        let oneDayAfter = session.expiresAt.adding(seconds: 86_400)
        try insert(session, of: consumer, keptUntil: opening.anonymous ? max(proofEnd, oneDayAfter) : nil)
        // A session with a requested assertion was not minted by the account.
        if terms.signedBy == nil, let account = session.credential {
            try countMinted(by: account, brand: brand, session.brand, at: session.createdAt)
        }
        return .sessionOpened(opening)
    }

    /// Records the sessions that a login or a merge has ended.
    func noteEnds(_ opening: SessionOpening, _ brand: BrandID, _ context: inout TurnContext) {
        guard opening.endedSessions > 0 else { return }
        context.noteEnd(brand, opening.consumer)
        for merge in opening.merged { context.noteEnd(brand, merge.id) }
    }

    /// Ends a session by its own logout; its device, if it is bound to one, gets no pushes of the scope any more.
    mutating func endSession(
        _ tokenHash: [UInt8],
        _ scope: UnregisterScope,
        _ context: inout TurnContext
    ) throws(Failure) -> StoreChangeResult {
        guard let session = try endSession(tokenHash) else { return .notFound }
        try keepAnonymous(session.consumer, from: context.turn.now)
        context.noteEnd(session.brand, session.name)
        var ended = EndedSessions(count: 1)
        // A session is bound to the device that it registers: one without a device has registered none (R198).
        if let device = session.device {
            ended.registrations = try unregister(session.consumer, app: nil, device: device, scope, .logout, &context)
        }
        return .sessionsEnded(ended)
    }

    /// Ends a consumer's sessions by a back-end's logout, on one device or on all.
    mutating func endSessions(
        _ brand: BrandID,
        _ consumer: ConsumerID,
        _ device: DeviceID?,
        _ scope: UnregisterScope,
        _ audit: AuditEntry?,
        _ context: inout TurnContext
    ) throws(Failure) -> StoreChangeResult {
        guard let found = try self.consumer(brand, consumer) else { return .sessionsEnded(EndedSessions()) }
        let count = try endSessions(of: found.key, on: device)
        if count > 0 {
            try keepAnonymous(found.key, from: context.turn.now)
            context.noteEnd(brand, ConsumerID(trusted: found.name.id))
        }
        try write(audit)
        let ended = try unregister(found.key, app: nil, device: device, scope, .remoteLogout, &context)
        return .sessionsEnded(EndedSessions(count: count, registrations: ended))
    }
}

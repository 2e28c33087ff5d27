import GatewayModel
import GatewayStorage
import TurnRules

/// Opening and ending sessions.
extension Writer {
    func open(
        _ session: StoredSession,
        _ terms: LoginTerms,
        _ context: inout TurnContext
    ) throws -> StoreChangeResult {
        guard let brand = try brandKey(session.brand) else { return .notFound }
        // It may have been revoked since the assertion was verified.
        if let credential = session.credential, try !isInForce(credential, brand: brand) { return .credentialRevoked }
        let name = BrandedName(brand: brand, id: session.consumer.rawValue)
        let known = try self.consumer(name)
        // The session that requested the assertion may have ended, too.
        if let signer = terms.signedBy, try !isLive(signer, of: known?.key, at: context.turn.now) {
            return .sessionEnded
        }
        // The last check: an assertion that another check rejects may be presented again.
        if let code = terms.assertion?.presentation, try !markUsed(code, at: context.turn.now) {
            return .alreadyPresented
        }
        let consumer: KnownConsumer
        if let assertion = terms.assertion {
            consumer = try upsert(name, assertion.profile, isAnonymous: assertion.anonymous, at: context.turn.now)
        } else {
            consumer = try known ?? makeConsumer(name, at: context.turn.now)
        }
        var rows = self
        var opening = try rows.logIn(consumer, session, terms, &context)
        try endOldest(of: consumer.key, &opening)
        noteEnds(opening, session.brand)
        let proofEnd = opening.anonymous ? session.expiresAt.adding(seconds: 86_400 * terms.anonymousMergeDays) : nil
        let oneDayAfter = session.expiresAt.adding(seconds: 86_400)
        try db.prepare(
            """
            INSERT INTO sessions (token_hash, brand, consumer, device, credential, expires_at, created_at, kept_until) \
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        .blob(session.tokenHash).int(brand).int(consumer.key).text(session.device?.rawValue).text(session.credential)
        .int(session.expiresAt.milliseconds).int(session.createdAt.milliseconds)
        .int(proofEnd.map { max($0, oneDayAfter).milliseconds }).run()
        // A session with a requested assertion was not minted by the account.
        if terms.signedBy == nil, let account = session.credential {
            try countMinted(by: account, brand: brand, session.brand, at: session.createdAt)
        }
        return .sessionOpened(opening)
    }

    private func isInForce(_ credential: String, brand: Int64) throws -> Bool {
        let row = try db.prepare("SELECT 1 FROM credentials WHERE id = ? AND brand = ? AND revoked_at IS NULL")
            .text(credential).int(brand)
        defer { row.end() }
        return try row.next()
    }

    func isAnonymous(_ consumer: Int64) throws -> Bool {
        let row = try db.prepare("SELECT anonymous FROM consumers WHERE key = ?").int(consumer)
        defer { row.end() }
        return try row.next() && row.int64(0) != 0
    }

    /// Whether a session belongs to a consumer and has not ended.
    func isLive(_ tokenHash: [UInt8], of consumer: Int64?, at now: Timestamp) throws -> Bool {
        guard let consumer else { return false }
        let row = try db.prepare(
            """
            SELECT 1 FROM sessions s WHERE s.token_hash = ? AND s.consumer = ? AND s.expires_at > ? AND \
            (s.credential IS NULL OR EXISTS (SELECT 1 FROM credentials c WHERE c.id = s.credential AND c.revoked_at IS NULL))
            """
        ).blob(tokenHash).int(consumer).int(now.milliseconds)
        defer { row.end() }
        return try row.next()
    }

    /// Whether a session is bound to another device.
    func isBound(_ session: [UInt8], elsewhereThan device: String) throws -> Bool {
        let row = try db.prepare("SELECT 1 FROM sessions WHERE token_hash = ? AND device != ?").blob(session).text(
            device
        )
        defer { row.end() }
        return try row.next()
    }

    /// Binds a session to its device, if it is bound to none; returns the number of bound sessions.
    func bind(_ session: [UInt8], to device: String) throws -> Int {
        try db.prepare("UPDATE sessions SET device = ? WHERE token_hash = ? AND device IS NULL")
            .text(device).blob(session).run()
        return db.changedRows
    }

    /// Ends the sessions that a consumer had opened before one; returns their number.
    ///
    /// Where a consumer may have one device, the registration of a login that names none identifies its device. A later
    /// login stays, and ends this one when it registers.
    func endSessions(of consumer: Int64, before session: [UInt8]) throws -> Int {
        try db.prepare(
            """
            DELETE FROM sessions WHERE consumer = ?1 AND token_hash != ?2 \
            AND created_at <= (SELECT created_at FROM sessions WHERE token_hash = ?2)
            """
        ).int(consumer).blob(session).run()
        return db.changedRows
    }

    /// Makes room for one more session of a consumer.
    private func endOldest(of consumer: Int64, _ opening: inout SessionOpening) throws {
        try db.prepare(
            """
            DELETE FROM sessions WHERE token_hash IN (SELECT token_hash FROM sessions WHERE consumer = ? \
            ORDER BY created_at DESC, token_hash LIMIT -1 OFFSET ?)
            """
        ).int(consumer).int(SessionLimits.perConsumer - 1).run()
        opening.endedSessions += db.changedRows
    }

    /// Records the sessions that a login or a merge has ended.
    func noteEnds(_ opening: SessionOpening, _ brand: BrandID) {
        guard opening.endedSessions > 0 else { return }
        for consumer in [opening.consumer] + opening.merged.map(\.id) { noteEnd(brand, consumer) }
    }

    /// Records that sessions of a consumer have ended.
    func noteEnd(_ brand: BrandID, _ consumer: ConsumerID) {
        endedSessions.insert(.consumer(ConsumerName(brand: brand, consumer: consumer)))
    }

    /// Ends all sessions of a consumer; returns their number.
    func endSessions(of consumer: Int64) throws -> Int {
        try db.prepare("DELETE FROM sessions WHERE consumer = ?").int(consumer).run()
        return db.changedRows
    }

    func endSession(
        _ tokenHash: [UInt8],
        _ scope: UnregisterScope,
        _ context: inout TurnContext
    ) throws -> StoreChangeResult {
        let row = try db.prepare(
            """
            SELECT s.consumer, s.device, u.id, b.id FROM sessions s JOIN consumers u ON u.key = s.consumer \
            JOIN brands b ON b.key = u.brand WHERE s.token_hash = ?
            """
        ).blob(tokenHash)
        guard try row.next() else { return .notFound }
        let (consumer, device) = (row.int64(0), row.optionalString(1))
        let (name, brand) = (ConsumerID(trusted: row.string(2)), BrandID(trusted: row.string(3)))
        row.end()
        try db.prepare("DELETE FROM sessions WHERE token_hash = ?").blob(tokenHash).run()
        try keepAnonymous(consumer, from: context.turn.now)
        noteEnd(brand, name)
        var ended = EndedSessions(count: 1)
        // A session is bound to the device that it registers: one without a device has registered none (R198).
        if let device {
            var rows = self
            let device = DeviceID(trusted: device)
            ended.registrations = try rows.unregister(consumer, app: nil, device: device, scope, .logout, &context)
        }
        return .sessionsEnded(ended)
    }

    func endSessions(
        _ brand: BrandID,
        _ consumer: ConsumerID,
        _ device: DeviceID?,
        _ scope: UnregisterScope,
        _ audit: AuditEntry?,
        _ context: inout TurnContext
    ) throws -> StoreChangeResult {
        guard let key = try brandKey(brand),
            let found = try self.consumer(BrandedName(brand: key, id: consumer.rawValue))
        else { return .sessionsEnded(EndedSessions()) }
        // A session that is bound to no device may be used on any: it ends with each of them.
        try db.prepare("DELETE FROM sessions WHERE consumer = ?1 AND (?2 IS NULL OR device IS NULL OR device = ?2)")
            .int(found.key).text(device?.rawValue).run()
        let count = db.changedRows
        if count > 0 {
            try keepAnonymous(found.key, from: context.turn.now)
            noteEnd(brand, ConsumerID(trusted: found.name.id))
        }
        try write(audit)
        var rows = self
        let ended = try rows.unregister(found.key, app: nil, device: device, scope, .remoteLogout, &context)
        return .sessionsEnded(EndedSessions(count: count, registrations: ended))
    }
}

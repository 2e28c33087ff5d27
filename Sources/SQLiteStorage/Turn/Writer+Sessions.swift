import GatewayModel
import GatewayStorage
import TurnRules

/// Opening and ending sessions.
extension Writer {
    func insert(_ session: StoredSession, of consumer: KnownConsumer, keptUntil: Timestamp?) throws {
        try db.prepare(
            """
            INSERT INTO sessions (token_hash, brand, consumer, device, credential, expires_at, created_at, kept_until) \
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        .blob(session.tokenHash).int(consumer.name.brand).int(consumer.key).text(session.device?.rawValue)
        .text(session.credential).int(session.expiresAt.milliseconds).int(session.createdAt.milliseconds)
        .int(keptUntil?.milliseconds).run()
    }

    func isInForce(_ credential: String, brand: Int64) throws -> Bool {
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

    func isBound(_ session: [UInt8], elsewhereThan device: DeviceID) throws -> Bool {
        let row = try db.prepare("SELECT 1 FROM sessions WHERE token_hash = ? AND device != ?").blob(session)
            .text(device.rawValue)
        defer { row.end() }
        return try row.next()
    }

    func bind(_ session: [UInt8], to device: DeviceID) throws -> Int {
        try db.prepare("UPDATE sessions SET device = ? WHERE token_hash = ? AND device IS NULL")
            .text(device.rawValue).blob(session).run()
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

    func endOldestSessions(of consumer: Int64, beyond most: Int) throws -> Int {
        try db.prepare(
            """
            DELETE FROM sessions WHERE token_hash IN (SELECT token_hash FROM sessions WHERE consumer = ? \
            ORDER BY created_at DESC, token_hash LIMIT -1 OFFSET ?)
            """
        ).int(consumer).int(most).run()
        return db.changedRows
    }

    func endSessions(of consumer: Int64) throws -> Int {
        try db.prepare("DELETE FROM sessions WHERE consumer = ?").int(consumer).run()
        return db.changedRows
    }

    func endSessions(of consumer: Int64, on device: DeviceID?) throws -> Int {
        try db.prepare("DELETE FROM sessions WHERE consumer = ?1 AND (?2 IS NULL OR device IS NULL OR device = ?2)")
            .int(consumer).text(device?.rawValue).run()
        return db.changedRows
    }

    func endSession(_ tokenHash: [UInt8]) throws -> EndedSession? {
        let row = try db.prepare(
            """
            SELECT s.consumer, s.device, u.id, b.id FROM sessions s JOIN consumers u ON u.key = s.consumer \
            JOIN brands b ON b.key = u.brand WHERE s.token_hash = ?
            """
        ).blob(tokenHash)
        guard try row.next() else { return nil }
        let ended = EndedSession(
            consumer: row.int64(0),
            brand: BrandID(trusted: row.string(3)),
            name: ConsumerID(trusted: row.string(2)),
            device: row.optionalString(1).map(DeviceID.init(trusted:))
        )
        row.end()
        try db.prepare("DELETE FROM sessions WHERE token_hash = ?").blob(tokenHash).run()
        return ended
    }
}

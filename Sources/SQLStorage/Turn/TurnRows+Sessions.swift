package import GatewayModel
package import GatewayStorage
package import TurnRules

/// Opening and ending sessions.
extension TurnRows where Self: SQLTransaction {
    package func insert(_ session: StoredSession, of consumer: KnownConsumer, keptUntil: Timestamp?) throws {
        try db.prepare(
            """
            INSERT INTO sessions (token_hash, brand, consumer, device, credential, expires_at, created_at, kept_until) \
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        .blob(session.tokenHash).int(consumer.name.brand).int(consumer.key).text(session.device?.rawValue)
        .text(session.credential).time(session.expiresAt).time(session.createdAt).time(keptUntil).run()
    }

    package func isInForce(_ credential: String, brand: Int64) throws -> Bool {
        try db.prepare("SELECT 1 FROM credentials WHERE id = ? AND brand = ? AND revoked_at IS NULL")
            .text(credential).int(brand).hasRow()
    }

    package func isLive(_ session: [UInt8], of consumer: Int64?, at now: Timestamp) throws -> Bool {
        guard let consumer else { return false }
        return try db.prepare(
            """
            SELECT 1 FROM sessions s WHERE s.token_hash = ? AND s.consumer = ? AND s.expires_at > ? AND \
            (s.credential IS NULL OR EXISTS (SELECT 1 FROM credentials c WHERE c.id = s.credential AND c.revoked_at IS NULL))
            """
        ).blob(session).int(consumer).time(now).hasRow()
    }

    package func isBound(_ session: [UInt8], elsewhereThan device: DeviceID) throws -> Bool {
        try db.prepare("SELECT 1 FROM sessions WHERE token_hash = ? AND device <> ?").blob(session)
            .text(device.rawValue).hasRow()
    }

    package func bind(_ session: [UInt8], to device: DeviceID) throws -> Int {
        try db.prepare("UPDATE sessions SET device = ? WHERE token_hash = ? AND device IS NULL")
            .text(device.rawValue).blob(session).runCounting()
    }

    /// Ends the sessions that a consumer had opened before one; returns their number.
    ///
    /// Where a consumer may have one device, the registration of a login that names none identifies its device. A later
    /// login stays, and ends this one when it registers.
    package func endSessions(of consumer: Int64, before session: [UInt8]) throws -> Int {
        try db.prepare(
            """
            DELETE FROM sessions WHERE consumer = ?1 AND token_hash <> ?2 \
            AND created_at <= (SELECT created_at FROM sessions WHERE token_hash = ?2)
            """
        ).int(consumer).blob(session).runCounting()
    }

    package func endOldestSessions(of consumer: Int64, beyond most: Int) throws -> Int {
        try db.prepare(
            """
            DELETE FROM sessions WHERE token_hash IN (SELECT token_hash FROM sessions WHERE consumer = ? \
            ORDER BY created_at DESC, token_hash LIMIT 9223372036854775807 OFFSET ?)
            """
        ).int(consumer).int(most).runCounting()
    }

    package func endSessions(of consumer: Int64) throws -> Int {
        try db.prepare("DELETE FROM sessions WHERE consumer = ?").int(consumer).runCounting()
    }

    package func endSessions(of consumer: Int64, on device: DeviceID?) throws -> Int {
        try db.prepare("DELETE FROM sessions WHERE consumer = ?1 AND (?2 IS NULL OR device IS NULL OR device = ?2)")
            .int(consumer).text(device?.rawValue).runCounting()
    }

    package func endSession(_ tokenHash: [UInt8]) throws -> EndedSession? {
        let ended = try db.prepare(
            """
            SELECT s.consumer, s.device, u.id, b.id FROM sessions s JOIN consumers u ON u.key = s.consumer \
            JOIN brands b ON b.key = u.brand WHERE s.token_hash = ?
            """
        ).blob(tokenHash).first { row in
            let device: String? = try row.value(1)
            return EndedSession(
                consumer: try row.value(0),
                brand: BrandID(trusted: try row.value(3)),
                name: ConsumerID(trusted: try row.value(2)),
                device: device.map(DeviceID.init(trusted:))
            )
        }
        if ended != nil { try db.prepare("DELETE FROM sessions WHERE token_hash = ?").blob(tokenHash).run() }
        return ended
    }

    package func keepAnonymous(_ consumer: Int64, from now: Timestamp) throws {
        try db.prepare("UPDATE consumers SET goes_at = ?1 WHERE key = ?2 AND goes_at < ?1")
            .time(now.adding(seconds: Self.anonymousStaySeconds)).int(consumer).run()
    }
}

extension SQLTransaction {
    /// The time after the end of its last session at which an anonymous consumer without stored data is removed, in
    /// seconds.
    package static var anonymousStaySeconds: Int64 { 86_400 }

    /// Removes sessions that expired a day ago, and those of anonymous consumers whose tokens no longer prove a merge.
    ///
    /// - Parameter batch: The batch, with its time and limit.
    /// - Returns: The number of removed sessions, and where to continue; nil at the end of the pass.
    /// - Throws: An error of the engine.
    package func removeSessions(_ batch: HousekeepingBatch) throws -> (removed: Int, next: HousekeepingPosition?) {
        let removed = try db.prepare(
            """
            DELETE FROM sessions WHERE token_hash IN (SELECT token_hash FROM sessions \
            WHERE coalesce(kept_until, expires_at + 86400000) < ? \
            ORDER BY coalesce(kept_until, expires_at + 86400000) LIMIT ?)
            """
        ).time(batch.now).int(batch.limit).runCounting()
        return (removed, removed == batch.limit ? HousekeepingPosition() : nil)
    }
}

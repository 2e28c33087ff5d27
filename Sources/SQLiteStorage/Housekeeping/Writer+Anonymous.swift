import GatewayModel
import GatewayStorage
import SQLStorage
import TurnRules

/// Anonymous consumers without any stored data.
extension Writer {
    /// Examines anonymous consumers whose time has come: removes those without any stored data, and schedules the
    /// others for a later check.
    ///
    /// Found by the time of the check: those that stay cost one check a day.
    func removeAnonymous(_ batch: HousekeepingBatch) throws -> (removed: Int, next: HousekeepingPosition?) {
        let due = try db.prepare(
            "SELECT key FROM consumers INDEXED BY consumers_going WHERE goes_at <= ? ORDER BY goes_at LIMIT ?"
        ).time(batch.now).int(batch.limit).integers()
        var removed = 0
        for key in due where try removeAnonymous(key, now: batch.now) { removed += 1 }
        return (removed, due.count == batch.limit ? HousekeepingPosition() : nil)
    }

    private func removeAnonymous(_ key: Int64, now: Timestamp) throws -> Bool {
        // The data that keeps a consumer. A message is in a conversation, and keeps its deliveries; other deliveries in
        // the log are listed with their consumer; a token that may still prove a merge has its session.
        let row = try db.prepare(
            """
            SELECT u.brand, u.id, u.anonymous AND u.merged_into IS NULL, \
            (SELECT max(expires_at) FROM sessions WHERE consumer = ?1), \
            EXISTS (SELECT 1 FROM conversations WHERE consumer = ?1) \
            OR EXISTS (SELECT 1 FROM resting_conversations WHERE brand = u.brand AND consumer = ?1) \
            OR EXISTS (SELECT 1 FROM registrations WHERE consumer = ?1) \
            OR EXISTS (SELECT 1 FROM delivery_log INDEXED BY delivery_log_alone WHERE indexed = 1 \
            AND (message IS NULL OR message_low IS NOT NULL) AND consumer IN (SELECT key FROM consumers WHERE key = ?1 OR merged_into = ?1)) \
            OR EXISTS (SELECT 1 FROM delivery_log INDEXED BY delivery_log_change WHERE brand = u.brand \
            AND change > coalesce((SELECT indexed FROM log_marks), 0) AND indexed = 0 \
            AND consumer IN (SELECT key FROM consumers WHERE key = ?1 OR merged_into = ?1)) \
            OR EXISTS (SELECT 1 FROM sessions s WHERE s.consumer = ?1 AND s.kept_until > ?2 AND (s.credential IS NULL \
            OR EXISTS (SELECT 1 FROM credentials c WHERE c.id = s.credential AND c.revoked_at IS NULL))) \
            FROM consumers u WHERE u.key = ?1
            """
        ).int(key).int(now.milliseconds)
        guard try row.next() else { return false }
        let name = BrandedName(brand: row.int64(0), id: row.string(1))
        let (isAnonymous, sessionEnd, isKept) = (row.int64(2) != 0, row.optionalInt64(3), row.int64(4) != 0)
        row.end()
        let stay = Self.anonymousStaySeconds
        let restEnd = sessionEnd.map { Timestamp(milliseconds: $0).adding(seconds: stay) }
        if !isAnonymous {
            // It has logged in, or was merged into another.
            try setLook(at: nil, of: key)
        } else if let restEnd, restEnd > now {
            try setLook(at: restEnd, of: key)
        } else if isKept {
            try setLook(at: now.adding(seconds: stay), of: key)
        } else {
            _ = try endSessions(of: key)
            try db.prepare("DELETE FROM consumers WHERE key = ?1 OR merged_into = ?1").int(key).run()
            memory.consumers.remove(name)
            memory.registrations.remove(key)
            return true
        }
        return false
    }

    private func setLook(at time: Timestamp?, of consumer: Int64) throws {
        try db.prepare("UPDATE consumers SET goes_at = ? WHERE key = ?").int(time?.milliseconds).int(consumer).run()
    }
}

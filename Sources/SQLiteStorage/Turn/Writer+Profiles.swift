import GatewayModel
import GatewayStorage
import SQLStorage

/// Profiles of consumers.
extension Writer {
    func update(_ profile: ConsumerProfile, isAnonymous: Bool, of consumer: Int64) throws {
        try db.prepare(
            """
            UPDATE consumers SET name = coalesce(?2, name), email = coalesce(?3, email), phone = coalesce(?4, phone), \
            anonymous = min(anonymous, ?5) WHERE key = ?1
            """
        )
        .int(consumer).text(profile.name).text(profile.email).text(profile.phone).int(isAnonymous ? 1 : 0).run()
    }

    func store(_ change: ProfileChange, of consumer: Int64) throws {
        try db.prepare(
            """
            UPDATE consumers SET name = CASE WHEN ?2 THEN ?3 ELSE name END, email = CASE WHEN ?4 THEN ?5 ELSE email END, \
            phone = CASE WHEN ?6 THEN ?7 ELSE phone END, quiet_hours = CASE WHEN ?8 THEN ?9 ELSE quiet_hours END \
            WHERE key = ?1
            """
        )
        .int(consumer).int(change.name == nil ? 0 : 1).text(change.name ?? nil).int(change.email == nil ? 0 : 1)
        .text(change.email ?? nil).int(change.phone == nil ? 0 : 1).text(change.phone ?? nil)
        .int(change.quietHours == nil ? 0 : 1).text((change.quietHours ?? nil)?.stored).run()
        if change.quietHours != nil { memory.registrations.remove(consumer) }
    }

    func storedConsumer(_ key: Int64) throws -> StoredConsumer? {
        let row = try db.prepare(
            """
            SELECT u.key, u.anonymous, u.name, u.email, u.phone, \
            (SELECT coalesce(sum(c.unread), 0) FROM unread_conversations c WHERE c.consumer = u.key), u.created_at, u.id, u.quiet_hours FROM consumers u WHERE u.key = ?
            """
        ).int(key)
        guard try row.next() else { return nil }
        defer { row.end() }
        return StoredConsumer(
            key: ConsumerKey(row.int64(0)),
            id: ConsumerID(trusted: row.string(7)),
            anonymous: row.int64(1) != 0,
            profile: ConsumerProfile(
                name: row.optionalString(2),
                email: row.optionalString(3),
                phone: row.optionalString(4)
            ),
            unread: row.int64(5),
            createdAt: Timestamp(milliseconds: row.int64(6)),
            quietHours: row.optionalString(8).flatMap(QuietHours.init(stored:))
        )
    }
}

package import GatewayModel
package import GatewayStorage
package import TurnRules

/// Profiles of consumers.
extension TurnRows where Self: SQLTransaction {
    package func isAnonymous(_ consumer: Int64) throws -> Bool {
        try db.prepare("SELECT 1 FROM consumers WHERE key = ? AND anonymous = 1").int(consumer).hasRow()
    }

    package func quietHours(of consumer: Int64) throws -> QuietHours? {
        try db.prepare("SELECT quiet_hours FROM consumers WHERE key = ? AND quiet_hours IS NOT NULL").int(consumer)
            .first { QuietHours(stored: try $0.value(0)) } ?? nil
    }

    package func update(_ profile: ConsumerProfile, isAnonymous: Bool, of consumer: Int64) throws {
        try db.prepare(
            """
            UPDATE consumers SET name = coalesce(?2, name), email = coalesce(?3, email), phone = coalesce(?4, phone), \
            anonymous = CASE WHEN ?5 = 0 THEN 0 ELSE anonymous END WHERE key = ?1
            """
        )
        .int(consumer).text(profile.name).text(profile.email).text(profile.phone).int(isAnonymous ? 1 : 0).run()
    }

    package func store(_ change: ProfileChange, of consumer: Int64) throws {
        try db.prepare(
            """
            UPDATE consumers SET name = CASE WHEN ?2 = 1 THEN ?3 ELSE name END, \
            email = CASE WHEN ?4 = 1 THEN ?5 ELSE email END, phone = CASE WHEN ?6 = 1 THEN ?7 ELSE phone END, \
            quiet_hours = CASE WHEN ?8 = 1 THEN ?9 ELSE quiet_hours END WHERE key = ?1
            """
        )
        .int(consumer).int(change.name == nil ? 0 : 1).text(change.name ?? nil).int(change.email == nil ? 0 : 1)
        .text(change.email ?? nil).int(change.phone == nil ? 0 : 1).text(change.phone ?? nil)
        .int(change.quietHours == nil ? 0 : 1).text((change.quietHours ?? nil)?.stored).run()
        if change.quietHours != nil { forgetRegistrations(of: consumer) }
    }

    package func storedConsumer(_ key: Int64) throws -> StoredConsumer? {
        try db.prepare(
            """
            SELECT u.key, u.anonymous, u.name, u.email, u.phone, (SELECT CAST(coalesce(sum(c.unread), 0) AS BIGINT) \
            FROM unread_conversations c WHERE c.consumer = u.key), u.created_at, u.id, u.quiet_hours \
            FROM consumers u WHERE u.key = ?
            """
        ).int(key).first { try StoredConsumer($0) }
    }
}

extension StoredConsumer {
    /// Reads the columns from the key to the quiet hours.
    init(_ row: some SQLStatement) throws {
        let quietHours: String? = try row.value(8)
        self.init(
            key: ConsumerKey(try row.value(0)),
            id: ConsumerID(trusted: try row.value(7)),
            anonymous: try row.value(1),
            profile: ConsumerProfile(name: try row.value(2), email: try row.value(3), phone: try row.value(4)),
            unread: try row.value(5),
            createdAt: try row.value(6),
            quietHours: quietHours.flatMap(QuietHours.init(stored:))
        )
    }
}

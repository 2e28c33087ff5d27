import GatewayModel
import GatewayStorage

/// Anonymous consumers that turn out to be somebody (R30).
///
/// What a consumer has hangs on its key: its conversations, and its registrations with what is pending for them. Only these
/// get another key; messages, taps and the outbox hang on those, and the delivery log keeps the old key, which leads to
/// the new one. So the work does not grow with the number of messages.
extension Writer {
    /// The anonymous consumers of a device: whose the latest session on it is, if that is still kept, and whose
    /// registrations it has.
    func anonymousConsumers(on device: String, brand: Int64, except consumer: Int64) throws -> [BrandedKey] {
        var found: [BrandedKey] = []
        let rows = try db.prepare(
            """
            SELECT key, id FROM consumers WHERE anonymous = 1 AND merged_into IS NULL AND key != ?3 AND (\
            key = (SELECT consumer FROM sessions WHERE brand = ?1 AND device = ?2 \
            ORDER BY created_at DESC, consumer DESC LIMIT 1) \
            OR key IN (SELECT r.consumer FROM apps a CROSS JOIN registrations r \
            ON r.brand = a.brand AND r.app = a.id AND r.device = ?2 WHERE a.brand = ?1)) ORDER BY key
            """
        ).int(brand).text(device).int(consumer)
        while try rows.next() {
            found.append(BrandedKey(key: rows.int64(0), name: BrandedName(brand: brand, id: rows.string(1))))
        }
        return found
    }

    /// A consumer that is not in memory.
    struct BrandedKey {
        var key: Int64
        var name: BrandedName
    }

    /// Gives everything that an anonymous consumer has to another one, and leaves a row that leads there.
    func merge(
        _ anonymous: BrandedKey,
        into consumer: KnownConsumer,
        _ opening: inout SessionOpening,
        _ context: inout TurnContext
    ) throws {
        // The file must say what the turn has counted so far.
        try flush(&context)
        opening.endedSessions += try endSessions(of: anonymous.key)
        let unread = try unread(of: anonymous.key)
        try db.prepare("UPDATE conversations SET consumer = ? WHERE consumer = ?")
            .int(consumer.key).int(anonymous.key).run()
        try db.prepare("UPDATE registrations SET consumer = ? WHERE consumer = ?")
            .int(consumer.key).int(anonymous.key).run()
        // What an assertion said of it was said of nobody.
        try db.prepare("UPDATE consumers SET merged_into = ?, name = NULL, email = NULL, phone = NULL WHERE key = ?")
            .int(consumer.key).int(anonymous.key).run()
        memory.consumers.remove(anonymous.name)
        memory.registrations.remove(anonymous.key)
        memory.registrations.remove(consumer.key)
        consumer.unread += unread
        consumer.active = .unknown
        context.merged(anonymous.key, into: consumer)
        let quietHours = try quietHours(of: consumer.key)
        // What waits for the end of quiet hours waits for that of another's.
        if try self.quietHours(of: anonymous.key) != quietHours { try requeue(consumer.key, &context) }
        opening.merged.append(
            ConsumerMerge(
                id: ConsumerID(trusted: anonymous.name.id),
                from: ConsumerKey(anonymous.key),
                into: ConsumerKey(consumer.key),
                quietHours: quietHours
            )
        )
    }

    private func quietHours(of consumer: Int64) throws -> QuietHours? {
        let row = try db.prepare("SELECT quiet_hours FROM consumers WHERE key = ?").int(consumer)
        defer { row.end() }
        return try row.next() ? row.optionalString(0).flatMap(QuietHours.init(stored:)) : nil
    }

    private func unread(of consumer: Int64) throws -> Int64 {
        let row = try db.prepare("SELECT coalesce(sum(unread), 0) FROM conversations WHERE consumer = ?").int(consumer)
        defer { row.end() }
        return try row.next() ? row.int64(0) : 0
    }
}

package import GatewayModel
package import GatewayStorage
package import TurnRules

/// Merges of consumers.
///
/// A consumer's data references its key: its conversations, and its registrations with their pending deliveries. Only
/// these get another key. Messages, taps and the outbox reference those, and the delivery log keeps the old key, which
/// leads to the new one. So the work does not grow with the number of messages.
extension TurnRows where Self: SQLTransaction {
    /// Returns the anonymous consumers that a login merges: the one whose session's token it presents, and, where the
    /// brand merges by device, those of the device that it names.
    package func anonymousConsumers(
        of session: StoredSession,
        _ terms: LoginTerms,
        brand: Int64,
        at now: Timestamp
    ) throws -> [BrandedName] {
        var found: [BrandedName] = []
        if let token = terms.anonymousToken {
            let oldest = now.adding(seconds: -86_400 * terms.anonymousMergeDays)
            found += try db.anonymousConsumers(provenBy: token, expiredSince: oldest, brand: brand)
        }
        if terms.anonymousMerge == .device, let device = session.device?.rawValue {
            let onDevice = try db.anonymousConsumers(on: device, brand: brand, at: now)
            found += onDevice.filter { !found.contains($0) }
        }
        return found
    }

    package func mergedNames(of consumer: Int64) throws -> [String] {
        try db.prepare("SELECT id FROM consumers WHERE merged_into = ? ORDER BY key DESC LIMIT ?")
            .int(consumer).int(KnownConsumer.mergedLimit).all { try $0.storedText(0) }
    }

    package func mergedConsumers(into consumer: Int64, limit: Int) throws -> [Int64] {
        try db.prepare("SELECT key FROM consumers WHERE merged_into = ? ORDER BY key DESC LIMIT ?")
            .int(consumer).int(limit).integers()
    }

    package func namesakes(
        of source: KnownConsumer,
        in consumer: KnownConsumer
    ) throws -> [(conversation: Int64, id: String)] {
        try db.prepare(
            """
            SELECT c.key, c.id FROM conversations c WHERE c.consumer = ?1 AND ( \
            EXISTS (SELECT 1 FROM conversations o WHERE o.consumer = ?2 AND o.id = c.id) \
            OR EXISTS (SELECT 1 FROM resting_conversations r WHERE r.brand = ?3 AND r.consumer = ?2 AND r.id = c.id)) \
            ORDER BY c.key
            """
        ).int(source.key).int(consumer.key).int(consumer.name.brand).all { row in
            (conversation: try row.value(0), id: try row.value(1))
        }
    }

    package func rename(_ conversation: Int64, to id: String) throws {
        try db.prepare("UPDATE conversations SET id = ? WHERE key = ?").text(id).int(conversation).run()
    }

    package func move(_ source: KnownConsumer, into consumer: KnownConsumer) throws {
        // Of one without messages only counters are left, and the name is the other consumer's.
        try db.prepare(
            """
            DELETE FROM resting_conversations WHERE brand = ?1 AND consumer = ?2 AND ( \
            EXISTS (SELECT 1 FROM conversations c WHERE c.consumer = ?3 AND c.id = resting_conversations.id) \
            OR id IN (SELECT r.id FROM resting_conversations r WHERE r.brand = ?1 AND r.consumer = ?3))
            """
        ).int(consumer.name.brand).int(source.key).int(consumer.key).run()
        try db.prepare("UPDATE conversations SET consumer = ? WHERE consumer = ?")
            .int(consumer.key).int(source.key).run()
        try db.prepare("UPDATE resting_conversations SET consumer = ? WHERE brand = ? AND consumer = ?")
            .int(consumer.key).int(consumer.name.brand).int(source.key).run()
        try db.prepare("UPDATE registrations SET consumer = ? WHERE consumer = ?")
            .int(consumer.key).int(source.key).run()
        try moveInbox(source.key, into: consumer.key)
        // The profile from its assertion belongs to no consumer any more.
        try db.prepare(
            """
            UPDATE consumers SET merged_into = ?, name = NULL, email = NULL, phone = NULL, quiet_hours = NULL \
            WHERE key = ?
            """
        ).int(consumer.key).int(source.key).run()
        // One step leads to the final consumer.
        try db.prepare("UPDATE consumers SET merged_into = ? WHERE merged_into = ?")
            .int(consumer.key).int(source.key).run()
        forget(source, mergedInto: consumer)
    }

    package func ownConversations(of consumer: Int64, limit: Int) throws -> Int {
        let count = try db.prepare(
            "SELECT count(*) FROM (SELECT 1 FROM conversations WHERE consumer = ? AND own = 1 LIMIT ?) AS found"
        ).int(consumer).int(limit).integer()
        return Int(count ?? 0)
    }
}

extension SQLConnection {
    /// Returns the anonymous consumer of a session that was not ended and did not expire before a moment.
    fileprivate func anonymousConsumers(
        provenBy token: [UInt8],
        expiredSince oldest: Timestamp,
        brand: Int64
    ) throws -> [BrandedName] {
        try prepare(
            """
            SELECT u.id FROM sessions s JOIN consumers u ON u.key = s.consumer \
            WHERE s.token_hash = ? AND s.brand = ? AND s.expires_at >= ? AND u.anonymous = 1 AND u.merged_into IS NULL AND \
            (s.credential IS NULL OR EXISTS (SELECT 1 FROM credentials c WHERE c.id = s.credential AND c.revoked_at IS NULL))
            """
        ).blob(token).int(brand).time(oldest).all { BrandedName(brand: brand, id: try $0.value(0)) }
    }

    /// Returns the anonymous consumers of a device: that of the latest session on it, unless that expired a day ago,
    /// and those of its registrations.
    fileprivate func anonymousConsumers(on device: String, brand: Int64, at now: Timestamp) throws -> [BrandedName] {
        try prepare(
            """
            SELECT id FROM consumers WHERE anonymous = 1 AND merged_into IS NULL AND (\
            key = (SELECT consumer FROM sessions WHERE brand = ?1 AND device = ?2 AND expires_at >= ?3 \
            ORDER BY created_at DESC, consumer DESC LIMIT 1) \
            OR key IN (SELECT consumer FROM registrations \
            WHERE brand = ?1 AND app IN (SELECT id FROM apps WHERE brand = ?1) AND device = ?2 AND state <> 'invalid' \
            AND lane IN (SELECT id FROM lanes))) ORDER BY key
            """
        ).int(brand).text(device).time(now.adding(seconds: -86_400))
            .all { BrandedName(brand: brand, id: try $0.value(0)) }
    }
}

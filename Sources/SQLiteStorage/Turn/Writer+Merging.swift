import GatewayModel
import GatewayStorage
import SQLStorage
import TurnRules

/// Merges of consumers.
///
/// A consumer's data references its key: its conversations, and its registrations with their pending deliveries. Only
/// these get another key. Messages, taps and the outbox reference those, and the delivery log keeps the old key, which
/// leads to the new one. So the work does not grow with the number of messages.
extension Writer {
    /// Returns the anonymous consumers that a login merges: the one whose session's token it presents, and, where the
    /// brand merges by device, those of the device that it names.
    func anonymousConsumers(
        of session: StoredSession,
        _ terms: LoginTerms,
        brand: Int64,
        at now: Timestamp
    ) throws -> [BrandedName] {
        var found: [BrandedName] = []
        if let token = terms.anonymousToken {
            let oldest = now.adding(seconds: -86_400 * terms.anonymousMergeDays)
            found += try anonymousConsumers(provenBy: token, expiredSince: oldest, brand: brand)
        }
        if terms.anonymousMerge == .device, let device = session.device?.rawValue {
            let onDevice = try anonymousConsumers(on: device, brand: brand, at: now)
            found += onDevice.filter { !found.contains($0) }
        }
        return found
    }

    /// Returns the anonymous consumer of a session that was not ended and did not expire before a moment.
    private func anonymousConsumers(
        provenBy token: [UInt8],
        expiredSince oldest: Timestamp,
        brand: Int64
    ) throws -> [BrandedName] {
        let row = try db.prepare(
            """
            SELECT u.id FROM sessions s JOIN consumers u ON u.key = s.consumer \
            WHERE s.token_hash = ? AND s.brand = ? AND s.expires_at >= ? AND u.anonymous = 1 AND u.merged_into IS NULL AND \
            (s.credential IS NULL OR EXISTS (SELECT 1 FROM credentials c WHERE c.id = s.credential AND c.revoked_at IS NULL))
            """
        ).blob(token).int(brand).int(oldest.milliseconds)
        defer { row.end() }
        guard try row.next() else { return [] }
        return [BrandedName(brand: brand, id: row.string(0))]
    }

    /// Returns the anonymous consumers of a device: that of the latest session on it, unless that expired a day ago,
    /// and those of its registrations.
    private func anonymousConsumers(on device: String, brand: Int64, at now: Timestamp) throws -> [BrandedName] {
        var found: [BrandedName] = []
        let rows = try db.prepare(
            """
            SELECT id FROM consumers WHERE anonymous = 1 AND merged_into IS NULL AND (\
            key = (SELECT consumer FROM sessions WHERE brand = ?1 AND device = ?2 AND expires_at >= ?3 \
            ORDER BY created_at DESC, consumer DESC LIMIT 1) \
            OR key IN (SELECT r.consumer FROM apps a CROSS JOIN registrations r \
            ON r.brand = a.brand AND r.app = a.id AND r.device = ?2 AND r.state <> 'invalid' \
            AND r.lane IN (SELECT id FROM lanes) \
            WHERE a.brand = ?1)) ORDER BY key
            """
        ).int(brand).text(device).int(now.adding(seconds: -86_400).milliseconds)
        while try rows.next() { found.append(BrandedName(brand: brand, id: rows.string(0))) }
        return found
    }

    func mergedNames(of consumer: Int64) throws -> [String] {
        var names: [String] = []
        let rows = try db.prepare("SELECT id FROM consumers WHERE merged_into = ? ORDER BY key DESC LIMIT ?")
            .int(consumer).int(KnownConsumer.mergedLimit)
        while try rows.next() { names.append(rows.string(0)) }
        return names
    }

    func namesakes(
        of source: KnownConsumer,
        in consumer: KnownConsumer
    ) throws -> [(conversation: Int64, id: String)] {
        var found: [(conversation: Int64, id: String)] = []
        let rows = try db.prepare(
            """
            SELECT c.key, c.id FROM conversations c WHERE c.consumer = ?1 AND ( \
            EXISTS (SELECT 1 FROM conversations o WHERE o.consumer = ?2 AND o.id = c.id) \
            OR EXISTS (SELECT 1 FROM resting_conversations r WHERE r.brand = ?3 AND r.consumer = ?2 AND r.id = c.id)) \
            ORDER BY c.key
            """
        ).int(source.key).int(consumer.key).int(consumer.name.brand)
        while try rows.next() { found.append((rows.int64(0), rows.string(1))) }
        return found
    }

    func rename(_ conversation: Int64, to id: String) throws {
        try db.prepare("UPDATE conversations SET id = ? WHERE key = ?").text(id).int(conversation).run()
    }

    func move(_ source: KnownConsumer, into consumer: KnownConsumer) throws {
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
        memory.consumers.remove(source.name)
        memory.consumers.grew(by: 16 + source.name.id.utf8.count)
        memory.registrations.remove(source.key)
        memory.registrations.remove(consumer.key)
    }
}

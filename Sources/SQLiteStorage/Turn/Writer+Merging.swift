import GatewayModel
import GatewayStorage
import TurnRules

/// Merges of consumers: anonymous ones that log in (R30), and those that a back-end identifies as the same.
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
        except consumer: Int64,
        _ context: inout TurnContext
    ) throws -> [BrandedKey] {
        var found: [BrandedKey] = []
        if let token = terms.anonymousToken {
            let oldest = context.turn.now.adding(seconds: -86_400 * terms.anonymousMergeDays)
            found += try anonymousConsumers(provenBy: token, expiredSince: oldest, brand: brand)
        }
        if terms.anonymousMerge == .device, let device = session.device?.rawValue {
            let onDevice = try anonymousConsumers(on: device, brand: brand, at: context.turn.now)
            found += onDevice.filter { other in !found.contains { $0.key == other.key } }
        }
        return found.filter { $0.key != consumer }
    }

    /// Returns the anonymous consumer of a session that was not ended and did not expire before a moment.
    private func anonymousConsumers(
        provenBy token: [UInt8],
        expiredSince oldest: Timestamp,
        brand: Int64
    ) throws -> [BrandedKey] {
        let row = try db.prepare(
            """
            SELECT u.key, u.id FROM sessions s JOIN consumers u ON u.key = s.consumer \
            WHERE s.token_hash = ? AND s.brand = ? AND s.expires_at >= ? AND u.anonymous = 1 AND u.merged_into IS NULL AND \
            (s.credential IS NULL OR EXISTS (SELECT 1 FROM credentials c WHERE c.id = s.credential AND c.revoked_at IS NULL))
            """
        ).blob(token).int(brand).int(oldest.milliseconds)
        defer { row.end() }
        guard try row.next() else { return [] }
        return [BrandedKey(key: row.int64(0), name: BrandedName(brand: brand, id: row.string(1)))]
    }

    /// Returns the anonymous consumers of a device: that of the latest session on it, unless that expired a day ago,
    /// and those of its registrations.
    private func anonymousConsumers(on device: String, brand: Int64, at now: Timestamp) throws -> [BrandedKey] {
        var found: [BrandedKey] = []
        let rows = try db.prepare(
            """
            SELECT key, id FROM consumers WHERE anonymous = 1 AND merged_into IS NULL AND (\
            key = (SELECT consumer FROM sessions WHERE brand = ?1 AND device = ?2 AND expires_at >= ?3 \
            ORDER BY created_at DESC, consumer DESC LIMIT 1) \
            OR key IN (SELECT r.consumer FROM apps a CROSS JOIN registrations r \
            ON r.brand = a.brand AND r.app = a.id AND r.device = ?2 AND r.state <> 'invalid' \
            AND r.lane IN (SELECT id FROM lanes) \
            WHERE a.brand = ?1)) ORDER BY key
            """
        ).int(brand).text(device).int(now.adding(seconds: -86_400).milliseconds)
        while try rows.next() {
            found.append(BrandedKey(key: rows.int64(0), name: BrandedName(brand: brand, id: rows.string(1))))
        }
        return found
    }

    /// The registrations of a merged consumer that move with it.
    enum Following {
        case all
        /// Those of one device; none when it is nil. The others end.
        case device(String?)
    }

    /// A consumer that is not in memory.
    struct BrandedKey {
        var key: Int64
        var name: BrandedName
    }

    /// Merges the consumer that a back-end names into another.
    func merge(_ request: MergeRequest, _ context: inout TurnContext) throws -> StoreChangeResult {
        guard let brand = try brandKey(request.brand),
            let consumer = try self.consumer(BrandedName(brand: brand, id: request.consumer.rawValue))
        else { return .notFound }
        let row = try db.prepare("SELECT key, merged_into, anonymous FROM consumers WHERE brand = ? AND id = ?")
            .int(brand).text(request.from.rawValue)
        guard try row.next() else { return .notMerged(.unknown) }
        let (key, into, isSourceAnonymous) = (row.int64(0), row.optionalInt64(1), row.int64(2) != 0)
        row.end()
        guard key != consumer.key else { return .notMerged(.itself) }
        let isAnonymous = try isAnonymous(consumer.key)
        var opening = SessionOpening(consumer: ConsumerID(trusted: consumer.name.id), anonymous: isAnonymous)
        if let into { return into == consumer.key ? .merged(opening) : .notMerged(.elsewhere) }
        guard isSourceAnonymous || !isAnonymous else { return .notMerged(.intoAnonymous) }
        let name = BrandedName(brand: brand, id: request.from.rawValue)
        try merge(BrandedKey(key: key, name: name), into: consumer, .all, &opening, &context)
        noteEnds(opening, request.brand)
        var rows = self
        try rows.release(consumer, request.brand, &context)
        try write(request.audit)
        return .merged(opening)
    }

    /// Moves a consumer's data to another one, and leaves a row that leads there.
    func merge(
        _ source: BrandedKey,
        into consumer: KnownConsumer,
        _ following: Following,
        _ opening: inout SessionOpening,
        _ context: inout TurnContext
    ) throws {
        // The file must hold the turn's counts so far.
        try flush(&context)
        opening.endedSessions += try endSessions(of: source.key)
        if case .device(let device) = following {
            opening.endedRegistrations += try endOthers(than: device, of: source.key, &context)
        }
        let unread = try unread(of: source.key)
        try db.prepare("UPDATE conversations SET consumer = ? WHERE consumer = ?")
            .int(consumer.key).int(source.key).run()
        try db.prepare("UPDATE resting_conversations SET consumer = ? WHERE consumer = ?")
            .int(consumer.key).int(source.key).run()
        try db.prepare("UPDATE registrations SET consumer = ? WHERE consumer = ?")
            .int(consumer.key).int(source.key).run()
        let (theirs, own) = (try quietHours(of: source.key), try quietHours(of: consumer.key))
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
        memory.registrations.remove(source.key)
        memory.registrations.remove(consumer.key)
        consumer.unread += unread
        consumer.active = .unknown
        context.merged(source.key, into: consumer, quietHours: own)
        // Rows that wait for the end of its former quiet hours are evaluated again.
        if theirs != own {
            var rows = self
            try rows.requeue(consumer.key, &context)
        }
        opening.endedRegistrations += try endOldest(of: consumer.key, &context)
        opening.merged.append(
            ConsumerMerge(
                id: ConsumerID(trusted: source.name.id),
                from: ConsumerKey(source.key),
                into: ConsumerKey(consumer.key),
                quietHours: own
            )
        )
    }

    private func quietHours(of consumer: Int64) throws -> QuietHours? {
        let row = try db.prepare("SELECT quiet_hours FROM consumers WHERE key = ?").int(consumer)
        defer { row.end() }
        return try row.next() ? row.optionalString(0).flatMap(QuietHours.init(stored:)) : nil
    }

    /// Returns a consumer's unread count in the file: the sum over the conversations with unread messages, however many
    /// others it has.
    func unread(of consumer: Int64) throws -> Int64 {
        let row = try db.prepare("SELECT coalesce(sum(unread), 0) FROM unread_conversations WHERE consumer = ?")
            .int(consumer)
        defer { row.end() }
        return try row.next() ? row.int64(0) : 0
    }
}

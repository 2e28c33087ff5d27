import GatewayModel
import GatewayStorage
import SQLStorage
import TurnRules

/// The removals of housekeeping; each in a transaction of its own.
extension Writer {
    /// Removes deliveries from the log.
    func removeDeliveries(_ ids: [Int64]) throws -> Int {
        try keepHighMark()
        try keepLastChange()
        var removed = 0
        var deltas = LogDeltas()
        for id in ids {
            // One that is retried meanwhile keeps its attempts.
            guard try removeFromLog(id, isForgotten: true, &deltas) else { continue }
            try db.prepare("DELETE FROM attempts WHERE delivery = ?").int(id).run()
            removed += 1
        }
        try store(deltas)
        try db.prepare(
            """
            DELETE FROM clock_steps WHERE delivery <= min(coalesce((SELECT min(id) FROM delivery_log), 9223372036854775807), \
            coalesce((SELECT min(id) FROM outbox), 9223372036854775807))
            """
        ).run()
        try removeFormerDevices()
        return removed
    }

    /// Removes records of former devices whose deliveries have all left the log; a few thousand at a time.
    private func removeFormerDevices() throws {
        try db.prepare(
            """
            DELETE FROM former_devices WHERE last_delivery <= (SELECT max(last_delivery) FROM (SELECT last_delivery \
            FROM former_devices WHERE last_delivery < coalesce((SELECT min(id) FROM delivery_log), 9223372036854775807) \
            ORDER BY last_delivery LIMIT 2000))
            """
        ).run()
    }

    /// Removes one row of the log and subtracts it from the counts; false when it is removed already.
    ///
    /// One that is removed by retention, and not retried, stays in the counts of its campaign.
    func removeFromLog(_ id: Int64, isForgotten: Bool, _ deltas: inout LogDeltas) throws -> Bool {
        guard let facts = try logFacts(id) else { return false }
        try noteRemoved(id)
        try db.prepare("DELETE FROM delivery_log WHERE id = ?").int(id).run()
        if facts.isIndexed { try deltas.add(facts, -1, words: word) }
        if isForgotten { try deltas.addToCampaign(facts, 1, words: word) }
        return true
    }

    /// Removes messages that have no outbox row, and subtracts the unread ones from the counts.
    func removeMessages(_ keys: [Int64], mark: (brand: Int64, message: Int64)?) throws -> Int {
        try keepHighMark()
        var removed = 0
        var unread: [Int64: Int64] = [:]
        for key in keys {
            let row = try db.prepare(
                """
                SELECT m.low, m.conversation, m.counts AND m.sequence > c.read_sequence FROM messages m \
                JOIN conversations c ON c.key = m.conversation WHERE m.key = ? \
                AND NOT EXISTS (SELECT 1 FROM registrations r JOIN outbox o ON o.registration = r.id \
                WHERE r.consumer = c.consumer AND o.message = m.key)
                """
            ).int(key)
            // A delivery of it may be retried since it was found.
            guard try row.next() else { continue }
            let (low, conversation, isUnread) = (row.int64(0), row.int64(1), row.int64(2) != 0)
            row.end()
            if isUnread { unread[conversation, default: 0] += 1 }
            try removeMessage(key)
            // Its deliveries are listed with its id as long as they are stored.
            try db.prepare("UPDATE delivery_log SET message_low = ? WHERE message = ?").int(low).int(key).run()
            removed += 1
        }
        for (conversation, count) in unread { try lowerUnread(of: conversation, by: count) }
        if let mark {
            try db.prepare("INSERT OR REPLACE INTO message_marks (brand, message) VALUES (?, ?)")
                .int(mark.brand).int(mark.message).run()
        }
        return removed
    }

    func removeMessage(_ key: Int64) throws {
        try db.prepare("DELETE FROM taps WHERE message = ?").int(key).run()
        let row = try db.prepare(
            "DELETE FROM messages WHERE key = ? RETURNING conversation, kind, sequence, previous"
        ).int(key)
        guard try row.next() else { return }
        let (conversation, kind) = (row.int64(0), row.string(1))
        let (sequence, previous) = (row.int64(2), row.int64(3))
        row.end()
        let position = sequence / MessageChains.distance
        var next: MessageLink?
        // The oldest message of a conversation, as most that are removed, is the end of its chain, and needs no place.
        if try chains.link(previous, in: conversation) != nil {
            next = try lead(past: key, at: sequence, to: previous, in: conversation)
        }
        if let next, next.sequence / MessageChains.distance == position {
            try db.prepare(
                "UPDATE message_positions SET message = ? WHERE conversation = ? AND position = ? AND message = ?"
            )
            .int(next.key).int(conversation).int(position).int(key).run()
        } else {
            try db.prepare("DELETE FROM message_positions WHERE conversation = ? AND position = ? AND message = ?")
                .int(conversation).int(position).int(key).run()
        }
        if kind != MessageKind.agent.rawValue { try forgetPending(key, in: conversation) }
    }

    /// Returns the keys of a conversation's newest messages, the newest first.
    func newestMessages(in conversation: Int64, limit: Int) throws -> [Int64] {
        var keys: [Int64] = []
        guard limit > 0, let last = try lastMessage(of: conversation) else { return keys }
        try chains.visit(from: last, in: conversation) { link in
            keys.append(link.key)
            return keys.count < limit
        }
        return keys
    }

    private func lastMessage(of conversation: Int64) throws -> Int64? {
        try db.prepare("SELECT last_message FROM conversation_heads WHERE conversation = ?").int(conversation).integer()
    }

    /// Links what comes after a removed message to the one before it: the next message, or the conversation.
    ///
    /// - Returns: The next message; nil when it was the newest.
    private func lead(
        past key: Int64,
        at sequence: Int64,
        to previous: Int64,
        in conversation: Int64
    ) throws -> MessageLink? {
        guard let last = try lastMessage(of: conversation) else { return nil }
        if last == key {
            try db.prepare("UPDATE conversation_heads SET last_message = ? WHERE conversation = ?")
                .int(previous).int(conversation).run()
            try remembered(conversation)?.conversation?.lastMessage = previous
            return nil
        }
        var next: MessageLink?
        let start = try chains.place(after: sequence, in: conversation)?.message ?? last
        try chains.visit(from: start, in: conversation) { link in
            if link.previous == key { next = link }
            return next == nil && link.sequence > sequence
        }
        if let next {
            try db.prepare("UPDATE messages SET previous = ? WHERE key = ?").int(previous).int(next.key).run()
        }
        return next
    }

    /// Lowers a conversation's count in the file, and in the writer's memory.
    private func lowerUnread(of conversation: Int64, by count: Int64) throws {
        let left =
            try db.prepare("UPDATE conversation_heads SET unread = unread - ? WHERE conversation = ? RETURNING unread")
            .int(count).int(conversation).integer() ?? 0
        try db.prepare("UPDATE conversations SET has_unread = ? WHERE key = ?").int(left > 0 ? 1 : 0)
            .int(conversation).run()
        guard let known = try remembered(conversation) else { return }
        known.consumer.unread -= count
        known.conversation?.unread -= count
        known.conversation?.isIndexed = left > 0
    }

    /// Returns the consumer of a conversation, and the conversation itself, if the writer remembers them.
    private func remembered(_ key: Int64) throws -> (consumer: KnownConsumer, conversation: KnownConversation?)? {
        let row = try db.prepare(
            "SELECT c.brand, u.id FROM conversations c JOIN consumers u ON u.key = c.consumer WHERE c.key = ?"
        ).int(key)
        guard try row.next() else { return nil }
        defer { row.end() }
        guard let consumer = memory.consumers.peek(BrandedName(brand: row.int64(0), id: row.string(1))) else {
            return nil
        }
        return (consumer, consumer.conversations.first { $0.key == key })
    }

    /// Removes ids of events whose day is over, bucket by bucket, the oldest first.
    func removeEventIDs(
        _ batch: HousekeepingBatch,
        keepHours: [BrandID: Int64]
    ) throws -> (removed: Int, next: HousekeepingPosition?) {
        try loadReplays()
        let today = batch.now.milliseconds / 86_400_000
        var oldest: [Int64: Int64] = [:]
        for (brand, hours) in keepHours {
            if let key = try brandKey(brand) { oldest[key] = EventKey.oldestDay(today, hours: hours) }
        }
        var removed = 0
        let first = batch.position?.row ?? .min
        for bucket in replays.buckets.reversed() where bucket >= first && ReplayMemory.day(of: bucket) < today {
            var brand = Int64.min
            while let next = try nextBrand(after: brand, in: bucket) {
                brand = next
                guard let oldest = oldest[brand], ReplayMemory.day(of: bucket) < oldest else { continue }
                removed += try removeEventIDs(brand: brand, bucket: bucket, limit: batch.limit - removed)
                if removed == batch.limit { return (removed, HousekeepingPosition(row: bucket)) }
            }
        }
        return (removed, nil)
    }

    /// Returns the next brand with ids in a bucket.
    private func nextBrand(after brand: Int64, in bucket: Int64) throws -> Int64? {
        let row = try db.prepare("SELECT brand FROM dedupe WHERE day = ? AND brand > ? ORDER BY brand LIMIT 1")
            .int(bucket).int(brand)
        defer { row.end() }
        return try row.next() ? row.int64(0) : nil
    }

    func removeEventIDs(ofDeleted brand: Int64, limit: Int) throws -> Int {
        try loadReplays()
        var removed = 0
        for bucket in replays.buckets where removed < limit {
            removed += try removeEventIDs(brand: brand, bucket: bucket, limit: limit - removed)
        }
        return removed
    }

    /// Removes a brand's ids of a bucket, at most `limit` of them.
    private func removeEventIDs(brand: Int64, bucket: Int64, limit: Int) throws -> Int {
        let removed = try db.prepare(
            """
            DELETE FROM dedupe WHERE day = ?1 AND brand = ?2 AND event <= (SELECT max(event) FROM \
            (SELECT event FROM dedupe WHERE day = ?1 AND brand = ?2 ORDER BY event LIMIT ?3))
            """
        ).int(bucket).int(brand).int(limit).runCounting()
        if removed > 0 { try noteRemoved(from: bucket) }
        return removed
    }
}

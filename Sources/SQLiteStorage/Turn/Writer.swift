import GatewayModel
import GatewayStorage
import SQLStorage
import TurnRules

/// Writes to the database, one transaction at a time; confined to the queue of its connection.
final class Writer: TurnRows, SQLTransaction {
    typealias Failure = any Error

    let db: Connection
    var memory: WriterMemory
    /// The memory of the stored event ids.
    var replays = ReplayMemory()
    /// The numbers of outbound items of the running transaction, by brand.
    var published: [BrandID: Int] = [:]
    /// The sessions that the running transaction has ended.
    var endedSessions: Set<SessionEnd> = []
    /// The running turn's changes of counted rows of the log.
    var counts = LogDeltas()
    /// Where those who follow a log read; nil in a writer of which nothing stays.
    private let recent: RecentChanges?
    /// The logs that are followed.
    private(set) var following = RecentChanges.Following()
    /// The running transaction's changes of those.
    var changed: [RecentChanges.Change] = []
    /// Whether the running transaction has removed rows of a log, or changed the names in it.
    var isLogForgotten = false
    /// The number of messages that were searched for one that replaces a delivery.
    var searchedMessages = 0

    /// The upper bound of the page cache: the pages of the hot path; a page that is not cached is read from the WAL.
    static let cacheKilobytes = 64_000
    /// Its upper bound while devices are imported, if it is not larger already.
    private static let leastCacheKilobytes = 16_000
    /// The time after an import's last device for which the bound stays.
    private static let cacheHeldSeconds: Int64 = 10
    /// The time until which it stays; nil while no devices are imported.
    private var cacheHeldUntil: Timestamp?

    /// Creates a writer with an empty memory.
    ///
    /// - Parameters:
    ///   - db: Its connection.
    ///   - memoryBytes: The memory for consumers.
    ///   - recent: Where those who follow a log read; nil when nothing of it stays.
    init(_ db: Connection, memoryBytes: Int, recent: RecentChanges? = nil) {
        self.db = db
        self.recent = recent
        memory = WriterMemory(limit: memoryBytes)
    }

    /// Empties the memory.
    func forgetAll() {
        memory = WriterMemory(limit: memory.limit)
        forgetFollowed()
    }

    func forgetRegistrations(of consumer: Int64) { memory.registrations.remove(consumer) }

    func forgetUnused(_ name: BrandedName) {
        guard let known = memory.consumers.peek(name), known.conversations.isEmpty, !known.isChanged else { return }
        memory.consumers.remove(name)
        memory.registrations.remove(known.key)
    }

    func forgetCampaigns() { memory.campaigns.removeAll() }

    func forget(conversation: Int64, of consumer: BrandedName) {
        memory.consumers.peek(consumer)?.forget(conversation: conversation)
    }

    func forget(_ consumer: KnownConsumer, mergedInto other: KnownConsumer?) {
        memory.consumers.remove(consumer.name)
        memory.registrations.remove(consumer.key)
        forgetFollowed()
        guard let other else { return }
        memory.consumers.grew(by: 16 + consumer.name.id.utf8.count)
        memory.registrations.remove(other.key)
    }

    func transaction<Value>(_ work: (Writer) throws -> Value) throws -> Value {
        published = [:]
        endedSessions = []
        changed = []
        isLogForgotten = false
        following = recent?.following() ?? RecentChanges.Following()
        if following.brands.isEmpty, !memory.underway.isEmpty { memory.underway = UnderwayDeliveries() }
        try db.prepare("BEGIN IMMEDIATE").run()
        do {
            let value = try work(self)
            let logs = following.isEmpty ? nil : try awaitedLogs()
            try db.prepare("COMMIT").run()
            replays.committed()
            if isLogForgotten { recent?.forgetAll() }
            if let logs { recent?.add(changed, opened: logs.opened, awaited: following.awaited, last: logs.last) }
            return value
        } catch {
            forgetAll()
            recent?.forgetAll()
            replays.rolledBack()
            published = [:]
            endedSessions = []
            db.endAll()
            // Full disks and IO errors roll back by themselves; then there is nothing left to roll back.
            try? db.prepare("ROLLBACK").run()
            throw error
        }
    }

    func commit(_ turn: WriterTurn) throws -> WriterTurnResult {
        // The rules change what they are called on.
        var rows = self
        counts = LogDeltas()
        memory.settle()
        try limitCache(in: turn)
        try checkOwner(turn.incarnation)
        let result = try rows.run(turn)
        for name in result.updates.endedSessions { endedSessions.insert(.consumer(name)) }
        return result
    }

    /// Holds the page cache at its size while devices are imported, and for a while after: an import uses few pages
    /// again, and would fill it.
    private func limitCache(in turn: WriterTurn) throws {
        let isImport = turn.changes.contains { if case .register(let device) = $0 { device.isImported } else { false } }
        if isImport {
            if cacheHeldUntil == nil { try db.limitCache(kilobytes: max(db.cacheKilobytes, Self.leastCacheKilobytes)) }
            cacheHeldUntil = turn.now.adding(seconds: Self.cacheHeldSeconds)
        } else if let until = cacheHeldUntil, turn.now > until {
            cacheHeldUntil = nil
            try db.limitCache(kilobytes: Self.cacheKilobytes)
        }
    }

    func storeCounts(of context: TurnContext) throws {
        try store(counts)
        try store(context.campaigns, at: context.turn.now)
    }

    /// Stores the counters that the turn has changed: one statement for each conversation, however many events it got.
    func flush(_ context: inout TurnContext) throws {
        for conversation in context.takeChanged() {
            try storeHasUnread(conversation)
            try db.prepare(
                "UPDATE conversation_heads SET last_sequence = ?, unread = ?, last_message = ? WHERE conversation = ?"
            )
            .int(conversation.lastSequence).int(conversation.unread).int(conversation.lastMessage)
            .int(conversation.key).run()
            guard conversation.isToBeStored else { continue }
            try db.prepare(
                """
                UPDATE OR FAIL conversations SET read_sequence = ?, last_message = ?, last_spoken = ?, resolved = ? \
                WHERE key = ?
                """
            )
            .int(conversation.readSequence).int(conversation.lastMessage).int(conversation.lastSpoken)
            .int(conversation.isResolved ? 1 : 0).int(conversation.key).run()
            conversation.noteStored()
        }
    }

    /// Stores whether a conversation has unread messages; separate from its numbers, so that those are stored without
    /// its index.
    private func storeHasUnread(_ conversation: KnownConversation) throws {
        let hasUnread = conversation.unread > 0
        guard hasUnread != conversation.isIndexed else { return }
        try db.prepare("UPDATE conversations SET has_unread = ? WHERE key = ?").int(hasUnread ? 1 : 0)
            .int(conversation.key).run()
        conversation.isIndexed = hasUnread
    }

    // MARK: Numbers

    func brandKey(_ brand: BrandID) throws -> Int64? {
        if let known = memory.brands[brand.rawValue] { return known }
        let row = try db.prepare("SELECT key FROM brands WHERE id = ?").text(brand.rawValue)
        guard try row.next() else { return nil }
        let key = row.int64(0)
        row.end()
        memory.brands[brand.rawValue] = key
        return key
    }

    /// Returns the next delivery's number: never a reused one, even if its row is removed.
    func newDelivery() throws -> Int64 {
        if let next = memory.nextDelivery {
            memory.nextDelivery = next + 1
            return next
        }
        let row = try db.prepare(
            """
            SELECT max(coalesce((SELECT max(id) FROM outbox), 0), coalesce((SELECT max(id) FROM delivery_log), 0), \
            coalesce((SELECT last_delivery FROM high_marks), 0))
            """
        )
        _ = try row.next()
        let next = row.int64(0) + 1
        row.end()
        memory.nextDelivery = next + 1
        memory.lastQueuedAt = try lastQueuedAt()
        return next
    }

    /// Returns the time at which the newest stored delivery was queued.
    private func lastQueuedAt() throws -> Int64? {
        let row = try db.prepare(
            """
            SELECT queued_at FROM (SELECT * FROM (SELECT id, queued_at FROM outbox ORDER BY id DESC LIMIT 1) UNION ALL \
            SELECT * FROM (SELECT id, queued_at FROM delivery_log ORDER BY id DESC LIMIT 1)) ORDER BY id DESC LIMIT 1
            """
        )
        defer { row.end() }
        return try row.next() ? row.int64(0) : nil
    }

    /// Records the time at which a new delivery is queued: one before the last leaves a mark.
    func noteQueued(_ id: Int64, at time: Int64) throws {
        if let last = memory.lastQueuedAt, time < last {
            try db.prepare("INSERT INTO clock_steps (delivery) VALUES (?)").int(id).run()
        }
        memory.lastQueuedAt = time
    }

    /// Stores the newest delivery's number and the newest message's key, before such rows are deleted.
    func keepHighMark() throws {
        let newest = try newDelivery()
        memory.nextDelivery = newest
        try db.prepare(
            """
            INSERT OR REPLACE INTO high_marks (id, last_delivery, last_message) VALUES (1, ?, \
            max(coalesce((SELECT max(key) FROM messages), 0), coalesce((SELECT last_message FROM high_marks), 0)))
            """
        ).int(newest - 1).run()
    }
}

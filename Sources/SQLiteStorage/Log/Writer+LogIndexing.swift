import GatewayModel
import GatewayStorage

/// The delivery log's order of changes, its filter indexes and its counts.
///
/// A row enters the log with few indexes: the transaction of the outcome writes only its place in the order of changes
/// and its message. After ``Writer/indexingSize`` changes a separate transaction, after the callers of the outcomes
/// have got their results, sets `indexed` of their rows: they enter SQLite's partial indexes, and they are counted.
/// From then on SQLite maintains the indexes, and the writer the counts, which are at any time those of the rows with
/// `indexed = 1`. Readers scan the rest themselves (DeliverySearch): it is short, and found by the order of changes
/// above `log_marks.indexed`. A crash at any point leaves each row in one of the two states.
extension Writer {
    /// The number of changes that are indexed together: enough that each page of an index is written for several rows,
    /// few enough that a reader scans the rest in well under a millisecond and the writer is held for a few.
    static let indexingSize = 512

    // MARK: Changes

    /// Returns the number of the next change of the log, the first of as many as are asked for; an unused one is not
    /// reused.
    func nextChange(count: Int = 1) throws -> Int64 {
        if memory.log == nil { memory.log = try readLogMemory() }
        let next = memory.log?.nextChange ?? 1
        memory.log?.nextChange = next + Int64(count)
        return next
    }

    /// Records that a row entered the log.
    func noteFinished(_ id: Int64, change: Int64) {
        memory.log?.unindexed.append(LogMemory.Unindexed(change: change, delivery: id))
    }

    /// Records another change of a log row that was read as `before`; corrects the counts that include it.
    func noteChanged(_ id: Int64, _ before: LogFacts?) throws {
        if let next = memory.log?.nextChange { try noteLogged(id, at: next - 1) }
        guard let before, let after = try logFacts(id) else { return }
        guard before.isIndexed else {
            if let last = memory.log?.nextChange { noteFinished(id, change: last - 1) }
            return
        }
        guard before != after else { return }
        try counts.add(before, -1, words: word)
        try counts.add(after, 1, words: word)
    }

    func logFacts(_ id: Int64) throws -> LogFacts? {
        let row = try db.prepare(
            """
            SELECT brand, queued_at, push_type, state, reason, latency, indexed, message, delivered_at, displayed_at, \
            dismissed_at, campaign, badge, sent_at FROM delivery_log WHERE id = ?
            """
        ).int(id)
        guard try row.next() else { return nil }
        defer { row.end() }
        return LogFacts(row)
    }

    /// Returns the log's rows of a message to a device, of any consumer or of one and those merged into it.
    func logRows(message: Int64, device: String, consumer: Int64? = nil) throws -> [Int64] {
        var ids: [Int64] = []
        let rows = try db.prepare(
            """
            SELECT id FROM delivery_log INDEXED BY delivery_log_message \
            WHERE message = ?1 AND device = ?2 AND (?3 IS NULL OR consumer = ?3 \
            OR consumer IN (SELECT key FROM consumers WHERE merged_into = ?3))
            """
        ).int(message).text(device).int(consumer)
        while try rows.next() { ids.append(rows.int64(0)) }
        return ids
    }

    private func readLogMemory() throws -> LogMemory {
        let marks = try db.prepare("SELECT indexed, last_change FROM log_marks")
        var indexed: Int64 = 0
        var last: Int64 = 0
        if try marks.next() { (indexed, last) = (marks.int64(0), marks.int64(1)) }
        marks.end()
        var memory = LogMemory(nextChange: max(indexed, last) + 1, indexedChange: indexed)
        // Rows of a brand that is being removed still exist.
        let brands = try db.prepare("SELECT key FROM brands UNION SELECT key FROM deleted_brands")
        var keys: [Int64] = []
        while try brands.next() { keys.append(brands.int64(0)) }
        for key in keys {
            let rows = try db.prepare(
                """
                SELECT change, id, indexed FROM delivery_log INDEXED BY delivery_log_change \
                WHERE brand = ? AND change > ?
                """
            ).int(key).int(indexed)
            while try rows.next() {
                memory.nextChange = max(memory.nextChange, rows.int64(0) + 1)
                guard rows.int64(2) == 0 else { continue }
                memory.unindexed.append(LogMemory.Unindexed(change: rows.int64(0), delivery: rows.int64(1)))
            }
        }
        memory.unindexed.sort { $0.change < $1.change }
        return memory
    }

    /// Stores the number of the last change, before rows of the log are removed.
    func keepLastChange() throws {
        let next = try nextChange()
        memory.log?.nextChange = next
        try setLogMarks()
    }

    private func setLogMarks() throws {
        guard let log = memory.log else { return }
        try db.prepare("INSERT OR REPLACE INTO log_marks (id, indexed, last_change) VALUES (1, ?, ?)")
            .int(log.indexedChange).int(log.nextChange - 1).run()
    }

    // MARK: Indexing

    /// Whether enough changes have accumulated.
    var isIndexingDue: Bool {
        guard let log = memory.log else { return false }
        return log.nextChange - 1 - log.indexedChange >= Int64(Self.indexingSize)
    }

    /// Indexes and counts the oldest rows that are not, at most twice ``indexingSize`` of them.
    func indexLog() throws {
        guard var log = memory.log else { return }
        let batch = log.unindexed.prefix(2 * Self.indexingSize)
        var deltas = LogDeltas()
        for run in Self.runs(of: batch.map(\.delivery)) {
            // Some may be removed, or named twice; later rows of the range are indexed with them.
            let rows = try db.prepare(
                """
                SELECT brand, queued_at, push_type, state, reason, latency, indexed, message, delivered_at, displayed_at, \
                dismissed_at, campaign, badge, sent_at FROM delivery_log WHERE id BETWEEN ? AND ? AND indexed = 0
                """
            ).int(run.lowerBound).int(run.upperBound)
            while try rows.next() { try deltas.add(LogFacts(rows), 1, words: word) }
            try db.prepare("UPDATE OR FAIL delivery_log SET indexed = 1 WHERE id BETWEEN ? AND ? AND indexed = 0")
                .int(run.lowerBound).int(run.upperBound).run()
        }
        log.unindexed.removeFirst(batch.count)
        log.indexedChange = (log.unindexed.first?.change ?? log.nextChange) - 1
        memory.log = log
        try store(deltas)
        try setLogMarks()
    }

    /// Returns ranges with all of these numbers and few others, so that one statement indexes many rows: the fixed cost
    /// of a statement, opening eight indexes, equals that of a row.
    private static func runs(of deliveries: [Int64]) -> [ClosedRange<Int64>] {
        var runs: [ClosedRange<Int64>] = []
        for id in deliveries.sorted() {
            if let last = runs.last, id - last.upperBound <= 16 {
                runs[runs.count - 1] = last.lowerBound...max(id, last.upperBound)
            } else {
                runs.append(id...id)
            }
        }
        return runs
    }

    // MARK: Counts

    /// Adds to the stored counts.
    func store(_ deltas: LogDeltas) throws {
        for (campaign, delta) in deltas.byCampaign where !delta.isEmpty { try store(delta, ofCampaign: campaign) }
        for (span, delta) in deltas.spans where !delta.isEmpty {
            let row = try db.prepare("SELECT counts FROM log_counts WHERE brand = ? AND unit = ? AND start = ?")
                .int(span.brand).int(span.unit).int(span.start)
            var counts = LogCounts(bytes: try row.next() ? row.bytes(0) : [])
            row.end()
            counts.add(delta)
            if counts.isEmpty {
                try db.prepare("DELETE FROM log_counts WHERE brand = ? AND unit = ? AND start = ?")
                    .int(span.brand).int(span.unit).int(span.start).run()
            } else {
                try db.prepare("INSERT OR REPLACE INTO log_counts (brand, unit, start, counts) VALUES (?, ?, ?, ?)")
                    .int(span.brand).int(span.unit).int(span.start).blob(counts.bytes).run()
            }
        }
    }

    /// Returns the number of a word in the counts: a provider, a state with its marks, or the label of a reason, all of
    /// closed sets.
    func word(_ text: String) throws -> UInt16 {
        if let known = memory.words[text] { return known }
        if memory.words.isEmpty {
            memory.words = try storedWords()
            if let known = memory.words[text] { return known }
        }
        try db.prepare("INSERT INTO log_words (word) VALUES (?)").text(text).run()
        let number = UInt16(clamping: db.lastInsertedRow)
        memory.words[text] = number
        return number
    }

    /// Returns the words that have numbers.
    func storedWords() throws -> [String: UInt16] {
        var words: [String: UInt16] = [:]
        let rows = try db.prepare("SELECT id, word FROM log_words")
        while try rows.next() { words[rows.string(1)] = UInt16(clamping: rows.int64(0)) }
        return words
    }
}

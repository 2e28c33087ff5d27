import GRDB
package import GatewayModel
package import GatewayStorage

extension SQLiteStore {
    package func deliveryStats(
        brand: BrandID,
        window: StatsWindow,
        now: Timestamp
    ) async throws(StorageError) -> DeliveryStats {
        try await read { db in
            guard let handle = db.sqliteConnection else { throw StorageError.closed }
            return try LogStats(handle, brand: brand)?.stats(window, now: now) ?? DeliveryStats()
        }
    }
}

/// Adds up the counts of a brand: those that are stored, and the rows that are not in them yet.
struct LogStats {
    /// The youngest rows of the outbox that are looked at.
    private static let outboxLimit = 2000

    private let db: OpaquePointer
    private let brand: Int64

    init?(_ db: OpaquePointer, brand: BrandID) throws {
        self.db = db
        let row = try Statement(db, "SELECT key FROM brands WHERE id = ?").text(brand.rawValue)
        guard try row.next() else { return nil }
        self.brand = row.int64(0)
    }

    func stats(_ window: StatsWindow, now: Timestamp) throws -> DeliveryStats {
        let start = window.start(now: now).milliseconds
        var words: [String: UInt16] = [:]
        let known = try Statement(db, "SELECT id, word FROM log_words")
        while try known.next() { words[known.string(1)] = UInt16(clamping: known.int64(0)) }

        var counts = LogCounts()
        let stored = try Statement(
            db,
            "SELECT counts FROM log_counts WHERE brand = ? AND unit = ? AND start >= ? AND start <= ?"
        ).int(brand).int(window.unit).int(start).int(now.milliseconds)
        while try stored.next() { counts.add(bytes: stored.bytes(0)) }
        try addUncounted(from: start, through: now.milliseconds, unit: window.unit, to: &counts, &words)

        var stats = DeliveryStats()
        let names = Dictionary(words.map { ($0.value, $0.key) }) { first, _ in first }
        var latencies: [PushType: [UInt32: Int64]] = [:]
        for (key, count) in counts.counts {
            guard let provider = names[key.provider].flatMap(PushType.init(rawValue:)) else { continue }
            if key.state == 0 {
                latencies[provider, default: [:]][key.reason] = count
            } else if let state = names[key.state].flatMap(DeliveryState.init(rawValue:)) {
                let reason = key.reason == 0 ? nil : names[UInt16(clamping: key.reason)]
                stats.finished.append(.init(provider: provider, state: state, reason: reason, count: count))
            }
        }
        for (provider, buckets) in latencies { stats.latency[provider] = Self.latency(buckets) }
        stats.allLatency = Self.latency(
            latencies.values.reduce(into: [:]) { all, buckets in all.merge(buckets, uniquingKeysWith: +) }
        )
        try addUnfinished(from: start, to: &stats)
        return stats
    }

    /// The rows that no batch has counted yet.
    private func addUncounted(
        from start: Int64,
        through now: Int64,
        unit: Int64,
        to counts: inout LogCounts,
        _ words: inout [String: UInt16]
    ) throws {
        let rows = try Statement(
            db,
            """
            SELECT brand, queued_at, push_type, state, reason, latency, indexed \
            FROM delivery_log INDEXED BY delivery_log_change WHERE brand = ? \
            AND change > coalesce((SELECT indexed FROM log_marks), 0) AND indexed = 0
            """
        ).int(brand)
        var deltas = LogDeltas()
        while try rows.next() {
            let facts = LogFacts(rows)
            let span = LogDeltas.Span.floor(facts.queuedAt, unit: unit)
            guard span >= start, span <= now else { continue }
            deltas.add(facts, 1) { text in
                if let known = words[text] { return known }
                // A number of its own for this answer.
                let number = UInt16(clamping: words.count + 1)
                words[text] = number
                return number
            }
        }
        for minute in deltas.byMinute.values { counts.add(minute) }
    }

    private func addUnfinished(from start: Int64, to stats: inout DeliveryStats) throws {
        let rows = try Statement(
            db,
            """
            SELECT r.brand, r.push_type, o.owner IS NOT NULL, o.attempts, o.queued_at FROM outbox o NOT INDEXED \
            JOIN registrations r ON r.id = o.registration ORDER BY o.id DESC LIMIT \(Self.outboxLimit + 1)
            """
        )
        var looked = 0
        while try rows.next() {
            looked += 1
            guard looked <= Self.outboxLimit else {
                stats.isUnfinishedWhole = false
                break
            }
            guard rows.int64(0) == brand, rows.int64(4) >= start, let provider = PushType(rawValue: rows.string(1))
            else { continue }
            let state: DeliveryState = rows.int64(2) != 0 ? .sending : rows.int64(3) > 0 ? .retrying : .pending
            if let index = stats.unfinished.firstIndex(where: { $0.provider == provider && $0.state == state }) {
                stats.unfinished[index].count += 1
            } else {
                stats.unfinished.append(.init(provider: provider, state: state, reason: nil, count: 1))
            }
        }
    }

    private static func latency(_ buckets: [UInt32: Int64]) -> DeliveryStats.Latency {
        var latency = DeliveryStats.Latency()
        latency.count = buckets.values.reduce(0, +)
        guard latency.count > 0 else { return latency }
        let sorted = buckets.sorted { $0.key < $1.key }
        func percentile(_ thousandths: Int64) -> Int64 {
            // The smallest that so many of them do not exceed.
            let rank = (latency.count * thousandths + 999) / 1000
            var seen: Int64 = 0
            for (bucket, count) in sorted {
                seen += count
                if seen >= rank { return LogCounts.longest(in: bucket) }
            }
            return 0
        }
        latency.p50 = percentile(500)
        latency.p90 = percentile(900)
        latency.p99 = percentile(990)
        latency.p999 = percentile(999)
        latency.max = percentile(1000)
        return latency
    }
}

import GatewayModel
import GatewayStorage

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

        var sums = LogSums()
        let stored = try Statement(
            db,
            "SELECT counts FROM log_counts WHERE brand = ? AND unit = ? AND start >= ? AND start <= ?"
        ).int(brand).int(window.unit).int(start).int(now.milliseconds)
        while try stored.next() { stored.withBytes(0) { sums.add($0) } }
        try addUncounted(from: start, through: now.milliseconds, unit: window.unit, to: &sums, &words)

        var stats = DeliveryStats()
        let names = Dictionary(words.map { ($0.value, $0.key) }) { first, _ in first }
        for (key, count) in sums.counts where count != 0 {
            guard let provider = names[key.provider].flatMap(PushType.init(rawValue:)),
                let state = names[key.state].flatMap(DeliveryState.init(rawValue:))
            else { continue }
            let reason = key.reason == 0 ? nil : names[UInt16(clamping: key.reason)]
            stats.finished.append(.init(provider: provider, state: state, reason: reason, count: count))
        }
        var all = [Int64](repeating: 0, count: LogCounts.bucketCount)
        for (number, buckets) in sums.latencies {
            guard let provider = names[number].flatMap(PushType.init(rawValue:)) else { continue }
            stats.latency[provider] = Self.latency(buckets)
            for (bucket, count) in buckets.enumerated() { all[bucket] += count }
        }
        stats.allLatency = Self.latency(all)
        try addUnfinished(from: start, to: &stats)
        return stats
    }

    /// The rows that no batch has counted yet.
    private func addUncounted(
        from start: Int64,
        through now: Int64,
        unit: Int64,
        to sums: inout LogSums,
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
        for minute in deltas.byMinute.values { minute.bytes.withUnsafeBytes { sums.add($0) } }
    }

    private func addUnfinished(from start: Int64, to stats: inout DeliveryStats) throws {
        let rows = try Statement(
            db,
            """
            SELECT r.brand, r.push_type, CASE WHEN o.held THEN 2 ELSE o.owner IS NOT NULL END, o.attempts, o.queued_at \
            FROM outbox o NOT INDEXED \
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
            let state = DeliveryState.unfinished(place: rows.int64(2), attempts: rows.int64(3))
            if let index = stats.unfinished.firstIndex(where: { $0.provider == provider && $0.state == state }) {
                stats.unfinished[index].count += 1
            } else {
                stats.unfinished.append(.init(provider: provider, state: state, reason: nil, count: 1))
            }
        }
    }

    private static func latency(_ buckets: [Int64]) -> DeliveryStats.Latency {
        var latency = DeliveryStats.Latency()
        latency.count = buckets.reduce(0, +)
        guard latency.count > 0 else { return latency }
        func percentile(_ thousandths: Int64) -> Int64 {
            // The smallest that so many of them do not exceed.
            let rank = (latency.count * thousandths + 999) / 1000
            var seen: Int64 = 0
            for (bucket, count) in buckets.enumerated() {
                seen += count
                if seen >= rank { return LogCounts.longest(in: UInt32(bucket)) }
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

/// Sums of many ``LogCounts``: latencies in arrays, because there are many of them.
struct LogSums {
    private(set) var counts: [LogCounts.Key: Int64] = [:]
    /// By provider and bucket.
    private(set) var latencies: [(provider: UInt16, buckets: [Int64])] = []

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        LogCounts.forEach(in: bytes) { key, count in
            guard key.state == 0 else {
                counts[key, default: 0] += count
                return
            }
            guard key.reason < LogCounts.bucketCount else { return }
            // There are few providers.
            for index in latencies.indices where latencies[index].provider == key.provider {
                latencies[index].buckets[Int(key.reason)] += count
                return
            }
            var buckets = [Int64](repeating: 0, count: LogCounts.bucketCount)
            buckets[Int(key.reason)] = count
            latencies.append((key.provider, buckets))
        }
    }
}

import GatewayModel
import GatewayStorage
import SQLStorage

/// Sums the counts of a brand: the stored ones, and the rows that are not counted yet.
struct LogStats {
    /// The upper bound of the youngest outbox rows that are read.
    private static let outboxLimit = 2000

    private let db: ReadConnection
    private let brand: Int64

    init?(_ db: ReadConnection, brand: BrandID) throws {
        guard let key = try db.brandKey(brand) else { return nil }
        self.db = db
        self.brand = key
    }

    func stats(_ window: StatsWindow, now: Timestamp) throws -> DeliveryStats {
        let start = window.start(now: now).milliseconds
        var words = try LogWords(db)
        var sums = LogSums()
        let stored = try db.prepare(
            "SELECT counts FROM log_counts WHERE brand = ? AND unit = ? AND start >= ? AND start <= ?"
        ).int(brand).int(window.unit).int(start).int(now.milliseconds)
        while try stored.next() { stored.withBytes(0) { sums.add($0) } }
        let uncounted = try uncounted(&words) { facts in
            let span = LogDeltas.Span.floor(facts.queuedAt, unit: window.unit)
            return span >= start && span <= now.milliseconds
        }
        for minute in uncounted.byMinute.values { minute.bytes.withUnsafeBytes { sums.add($0) } }

        var stats = DeliveryStats()
        let names = words.names
        (stats.finished, stats.reports) = sums.finished(names)
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

    /// Returns the statistics of a campaign; nil when there is none of this name.
    func campaign(_ id: CampaignID) throws -> CampaignStats? {
        try campaigns(
            try db.prepare(composed: "\(Self.campaignSQL) WHERE brand = ? AND name = ?").int(brand).text(id.rawValue)
        ).first
    }

    /// Returns the statistics of campaigns, the youngest first.
    func campaigns(before: Int64?, limit: Int) throws -> [CampaignStats] {
        try campaigns(
            try db.prepare(
                composed:
                    "\(Self.campaignSQL) INDEXED BY campaigns_brand WHERE brand = ? AND id < ? ORDER BY id DESC LIMIT ?"
            ).int(brand).int(before ?? .max).int(limit)
        )
    }

    private static let campaignSQL =
        "SELECT id, messages, tapped, deliveries, first_at, last_at, counts, name FROM campaigns"

    private func campaigns(_ rows: Statement) throws -> [CampaignStats] {
        var found: [(stats: CampaignStats, sums: LogSums)] = []
        while try rows.next() {
            let stats = CampaignStats(
                campaign: CampaignID(trusted: rows.string(7)),
                number: rows.int64(0),
                messages: rows.int64(1),
                tappedMessages: rows.int64(2),
                deliveries: rows.int64(3),
                firstAt: Timestamp(milliseconds: rows.int64(4)),
                lastAt: Timestamp(milliseconds: rows.int64(5))
            )
            var sums = LogSums()
            rows.withBytes(6) { sums.add($0) }
            found.append((stats, sums))
        }
        guard !found.isEmpty else { return [] }
        var words = try LogWords(db)
        let numbers = Set(found.map(\.stats.number))
        let uncounted = try uncounted(&words) { $0.campaign.map(numbers.contains) ?? false }
        return found.map { stats, sums in
            var (stats, sums) = (stats, sums)
            uncounted.byCampaign[stats.number]?.bytes.withUnsafeBytes { sums.add($0) }
            (stats.finished, stats.reports) = sums.finished(words.names)
            return stats
        }
    }

    /// Returns the wanted rows that no batch has counted yet.
    private func uncounted(_ words: inout LogWords, where isWanted: (LogFacts) -> Bool) throws -> LogDeltas {
        let rows = try db.prepare(
            """
            SELECT brand, queued_at, push_type, state, reason, latency, indexed, message, delivered_at, displayed_at, \
            dismissed_at, campaign, badge, sent_at FROM delivery_log INDEXED BY delivery_log_change WHERE brand = ? \
            AND change > coalesce((SELECT indexed FROM log_marks), 0) AND indexed = 0
            """
        ).int(brand)
        var deltas = LogDeltas()
        while try rows.next() {
            let facts = LogFacts(rows)
            if isWanted(facts) { deltas.add(facts, 1) { words.number($0) } }
        }
        return deltas
    }

    private func addUnfinished(from start: Int64, to stats: inout DeliveryStats) throws {
        let rows = try db.prepare(
            composed: """
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
            // The rank of the percentile, rounded up.
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

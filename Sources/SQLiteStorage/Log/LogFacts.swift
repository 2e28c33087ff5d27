/// What of a row of the log is counted.
struct LogFacts: Equatable {
    var brand: Int64
    var queuedAt: Int64
    var provider: String
    var state: String
    var reason: String?
    var latency: Int64?
    /// Whether the row is in the indexes of filters, and counted.
    var isIndexed: Bool

    /// Reads seven columns: brand, queued_at, push_type, state, reason, latency, indexed.
    init(_ row: Statement, from first: Int32 = 0) {
        brand = row.int64(first)
        queuedAt = row.int64(first + 1)
        provider = row.string(first + 2)
        state = row.string(first + 3)
        reason = row.optionalString(first + 4)
        latency = row.optionalInt64(first + 5)
        isIndexed = row.int64(first + 6) != 0
    }
}

/// Counts that are to be added to those stored, by brand and minute.
struct LogDeltas {
    struct Span: Hashable {
        var brand: Int64
        /// In seconds: a minute, an hour or a day.
        var unit: Int64
        /// Its beginning, in milliseconds since 1970.
        var start: Int64

        init(brand: Int64, unit: Int64, at time: Int64) {
            self.brand = brand
            self.unit = unit
            start = Span.floor(time, unit: unit)
        }

        static func floor(_ time: Int64, unit: Int64) -> Int64 {
            let length = unit * 1000
            return time >= 0 ? time / length * length : (time - length + 1) / length * length
        }
    }

    static let units: [Int64] = [60, 3600, 86_400]

    private(set) var byMinute: [Span: LogCounts] = [:]

    mutating func add(_ facts: LogFacts, _ count: Int64, words: (String) throws -> UInt16) rethrows {
        let span = Span(brand: facts.brand, unit: 60, at: facts.queuedAt)
        let provider = try words(facts.provider)
        let key = LogCounts.Key(
            provider: provider,
            state: try words(facts.state),
            reason: try facts.reason.map { UInt32(try words($0)) } ?? 0
        )
        byMinute[span, default: LogCounts()].add(key, count)
        guard let latency = facts.latency else { return }
        let bucket = LogCounts.Key(provider: provider, state: 0, reason: LogCounts.bucket(of: latency))
        byMinute[span, default: LogCounts()].add(bucket, count)
    }

    /// The same by minute, hour and day.
    var spans: [Span: LogCounts] {
        var spans = byMinute
        for (minute, counts) in byMinute {
            for unit in Self.units where unit != 60 {
                spans[Span(brand: minute.brand, unit: unit, at: minute.start), default: LogCounts()].add(counts)
            }
        }
        return spans
    }
}

internal import Telemetry

/// The facts of a row of the log that are counted.
struct LogFacts: Equatable {
    var brand: Int64
    var queuedAt: Int64
    var provider: String
    var state: String
    /// The label of the provider's reason.
    var reason: String?
    var latency: Int64?
    /// Whether the row is in the filter indexes, and counted.
    var isIndexed: Bool
    /// The facts that are counted in addition to the state.
    var marks: LogMarks = []
    /// The number of its campaign.
    var campaign: Int64?

    /// Reads fourteen columns: brand, queued_at, push_type, state, reason, latency, indexed, message, delivered_at,
    /// displayed_at, dismissed_at, campaign, badge, sent_at.
    init(_ row: Statement) {
        brand = row.int64(0)
        queuedAt = row.int64(1)
        provider = row.string(2)
        state = row.string(3)
        reason = row.optionalString(4).map(ReasonLabel.label)
        latency = row.optionalInt64(5)
        isIndexed = row.int64(6) != 0
        if row.isNull(7) { marks.insert(.badge) }
        if !row.isNull(8) { marks.insert(.delivered) }
        if !row.isNull(9) { marks.insert(.displayed) }
        if !row.isNull(10) { marks.insert(.dismissed) }
        campaign = row.optionalInt64(11)
        // Every visible push carries a badge.
        if !row.isNull(7), row.isNull(12), !row.isNull(13), state != "tapped" { marks.insert(.silent) }
    }

    /// The counted word: the state, followed by a slash and the marks.
    var word: String { marks.isEmpty ? state : "\(state)/\(marks.rawValue)" }
}

/// The facts of a row of the log that are counted in addition to its state.
struct LogMarks: OptionSet, Hashable {
    let rawValue: UInt8

    /// It carried only a badge.
    static let badge = LogMarks(rawValue: 1)
    /// The device reported its arrival.
    static let delivered = LogMarks(rawValue: 2)
    /// The device reported that it was shown.
    static let displayed = LogMarks(rawValue: 4)
    /// The device reported that it was dismissed.
    static let dismissed = LogMarks(rawValue: 8)
    /// It was sent and was not visible.
    static let silent = LogMarks(rawValue: 16)
}

/// Counts to be added to the stored ones, by brand and minute.
struct LogDeltas {
    struct Span: Hashable {
        var brand: Int64
        /// The unit in seconds: a minute, an hour or a day.
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
    /// Counts by the number of the campaign.
    private(set) var byCampaign: [Int64: LogCounts] = [:]

    mutating func add(_ facts: LogFacts, _ count: Int64, words: (String) throws -> UInt16) rethrows {
        let span = Span(brand: facts.brand, unit: 60, at: facts.queuedAt)
        let key = try Self.key(facts, words)
        byMinute[span, default: LogCounts()].add(key, count)
        if let campaign = facts.campaign { byCampaign[campaign, default: LogCounts()].add(key, count) }
        guard let latency = facts.latency else { return }
        let bucket = LogCounts.Key(provider: key.provider, state: 0, reason: LogCounts.bucket(of: latency))
        byMinute[span, default: LogCounts()].add(bucket, count)
    }

    /// Counts a row in its campaign only, if it has one.
    mutating func addToCampaign(
        _ facts: LogFacts,
        _ count: Int64,
        words: (String) throws -> UInt16
    ) rethrows {
        guard let campaign = facts.campaign else { return }
        byCampaign[campaign, default: LogCounts()].add(try Self.key(facts, words), count)
    }

    private static func key(_ facts: LogFacts, _ words: (String) throws -> UInt16) rethrows -> LogCounts.Key {
        LogCounts.Key(
            provider: try words(facts.provider),
            state: try words(facts.word),
            reason: try facts.reason.map { UInt32(try words($0)) } ?? 0
        )
    }

    /// The counts by minute, hour and day.
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

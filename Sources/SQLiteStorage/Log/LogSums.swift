import GatewayModel
import GatewayStorage

/// Sums of many ``LogCounts``: latencies in arrays, because there are many of them.
struct LogSums {
    private(set) var counts: [LogCounts.Key: Int64] = [:]
    /// Latencies by provider and bucket.
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

    /// Returns the sums except latencies, in words.
    func finished(_ names: [UInt16: String]) -> (counts: [DeliveryStats.Count], reports: DeliveryReports) {
        var sums: [Sum: Int64] = [:]
        var reports = DeliveryReports()
        for (key, count) in counts where count != 0 {
            guard let provider = names[key.provider].flatMap(PushType.init(rawValue:)),
                let (state, marks) = names[key.state].flatMap(Self.state)
            else { continue }
            let reason = key.reason == 0 ? nil : names[UInt16(clamping: key.reason)]
            sums[Sum(provider: provider, state: state, reason: reason), default: 0] += count
            reports.add(state, marks, count)
        }
        let counts = sums.filter { $0.value != 0 }.map {
            DeliveryStats.Count(
                provider: $0.key.provider,
                state: $0.key.state,
                reason: $0.key.reason,
                count: $0.value
            )
        }
        return (counts, reports)
    }

    private struct Sum: Hashable {
        var provider: PushType
        var state: DeliveryState
        var reason: String?
    }

    /// Whether a counted word is a provider, or a state in the form of ``LogFacts/word``.
    static func isStateOrProvider(_ word: String) -> Bool {
        PushType(rawValue: word) != nil || state(word) != nil
    }

    /// Parses the form of ``LogFacts/word``.
    private static func state(_ word: String) -> (DeliveryState, LogMarks)? {
        let parts = word.split(separator: "/", maxSplits: 1)
        guard let name = parts.first, let state = DeliveryState(rawValue: String(name)) else { return nil }
        return (state, parts.count == 2 ? LogMarks(rawValue: UInt8(parts[1]) ?? 0) : [])
    }
}

extension DeliveryReports {
    /// Adds finished deliveries.
    ///
    /// Badges do not count; silent pushes cannot be tapped and do not count among those that can.
    fileprivate mutating func add(_ state: DeliveryState, _ marks: LogMarks, _ count: Int64) {
        guard !marks.contains(.badge) else { return }
        if marks.contains(.delivered) { delivered += count }
        if marks.contains(.displayed) { displayed += count }
        if marks.contains(.dismissed) { dismissed += count }
        if [.accepted, .delivered, .tapped].contains(state), !marks.contains(.silent) { taken += count }
        if state == .tapped { tapped += count }
    }
}

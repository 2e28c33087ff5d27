/// Messages that reached one device more than once, held against what was in flight when the gateway ended.
struct Duplicates {
    /// How many arrivals beyond the first.
    private(set) var count = 0
    /// How many messages had arrived without an outcome in the store, over all ends.
    private(set) var inFlight = 0
    /// Some of them.
    private(set) var examples: [String] = []
    /// Arrivals that no end explains.
    private(set) var unexplained: [String] = []

    init(_ evidence: Evidence, _ arrivals: Arrivals) {
        // Each end excuses one more arrival of what was in flight then.
        var excused: [UnfinishedRows.Row: Int] = [:]
        for ending in evidence.endings {
            for row in ending.unfinished {
                guard let first = arrivals.times[row]?.first, first <= ending.nextStart else { continue }
                inFlight += 1
                excused[row, default: 0] += 1
            }
        }
        for (row, times) in arrivals.times where times.count > 1 {
            count += times.count - 1
            examples.append("\(row.message) to \(row.device): \(times.count) times")
            if times.count - 1 > excused[row] ?? 0 {
                unexplained.append(
                    "\(row.message) to \(row.device): \(times.count) times, in flight \(excused[row] ?? 0)"
                )
            }
        }
    }
}

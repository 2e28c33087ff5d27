/// Messages that reached one device more than once, compared with the pushes in flight when the gateway stopped.
struct Duplicates {
    /// The number of arrivals beyond the first.
    private(set) var count = 0
    /// The number of messages that had arrived without an outcome in the store, over all stops.
    private(set) var inFlight = 0
    /// Some examples.
    private(set) var examples: [String] = []
    /// Arrivals that no stop explains.
    private(set) var unexplained: [String] = []

    init(_ evidence: Evidence, _ arrivals: Arrivals) {
        // Each stop excuses one more arrival of a message in flight.
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

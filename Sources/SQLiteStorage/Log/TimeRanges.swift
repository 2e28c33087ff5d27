import GatewayModel

/// Converts a time range into ranges of delivery numbers.
///
/// Deliveries are numbered in the order in which they are queued, so that times rise with numbers except where the
/// clock was set back; `clock_steps` names those places. Between two of them a few probes find where a time begins: no
/// index of times is needed, and a time range combines with every other filter.
struct TimeRanges {
    private let db: ReadConnection

    init(_ db: ReadConnection) { self.db = db }

    /// Returns the numbers of the log's rows that were queued in a time range, newest range first; empty when there are
    /// none.
    func ranges(since: Timestamp?, until: Timestamp?) throws -> [Range<Int64>] {
        guard since != nil || until != nil else { return [1..<Int64.max] }
        var starts: [Int64] = [1]
        let steps = try db.prepare("SELECT delivery FROM clock_steps ORDER BY delivery")
        while try steps.next() { starts.append(steps.int64(0)) }
        let probe = try db.prepare(
            "SELECT id, queued_at FROM delivery_log WHERE id >= ? AND id < ? ORDER BY id LIMIT 1"
        )
        let newest = try db.prepare("SELECT max(id) FROM delivery_log")
        let end = try newest.next() ? newest.int64(0) + 1 : 1
        newest.end()
        var ranges: [Range<Int64>] = []
        for (index, start) in starts.enumerated().reversed() {
            let segment = min(start, end)..<(index + 1 < starts.count ? min(starts[index + 1], end) : end)
            let first = try since.map { try bound($0.milliseconds, in: segment, probe) } ?? segment.lowerBound
            let past = try until.map { try bound($0.milliseconds, in: segment, probe) } ?? segment.upperBound
            if first < past { ranges.append(first..<past) }
        }
        return ranges
    }

    /// Returns the first number of a segment from which on all rows were queued at a time or later.
    private func bound(_ time: Int64, in segment: Range<Int64>, _ probe: Statement) throws -> Int64 {
        var (low, high) = (segment.lowerBound, segment.upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            let row = probe.start().int(middle).int(high)
            guard try row.next() else {
                high = middle
                continue
            }
            if row.int64(1) >= time { high = middle } else { low = row.int64(0) + 1 }
            row.end()
        }
        return low
    }
}

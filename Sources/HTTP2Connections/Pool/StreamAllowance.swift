/// How many streams a connection of a pool may have open, after connections were lost with requests in flight.
///
/// A peer that resets connections under load answers nothing if each new connection gets the full load at once, and
/// each request is then sent again and again. So half of what was lost is risked next, and one more with each response,
/// as TCP does with its congestion window (RFC 5681 sections 3.1 and 3.2). A pure value.
struct StreamAllowance {
    /// At least 1.
    private(set) var streams: Int
    private let maximum: Int

    /// Starts with `maximum`, the most streams of a connection.
    init(maximum: Int) {
        self.maximum = max(1, maximum)
        streams = self.maximum
    }

    /// Counts what happened to requests of one connection at the same time: responses, and requests whose result
    /// nobody knows because the connection was lost.
    mutating func count(_ responses: [HTTP2Response]) {
        let lost = responses.count { $0.failure == .unknown(.connectionLost) }
        if lost > 0 { streams = min(streams, max(1, lost / 2)) }
        guard streams < maximum else { return }
        streams = min(maximum, streams + responses.count { $0.failure == nil })
    }
}

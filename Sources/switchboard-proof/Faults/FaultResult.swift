import ProcessHarness
import PushProviders

/// What became of the pushes under one fault.
struct FaultResult: Encodable, Sendable {
    /// The fault's name.
    var name: String
    /// What happened.
    var title: String
    /// Pushes that were to be sent.
    var pushes: Int
    /// Requests that left, resends included.
    var sent: Int
    /// Pushes that the peer took, those that came again included.
    var accepted: Int
    /// Pushes that the peer never took; for a peer that must be refused, those that it got.
    var lost: Int
    /// Pushes that the peer took more than once, counted by the times beyond the first.
    var duplicated: Int
    /// Of those, more than there were answers that left it open.
    var unexplained: Int
    /// Answers that left open whether the push was taken.
    var doubts: Int
    /// Connections that were opened; nil where the peer does not say.
    var connections: Int?
    /// Seconds that it took.
    var seconds: Double
    /// What the provider said of itself, where it must refuse the peer.
    var refusal: String?
    /// Whether what must hold does.
    var holds: Bool

    /// Counts.
    ///
    /// - Parameters:
    ///   - fault: The fault.
    ///   - pushes: How many were to be sent.
    ///   - counts: What the source saw.
    ///   - taken: The device tokens of what the peer took, in order.
    ///   - connections: How many were opened.
    ///   - seconds: How long it took.
    init(
        _ fault: Fault,
        pushes: Int,
        counts: FaultSource.Counts,
        taken: [String],
        connections: Int?,
        seconds: Double
    ) {
        name = fault.name
        title = fault.title
        self.pushes = pushes
        sent = counts.sent
        accepted = taken.count
        self.connections = connections
        self.seconds = seconds
        var times: [String: Int] = [:]
        for token in taken { times[token, default: 0] += 1 }
        duplicated = taken.count - times.count
        unexplained = times.reduce(0) { $0 + max(0, $1.value - 1 - counts.doubts[$1.key, default: 0]) }
        doubts = counts.doubts.values.reduce(0, +)
        switch fault.expectation {
        case .refused(let text):
            refusal = counts.refusal
            lost = sent + taken.count
            holds = lost == 0 && refusal?.contains(text) == true
        case .once, .atLeastOnce:
            // What the provider called taken and the peer never saw is lost, and so is what neither did.
            let all = (1...pushes).map { Installation.token($0) }
            lost = all.count { times[$0] == nil || !counts.accepted.contains($0) }
            let isOnce = fault.expectation != .once || duplicated == 0
            holds = lost == 0 && unexplained == 0 && counts.failed.isEmpty && isOnce
        }
    }
}

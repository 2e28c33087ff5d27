import ProcessHarness
import PushProviders

/// The result of the pushes under one fault.
struct FaultResult: Encodable, Sendable {
    /// The fault's name.
    var name: String
    /// The fault's description.
    var title: String
    /// Pushes that were to be sent.
    var pushes: Int
    /// Requests that were sent, including resends.
    var sent: Int
    /// Pushes that the peer accepted, including repeated ones.
    var accepted: Int
    /// Pushes that the peer never accepted; for a peer that must be rejected, those that it got.
    var lost: Int
    /// Pushes that the peer accepted more than once, counted by the times beyond the first.
    var duplicated: Int
    /// The number by which they exceed the results in doubt.
    var unexplained: Int
    /// Results that do not say whether the push was accepted.
    var doubts: Int
    /// Connections that were opened; nil where the peer does not count them.
    var connections: Int?
    /// The duration in seconds.
    var seconds: Double
    /// The provider's own reason, where it must reject the peer.
    var refusal: String?
    /// Whether the requirement is met.
    var holds: Bool

    /// Counts the results; `taken` are the device tokens of the pushes that the peer accepted, in order.
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
            // A push that the provider reported as accepted and the peer never saw is lost, and so is one that neither
            // saw.
            let all = (1...pushes).map { Installation.token($0) }
            lost = all.count { times[$0] == nil || !counts.accepted.contains($0) }
            let isOnce = fault.expectation != .once || duplicated == 0
            holds = lost == 0 && unexplained == 0 && counts.failed.isEmpty && isOnce
        }
    }
}

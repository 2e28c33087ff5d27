internal import Delivery
internal import GatewayModel
internal import GatewayStorage
internal import Identity
internal import PushProviders
internal import TextFormats

/// The report about a lane for operators: its state, also as a sentence, and what waits.
struct LaneReport {
    let lane: DirectoryLane
    let status: LaneStatus
    let depth: LaneDepth
    let canary: CanaryStatus?
    let now: Timestamp

    /// Creates a report from the directory's, the delivery core's and the store's part, and the state of the canary.
    init(
        _ lane: DirectoryLane,
        _ status: LaneStatus,
        _ depth: LaneDepth,
        canary: CanaryStatus? = nil,
        now: Timestamp
    ) {
        self.lane = lane
        var status = status
        // A lane that never had a row since the start is known to the directory only.
        if lane.pausedSince != nil {
            status.state = .paused
        } else if !lane.canSend {
            status.state = .closed
        }
        self.status = status
        self.depth = depth
        self.canary = canary
        self.now = now
    }

    /// The pushes of a class that are in memory, in flight, or wait in the store.
    func count(_ pushClass: PushClass) -> Int64 { Int64(status.rows[pushClass]) + (depth.rows[pushClass] ?? 0) }

    /// When the push that waits longest was queued.
    var oldestQueuedAt: Timestamp? { [status.oldestQueuedAt, depth.oldestQueuedAt].compactMap(\.self).min() }

    /// The state as one sentence, with what follows from it.
    var sentence: String {
        switch status.state {
        case .idle:
            oldestQueuedAt == nil
                ? "Nothing waits; pushes leave as they come\(pace)."
                : "Pushes wait for their time: the end of quiet hours, or the next attempt."
        case .sending: "Pushes leave\(pace)."
        case .quota: "The provider's quota is used up; the next push leaves \(nextTry)."
        case .overloaded:
            "The provider is overloaded or asked to wait\(response); one push is sent as a probe \(nextTry)."
        case .unreachable:
            switch status.fault {
            case .proxy: "The outbound proxy does not connect to the provider; pushes wait until it does."
            case .credential: "The provider rejects the app's credential, or it cannot be used; pushes wait."
            case .unreachable, nil: "The provider does not connect; pushes wait until it does."
            }
        case .stopped:
            "The provider rejects the credential or the configuration\(response); one push is sent as a probe \(nextTry)."
        case .suspended:
            """
            The provider reports too many devices as gone, so that none is deleted; one push at a time is sent as a probe, \
            the next \(nextTry).
            """
        case .closed: "The app has no credential for it; pushes wait until it has one."
        case .paused:
            "An operator paused it\(lane.pausedSince.map { " at \($0.rfc3339)" } ?? ""); pushes wait until it is resumed."
        }
    }

    private var pace: String {
        lane.pushesPerSecond.map { ", at most \($0) a second, as an operator set it" } ?? ""
    }

    private var nextTry: String { status.nextTryAt.map { "at \($0.rfc3339)" } ?? "now" }

    private var response: String {
        status.cause.map { cause in
            let words = ["\(cause.status)", cause.reason ?? ""].filter { !$0.isEmpty && $0 != "0" }
            return words.isEmpty ? " (no response)" : " (\(words.joined(separator: " ")))"
        } ?? ""
    }
}

extension JSONWriter {
    /// Appends a lane.
    mutating func lane(_ report: LaneReport) {
        let (lane, status) = (report.lane, report.status)
        literal("{")
        member("id", lane.key.name)
        member("app", lane.key.app.rawValue)
        member("provider", lane.key.pushType.rawValue)
        member("environment", lane.key.environment.rawValue)
        member("state", status.state.rawValue)
        member("sentence", report.sentence)
        member("nextTryAt", orNull: status.nextTryAt)
        name(known: "cause")
        if let cause = status.cause {
            literal("{")
            member("status", Int64(cause.status))
            member("reason", orNull: cause.reason)
            literal("}")
        } else {
            literal("null")
        }
        literal(#","depth":{"#)
        member("agent", report.count(.agent))
        member("badge", report.count(.badge))
        member("proactive", report.count(.proactive))
        literal("}")
        member("isDepthWhole", report.depth.isWhole)
        member("inFlight", Int64(status.inFlight))
        member("oldestQueuedAt", orNull: report.oldestQueuedAt)
        member(
            "oldestWaitSeconds",
            orNull: report.oldestQueuedAt.map { max(report.now.milliseconds - $0.milliseconds, 0) / 1000 }
        )
        member("pausedSince", orNull: lane.pausedSince)
        member("pushesPerSecond", orNull: lane.pushesPerSecond)
        array("stoppedPlatforms", status.stoppedPlatforms.sorted { $0.key.rawValue < $1.key.rawValue }) {
            writer,
            platform in
            writer.literal("{")
            writer.member("platform", platform.key.rawValue)
            writer.member("nextTryAt", platform.value)
            writer.literal("}")
        }
        name(known: "canary")
        if let canary = report.canary { self.canary(canary) } else { literal("null") }
        literal("}")
    }
}

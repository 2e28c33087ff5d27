import Delivery
import GatewayHTTP
import GatewayModel
import Identity
import Outbound
import PushProviders
import Telemetry

/// The conditions of this gateway that operators should know about.
struct OperatorConditions: Sendable {
    /// The interval at which ends of certificates and credentials are read, in seconds: there may be many.
    private static let calendarSeconds: UInt64 = 300
    /// The time for which a provider must be slow or unreachable before that is an event, in seconds: most such times are
    /// shorter, and nobody can do anything.
    static let passingSeconds: Int64 = 60

    private let directory: Directory
    private let delivery: DeliveryService
    private let canaries: CanaryService
    private let webhooks: WebhookService
    private let certificate: ServerCertificate?
    private let clock: any GatewayClock
    private var ends: (conditions: [OperatorCondition], readAt: UInt64)?

    /// Creates the conditions of a gateway's parts.
    init(
        directory: Directory,
        delivery: DeliveryService,
        canaries: CanaryService,
        webhooks: WebhookService,
        certificate: ServerCertificate?,
        clock: any GatewayClock = SystemClock()
    ) {
        self.directory = directory
        self.delivery = delivery
        self.canaries = canaries
        self.webhooks = webhooks
        self.certificate = certificate
        self.clock = clock
    }

    /// Returns the conditions that hold now.
    mutating func current() -> [OperatorCondition] {
        let lanes = directory.lanes
        let states = zip(lanes, delivery.status(of: lanes.map(\.id))).flatMap { Self.conditions(of: $0.key, $1) }
        let burning = ObjectiveReport.all(of: directory, delivery).compactMap { Self.condition(of: $0) }
        let failing = canaries.all.compactMap { lane, canary in
            Self.condition(of: lane, canary.condition, status: canary.status, reason: canary.reason)
        }
        return states + burning + failing + webhooks.failures + currentEnds()
    }

    private mutating func currentEnds() -> [OperatorCondition] {
        let now = clock.monotonicNanoseconds
        if let ends, now - min(ends.readAt, now) < Self.calendarSeconds * 1_000_000_000 { return ends.conditions }
        let entries = ExpiryCalendar.entries(of: directory, serverEndsAt: certificate?.expiresAt, now: clock.now)
        let conditions = entries.compactMap { Self.condition(of: $0) }
        ends = (conditions, now)
        return conditions
    }

    /// Returns the conditions of a lane.
    static func conditions(of lane: LaneKey, _ status: LaneStatus) -> [OperatorCondition] {
        func condition(_ type: OperatorEventType, hold: Int64 = 0, level: String? = nil) -> OperatorCondition {
            var condition = OperatorCondition(.init(type, brand: lane.brand, name: lane.name), level: level)
            condition.holdSeconds = hold
            return condition
        }
        var conditions: [OperatorCondition] = []
        switch status.state {
        case .stopped: conditions.append(condition(.laneStopped))
        case .suspended: conditions.append(condition(.laneSuspended))
        case .unreachable: conditions.append(condition(.laneUnreachable, hold: passingSeconds))
        case .overloaded: conditions.append(condition(.laneOverloaded, hold: passingSeconds))
        // A paused lane is an operator's own doing, and a closed one an administrator's.
        case .idle, .sending, .quota, .paused, .closed: break
        }
        if let cause = status.cause, !conditions.isEmpty {
            conditions[0].status = cause.status
            conditions[0].reason = cause.reason.map(ReasonLabel.label)
        }
        if !status.stoppedPlatforms.isEmpty {
            let platforms = status.stoppedPlatforms.keys.map(\.rawValue).sorted().joined(separator: ",")
            conditions.append(condition(.platformStopped, level: platforms))
        }
        return conditions
    }

    /// Returns the condition of an objective; nil while it is met.
    static func condition(of report: ObjectiveReport) -> OperatorCondition? {
        guard report.condition == .burning else { return nil }
        return OperatorCondition(.init(.objectiveBurning, brand: report.brand, name: report.app?.rawValue))
    }

    /// Returns the condition of a lane's canary; nil while it is not alarming.
    static func condition(
        of lane: LaneKey,
        _ canary: CanaryStatus.Condition,
        status: Int?,
        reason: String?
    ) -> OperatorCondition? {
        guard canary.isAlarming else { return nil }
        var condition = OperatorCondition(
            .init(.canaryFailing, brand: lane.brand, name: lane.name),
            level: canary.rawValue
        )
        guard canary != .noReceipt else { return condition }
        condition.status = status
        condition.reason = reason.map(ReasonLabel.label)
        return condition
    }

    /// Returns the condition of a certificate or credential; nil when it need not be renewed yet.
    static func condition(of entry: ExpiryCalendar.Entry) -> OperatorCondition? {
        guard entry.isDue else { return nil }
        let type = entry.kind == .credential ? OperatorEventType.credentialEnding : .certificateEnding
        var condition = OperatorCondition(
            .init(type, brand: entry.brand, name: entry.name),
            level: entry.expiry?.rawValue
        )
        condition.expiresAt = entry.endsAt
        return condition
    }
}

import Delivery
import GatewayModel
import GatewayStorage
import PushProviders

/// A state machine with the few things that a script of events needs: rows, turns, results, and a clock that it moves.
struct MachineScript {
    static let lane = LaneID(1)
    static let otherLane = LaneID(2)

    var machine: DeliveryMachine
    var now = Timestamp(milliseconds: 1_700_000_000_000)
    var lastRow: Int64 = 0

    init(backlog: [LaneID: Timestamp] = [:], slots: Int = 8, retryDelays: [Int64] = [5, 30]) {
        var settings = DeliverySettings()
        settings.slotsPerLane = slots
        settings.retryDelaysSeconds = retryDelays
        machine = DeliveryMachine(settings: settings, backlog: Self.agents(backlog))
    }

    /// Returns a row as the store hands it out.
    mutating func row(
        device: Int64 = 1,
        consumer: Int64 = 1,
        sequence: Int64 = 1,
        unread: Int64 = 1,
        attempts: Int = 0,
        lane: LaneID = MachineScript.lane,
        ttlSeconds: Int64 = 3600,
        silent: Bool = false
    ) throws -> OutboxRow {
        lastRow += 1
        var event = AgentEvent(
            id: EventID(trusted: "e\(lastRow)"),
            type: .agentMessage,
            consumer: ConsumerID(trusted: "u\(consumer)")
        )
        event.text = "text"
        event.silent = silent
        let message = Message(
            PostedEvent(event, MessageID(high: UInt64(lastRow), low: 1)),
            brand: BrandID(trusted: "brand"),
            conversation: ConversationID(trusted: "c"),
            sequence: sequence,
            acceptedAt: now,
            expiresAt: now.adding(seconds: ttlSeconds)
        )
        return OutboxRow(
            id: DeliveryID(lastRow),
            lane: lane,
            registration: RegistrationID(device),
            token: "token-\(device)",
            platform: .ios,
            consumer: ConsumerKey(consumer),
            unread: unread,
            kind: .message,
            conversation: ConversationKey(consumer),
            message: message,
            attempts: attempts,
            expiresAt: message.expiresAt,
            queuedAt: now
        )
    }

    /// Returns the backlog of agents' messages on lanes.
    static func agents(_ backlog: [LaneID: Timestamp]) -> [LaneQueue: Timestamp] {
        Dictionary(uniqueKeysWithValues: backlog.map { (LaneQueue($0.key, .agent), $0.value) })
    }

    /// Runs one whole turn whose commit hands out these rows.
    @discardableResult
    mutating func turn(
        owned: [OutboxRow] = [],
        registrations: [RegistrationUpdate] = [],
        unread: [ConsumerKey: Int64] = [:],
        unowned: [LaneID: Timestamp] = [:],
        claims: [ClaimResult] = [],
        withdrawn: [OutboxRow] = [],
        stopped: [LaneID: StoppedDevices] = [:],
        invalidations: [StoppedDeviceResult] = [],
        putBacks: [StoppedDeviceResult] = []
    ) -> DeliveryMachine.TurnPlan {
        let plan = machine.beginTurn(now: now)
        var result = WriterTurnResult()
        result.stopped = stopped
        result.invalidations = invalidations
        result.putBacks = putBacks
        commit(
            plan,
            result,
            owned: owned,
            registrations: registrations,
            unread: unread,
            unowned: unowned,
            claims: claims,
            withdrawn: withdrawn
        )
        return plan
    }

    /// Runs the second half of a turn, for scripts in which something happens while it is committed.
    mutating func commit(
        _ plan: DeliveryMachine.TurnPlan,
        _ done: WriterTurnResult = WriterTurnResult(),
        owned: [OutboxRow] = [],
        registrations: [RegistrationUpdate] = [],
        unread: [ConsumerKey: Int64] = [:],
        unowned: [LaneID: Timestamp] = [:],
        claims: [ClaimResult] = [],
        withdrawn: [OutboxRow] = []
    ) {
        var turn = WriterTurn(now: now, incarnation: IncarnationID(1))
        turn.outcomes = plan.outcomes
        turn.suspensions = plan.suspensions
        turn.invalidations = plan.invalidations
        turn.putBacks = plan.putBacks
        var result = done
        result.outcomes = plan.outcomes.map { _ in OutcomeEffect() }
        result.updates.registrations = registrations
        result.updates.withdrawn = withdrawn.map {
            WithdrawnRow(delivery: $0.id, registration: $0.registration)
        }
        result.owned = owned
        result.updates.unread = unread
        result.unowned = Self.agents(unowned)
        result.claims = claims
        _ = machine.turnCommitted(result, of: turn, now: now)
    }

    mutating func take(_ capacity: Int = 100, lane: LaneID = MachineScript.lane) -> [PushJob] {
        var jobs: [PushJob] = []
        machine.take(lane, provider: machine.lanes[lane]?.provider ?? 0, capacity: capacity, now: now, into: &jobs)
        return jobs
    }

    @discardableResult
    mutating func respond(_ delivery: DeliveryID, _ outcome: PushOutcome, status: Int = 200) -> Set<LaneID> {
        let response = PushResponse(
            outcome: outcome,
            status: status,
            reason: nil,
            badge: 1,
            sentAt: now,
            latencyMilliseconds: 3
        )
        return machine.receive([PushResult(delivery: delivery, response: response)], now: now)
    }
}

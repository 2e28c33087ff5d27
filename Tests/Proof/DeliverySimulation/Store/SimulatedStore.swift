import GatewayModel
import GatewayStorage
import TurnRules

/// The store as a value type, for the part that delivery needs (`GatewayStore`): the product's rules of a turn over
/// rows in memory, and a model of SQLite's cold paths, which a test compares with it.
///
/// Ids are assigned as SQLite assigns them. The effects of a commit remain when the process that requested it dies.
struct SimulatedStore {
    /// The brands of the lanes, numbered from 1 in this order.
    let brands: [BrandID]
    /// The existing and former lanes, numbered from 1 in this order.
    var lanes: [LaneKey]
    /// Lanes whose app or brand was deleted.
    var deletedLanes: Set<LaneID> = []
    /// The lanes of deleted apps with registrations that are still to be ended; ascending.
    var lanesToEnd: [LaneID] = []
    /// For each deleted brand with remaining data, the ids of its consumers.
    var brandsToRemove: [Set<Int64>] = []
    /// The ids of erased consumers with remaining data.
    var consumersToRemove: [Int64] = []
    /// For each brand, the last check for stale registrations, and the time before which no sighting counts.
    var looks: [BrandID: (lookedAt: Timestamp, heardFrom: Timestamp)] = [:]
    /// A fault that is injected on purpose.
    var flaw: StoreFlaw?

    var incarnation: Int64 = 0
    var consumers: [Consumer] = []
    var conversations: [Conversation] = []
    var registrations: [Registration?] = []
    var sessions: [Session] = []
    /// The outbox and the delivery log.
    var deliveries: [Delivery] = []
    /// Lanes whose provider is not believed that devices are gone.
    var suspended: Set<LaneID> = []
    /// The ids of the deliveries in the outbox, ascending.
    var pending: [Int64] = []
    /// The waits of devices' rows, by registration and queue; only those with rows without an owner.
    var waiting: [WaitKey: Wait] = [:]
    /// The times at which messages were first tapped, by the first half of their ids.
    var taps: [Int64: Timestamp] = [:]
    /// The time of the turn.
    var now = Timestamp(milliseconds: 0)
    /// Deliveries that the last turn withdrew from the outbox.
    var withdrawn: [Int64] = []
    /// A fault that is injected ends a registration next that is not this consumer's; nil when none does.
    var endsStrangerTo: Int64?
    /// The consumers that the turn has read, by id: each once, with the turn's changes; empty between turns.
    var turnConsumers: [Int64: KnownConsumer] = [:]

    var consumerKeys: [BrandID: [ConsumerID: Int64]] = [:]
    /// The ids of campaigns, by brand and name.
    var campaigns: [BrandID: [String: Int64]] = [:]
    var lastCampaign: Int64 = 0
    /// Messages with the ids of their conversations, by the first half of their ids.
    var messages: [Int64: (message: Message, conversation: Int64)] = [:]
    var dedupe: [DayKey: FirstArrival] = [:]
    var dedupeDays: Set<Int64> = []
    var lastMessage: MessageID?

    /// Creates an empty store with lanes, whose brands and apps are the only ones.
    init(lanes: [LaneKey]) {
        self.lanes = lanes
        var brands: [BrandID] = []
        for lane in lanes where !brands.contains(lane.brand) { brands.append(lane.brand) }
        self.brands = brands
        for lane in lanes { consumerKeys[lane.brand] = [:] }
    }

    // MARK: Starts

    /// Starts an incarnation, as `GatewayStore.begin(now:quietUntil:)` does; rows of earlier incarnations become due
    /// now.
    mutating func begin(now: Timestamp, quietUntil: QuietUntil) -> IncarnationStart {
        incarnation += 1
        var recovered = 0
        var backlog: [LaneQueue: Timestamp] = [:]
        let known = waiting
        for id in pending {
            if flaw == .strandsHeld, delivery(id).isHeld { continue }
            guard delivery(id).owner != nil else { continue }
            recovered += 1
            change(id) {
                $0.owner = nil
                $0.isHeld = false
            }
            let row = delivery(id)
            let key = WaitKey(registration: row.registration, queue: row.queue)
            if known[key] == nil {
                let asked = known.filter { $0.key.registration == row.registration }.map(\.value.notBefore).max()
                let notBefore = asked ?? Timestamp(milliseconds: 0)
                let due = max(min(waiting[key]?.due ?? now, min(row.queuedAt, now)), notBefore)
                let rows = waiting[key]?.rows ?? 0
                waiting[key] = Wait(lane: row.lane, due: due, notBefore: notBefore, rows: rows)
            } else if let due = waiting[key]?.due, due > now, due > (waiting[key]?.notBefore ?? now) {
                waiting[key]?.due = nil
            }
            waiting[key]?.rows += 1
        }
        for (key, wait) in waiting where wait.due == nil { waiting[key]?.due = max(now, wait.notBefore) }
        let before = waiting
        for (key, wait) in before {
            let queue = LaneQueue(wait.lane, key.queue)
            let isAlike = waitKeys(of: key.registration).allSatisfy { before[$0]?.due == wait.due }
            if isAlike, let due = wait.due, due > now, quietUntil(wait.lane, traits(of: key.registration)) == due,
                due > wait.notBefore
            {
                backlog[queue] = min(backlog[queue] ?? due, due)
                continue
            }
            // Nobody asked for such a long wait: the clock was set back, or the quiet hours have changed.
            let longest = now.adding(milliseconds: IncarnationStart.longestWaitMilliseconds)
            let notBefore = wait.notBefore > longest ? now : wait.notBefore
            waiting[key]?.notBefore = notBefore
            var due = max(now, notBefore)
            if let own = wait.due { due = min(own, due) }
            waiting[key]?.due = due
            backlog[queue] = min(backlog[queue] ?? due, due)
        }
        var start = IncarnationStart(
            incarnation: IncarnationID(incarnation),
            now: now,
            backlog: backlog.filter { !deletedLanes.contains($0.key.lane) },
            recovered: recovered,
            lastMessage: lastMessage
        )
        start.stopped = stoppedAtStart()
        return start
    }

    // MARK: Turns

    /// Commits one turn, as `GatewayStore.commit(_:)` does.
    mutating func commit(_ turn: WriterTurn) -> WriterTurnResult {
        now = turn.now
        turnConsumers = [:]
        var result = run(turn)
        result.owned.removeAll { delivery($0.id.rawValue).isLost }
        turnConsumers = [:]
        return result
    }

    func addReadMarks(to rows: inout [OutboxRow], now: Timestamp) {}

    mutating func storeCounts(of context: TurnContext) { withdrawn = context.withdrawn.sorted() }

    mutating func store(suspensions: [LaneID: Bool], at now: Timestamp) {
        for (lane, isSuspended) in suspensions {
            if isSuspended { suspended.insert(lane) } else { suspended.remove(lane) }
        }
    }

    func write(_ entry: AuditEntry?) {}

    // MARK: Rows

    /// A line for each delivery that operators can see: its id, its state and its number of attempts.
    var deliveryTexts: [String] {
        deliveries.enumerated().filter { isListed($0.element) }
            .map { "\($0 + 1) \($1.state.rawValue) \($1.attempts)" }
    }

    func delivery(_ id: Int64) -> Delivery { deliveries[Int(id) - 1] }

    mutating func change(_ id: Int64, _ work: (inout Delivery) -> Void) { work(&deliveries[Int(id) - 1]) }

    func isPending(_ id: Int64) -> Bool {
        let row = deliveries[Int(id) - 1]
        return !row.state.isFinished && !row.isLost && !row.isRemoved
    }

    func registration(_ id: Int64) -> Registration? { registrations[Int(id) - 1] }

    /// Returns a row as a lane receives it, with the current unread count.
    func row(_ id: Int64) -> OutboxRow {
        let row = delivery(id)
        let registration = registration(row.registration)
        var made = OutboxRow(
            id: DeliveryID(id),
            lane: row.lane,
            registration: RegistrationID(row.registration),
            token: registration?.token ?? "",
            platform: registration?.platform ?? .ios,
            traits: traits(of: row.registration),
            consumer: ConsumerKey(row.consumer),
            unread: consumers[Int(row.consumer) - 1].unread,
            kind: row.kind,
            queue: row.queue,
            conversation: row.conversation.map { ConversationKey($0) },
            message: row.message,
            attempts: row.attempts,
            expiresAt: row.expiresAt,
            queuedAt: row.queuedAt
        )
        made.receivesAgents = registration?.receives.contains(.agent) ?? true
        made.isImported = registration?.isImported ?? false
        return made
    }

    /// Returns the traits of a registration's device that decide when its pushes are sent, if it has any.
    func traits(of registration: Int64) -> DeviceTraits? {
        guard let found = self.registration(registration) else { return nil }
        return DeviceTraits(
            locale: nil,
            timeZone: found.timeZone,
            quietHours: consumers[Int(found.consumer) - 1].quietHours
        )
    }

    /// Removes a row from the lists of pending ones.
    mutating func forget(_ id: Int64) {
        if let index = pending.firstIndex(of: id) { pending.remove(at: index) }
        let place = Int(delivery(id).registration) - 1
        if let index = registrations[place]?.pending.firstIndex(of: id) {
            registrations[place]?.pending.remove(at: index)
        }
    }
}

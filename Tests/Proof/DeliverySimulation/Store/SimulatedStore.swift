package import GatewayModel
package import GatewayStorage

/// The store as a value type, with the engines' rules for the part that delivery needs (`GatewayStore`): a model of the
/// SQLite engine, which a test compares with it.
///
/// Ids are assigned as SQLite assigns them. The effects of a commit remain when the process that requested it dies.
package struct SimulatedStore: Sendable {
    /// The existing and former lanes, numbered from 1 in this order.
    package internal(set) var lanes: [LaneKey]
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
    /// The due time of the first row that waits since the turn began, by queue.
    var backlog: [LaneQueue: Timestamp] = [:]
    /// Registrations with rows that wait since the turn began, and the first of their queues: younger rows of that and
    /// of later queues stay behind.
    var waitingNow: [Int64: OutboxQueue] = [:]
    /// Rows that were requeued in the turn, and are not in `waiting` yet.
    var requeuedRows: [Int64: RequeuedRows] = [:]
    /// The times at which messages were first tapped.
    var taps: [MessageID: Timestamp] = [:]
    /// The time of the turn.
    var now = Timestamp(milliseconds: 0)
    /// Deliveries that the last turn withdrew from the outbox.
    var withdrawn: [Int64] = []

    var consumerKeys: [BrandID: [ConsumerID: Int64]] = [:]
    var conversationKeys: [BrandID: [ConversationID: Int64]] = [:]
    /// The ids of campaigns, by brand and name.
    var campaigns: [BrandID: [String: Int64]] = [:]
    var lastCampaign: Int64 = 0
    var dedupe: [DayKey: FirstArrival] = [:]
    var dedupeDays: Set<Int64> = []
    var lastMessage: MessageID?

    /// Creates an empty store.
    ///
    /// - Parameter lanes: The lanes; their brands and apps are the only ones.
    package init(lanes: [LaneKey]) {
        self.lanes = lanes
        for lane in lanes { consumerKeys[lane.brand] = [:] }
    }

    // MARK: Starts

    /// Starts an incarnation, as `GatewayStore.begin(now:quietUntil:)` does.
    ///
    /// - Parameters:
    ///   - now: The time at which rows of earlier incarnations become due.
    ///   - quietUntil: Returns until when a device's quiet hours last.
    /// - Returns: The new incarnation and each lane's backlog.
    package mutating func begin(now: Timestamp, quietUntil: QuietUntil) -> IncarnationStart {
        incarnation += 1
        var recovered = 0
        backlog = [:]
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
                waiting[key] = Wait(lane: row.lane, due: due, notBefore: notBefore)
            } else if let due = waiting[key]?.due, due > now, due > (waiting[key]?.notBefore ?? now) {
                waiting[key]?.due = nil
            }
        }
        for (key, wait) in waiting where wait.due == nil { waiting[key]?.due = max(now, wait.notBefore) }
        let before = waiting
        for (key, wait) in before {
            let isAlike = waits(of: key.registration).allSatisfy { before[$0]?.due == wait.due }
            if isAlike, let due = wait.due, due > now, quietUntil(wait.lane, traits(of: key.registration)) == due,
                due > wait.notBefore
            {
                noteBacklog(LaneQueue(wait.lane, key.queue), due: due)
                continue
            }
            // Nobody asked for such a long wait: the clock was set back, or the quiet hours have changed.
            let longest = now.adding(milliseconds: IncarnationStart.longestWaitMilliseconds)
            let notBefore = wait.notBefore > longest ? now : wait.notBefore
            waiting[key]?.notBefore = notBefore
            var due = max(now, notBefore)
            if let own = wait.due { due = min(own, due) }
            waiting[key]?.due = due
            noteBacklog(LaneQueue(wait.lane, key.queue), due: due)
        }
        var start = IncarnationStart(
            incarnation: IncarnationID(incarnation),
            backlog: backlog.filter { !deletedLanes.contains($0.key.lane) },
            recovered: recovered,
            lastMessage: lastMessage
        )
        start.stopped = stoppedAtStart()
        return start
    }

    // MARK: Turns

    /// Commits one turn, as `GatewayStore.commit(_:)` does.
    ///
    /// - Parameter turn: The turn.
    /// - Returns: The result.
    package mutating func commit(_ turn: WriterTurn) -> WriterTurnResult {
        var context = Context(
            now: turn.now,
            incarnation: turn.incarnation,
            budgets: turn.budgets,
            rowsInMemory: turn.rowsInMemory,
            windows: turn.windows
        )
        (now, backlog, waitingNow) = (turn.now, [:], [:])
        var result = WriterTurnResult()
        withdrawn = []
        let newest = deliveries.count
        for outcome in turn.outcomes { result.outcomes.append(record(outcome, &context)) }
        storeRequeuedRows()
        for registration in turn.recalls { recall(registration.rawValue) }
        for request in turn.requeues { result.requeued.append(requeue(request)) }
        for (lane, isSuspended) in turn.suspensions {
            if isSuspended { suspended.insert(lane) } else { suspended.remove(lane) }
        }
        for request in turn.invalidations { result.invalidations.append(invalidate(request)) }
        for request in turn.putBacks { result.putBacks.append(putBack(request)) }
        for name in turn.releases { release(name, &context) }
        for sighting in turn.seen { note(sighting) }
        for change in turn.changes { result.changes.append(apply(change, &context)) }
        for request in turn.accepts { result.accepts.append(accept(request, &context)) }
        for request in turn.claims { result.claims.append(claim(request, &context)) }
        for id in context.owned where isPending(id) { result.owned.append(row(id)) }
        result.unowned = backlog
        for key in context.changed { result.unread[ConsumerKey(key)] = consumers[Int(key) - 1].unread }
        result.windowEvents = context.windowEvents
        result.held = context.held
        for (lane, registrations) in context.stopped {
            result.stopped[lane] = StoppedDevices(registrations: registrations, devices: devices(of: lane))
        }
        // Rows that were created in this turn are in no lane's memory.
        for id in withdrawn where id <= newest {
            let registration = RegistrationID(delivery(id).registration)
            result.withdrawn.append(WithdrawnRow(delivery: DeliveryID(id), registration: registration))
        }
        return result
    }

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
        return OutboxRow(
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
    }

    /// Returns the device's traits that decide when its pushes are sent.
    ///
    /// - Parameter registration: The id of its registration.
    /// - Returns: Nil for a registration without any.
    func traits(of registration: Int64) -> DeviceTraits? {
        guard let found = self.registration(registration) else { return nil }
        return DeviceTraits(
            locale: nil,
            timeZone: found.timeZone,
            quietHours: consumers[Int(found.consumer) - 1].quietHours
        )
    }

    /// Removes a row from the outbox.
    mutating func finish(_ id: Int64, _ state: DeliveryState, by suppressedBy: SuppressedBy? = nil) {
        let row = delivery(id)
        change(id) {
            // A push that was tapped or received was sent, however the row ends.
            $0.state = $0.isTapped ? .tapped : $0.isReceived ? .delivered : state
            $0.suppressedBy = $0.isTapped || $0.isReceived ? nil : suppressedBy
            $0.owner = nil
        }
        forget(id)
        if row.owner == nil { removeWaiting(row.queue, of: row.registration) }
    }

    /// Removes a row from the lists of pending ones.
    mutating func forget(_ id: Int64) {
        if let index = pending.firstIndex(of: id) { pending.remove(at: index) }
        let place = Int(delivery(id).registration) - 1
        if let index = registrations[place]?.pending.firstIndex(of: id) {
            registrations[place]?.pending.remove(at: index)
        }
    }

    /// Withdraws a row; does nothing when it is in the delivery log already.
    mutating func withdraw(_ id: Int64, _ state: DeliveryState, by suppressedBy: SuppressedBy?) {
        guard isPending(id) else { return }
        finish(id, state, by: suppressedBy)
        withdrawn.append(id)
    }
}

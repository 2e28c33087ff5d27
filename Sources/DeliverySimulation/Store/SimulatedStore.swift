package import GatewayModel
package import GatewayStorage

/// The store as a plain value, with the engines' rules for the part that delivery needs (`GatewayStore`): it is to
/// SQLite what a model is to the thing, only that a test holds the two side by side.
///
/// Numbers are given as SQLite gives them. What a commit did stays when the process that asked for it dies.
package struct SimulatedStore: Sendable {
    /// The lanes that there are or were, numbered from 1 in this order.
    package internal(set) var lanes: [LaneKey]
    /// Lanes whose app or brand was deleted.
    var deletedLanes: Set<LaneID> = []
    /// Those of them whose app was, with registrations that are still to be ended; rising.
    var lanesToEnd: [LaneID] = []
    /// The numbers of the consumers of each deleted brand of which something is left.
    var brandsToRemove: [Set<Int64>] = []
    /// The numbers of erased consumers of which something is left.
    var consumersToRemove: [Int64] = []
    /// When registrations of a brand were last looked at for stale ones, and the moment before which none counts as last heard of.
    var looks: [BrandID: (lookedAt: Timestamp, heardFrom: Timestamp)] = [:]
    /// A fault that is built in on purpose.
    var flaw: StoreFlaw?

    var incarnation: Int64 = 0
    var consumers: [Consumer] = []
    var conversations: [Conversation] = []
    var registrations: [Registration?] = []
    var sessions: [Session] = []
    /// The outbox and the log.
    var deliveries: [Delivery] = []
    /// Lanes whose provider is not believed that devices are gone.
    var suspended: Set<LaneID> = []
    /// The numbers of the deliveries in the outbox, rising.
    var pending: [Int64] = []
    /// Until when devices' rows wait, by registration and queue; only those with rows that nobody owns.
    var waiting: [WaitKey: Wait] = [:]
    /// When the first of the rows is due that wait since the turn began, by queue.
    var backlog: [LaneQueue: Timestamp] = [:]
    /// Registrations with rows that wait since the turn began, and the first of their queues: younger ones of that and of later
    /// queues stay behind.
    var waitingNow: [Int64: OutboxQueue] = [:]
    /// Rows that went back to the store in the turn, and are not in `waiting` yet.
    var givenBack: [Int64: GivenBack] = [:]
    /// When messages were first tapped.
    var taps: [MessageID: Timestamp] = [:]
    /// The time of the turn.
    var now = Timestamp(milliseconds: 0)
    /// Deliveries that the last turn took out of the outbox without an answer.
    var withdrawn: [Int64] = []

    var consumerKeys: [BrandID: [ConsumerID: Int64]] = [:]
    var conversationKeys: [BrandID: [ConversationID: Int64]] = [:]
    /// The numbers of campaigns, by their brands and names.
    var campaigns: [BrandID: [String: Int64]] = [:]
    var lastCampaign: Int64 = 0
    var dedupe: [DayKey: FirstComing] = [:]
    var dedupeDays: Set<Int64> = []
    var lastMessage: MessageID?

    /// An empty store.
    ///
    /// - Parameter lanes: The lanes; their brands and apps are the ones that there are.
    package init(lanes: [LaneKey]) {
        self.lanes = lanes
        for lane in lanes { consumerKeys[lane.brand] = [:] }
    }

    // MARK: Starts

    /// Starts an incarnation, as `GatewayStore.begin(now:quietUntil:)` does.
    ///
    /// - Parameters:
    ///   - now: The time that rows of earlier incarnations become due.
    ///   - quietUntil: Until when it is quiet for a device.
    /// - Returns: The new incarnation and what waits on each lane.
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
            // Nobody asked it to wait that long: the clock was set back, or quiet hours are others by now.
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

    /// Does one turn, as `GatewayStore.commit(_:)` does.
    ///
    /// - Parameter turn: The turn.
    /// - Returns: What it did.
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
        storeGivenBack()
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
        result.news = context.news
        result.held = context.held
        for (lane, registrations) in context.stopped {
            result.stopped[lane] = StoppedDevices(registrations: registrations, devices: devices(of: lane))
        }
        // No lane knows the rows that were made in this turn.
        for id in withdrawn where id <= newest {
            let registration = RegistrationID(delivery(id).registration)
            result.withdrawn.append(WithdrawnRow(delivery: DeliveryID(id), registration: registration))
        }
        return result
    }

    // MARK: Rows

    /// A line for each delivery that operators can see: its number, its state and how often it was tried.
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

    /// A row as a lane gets it, with the unread count of now.
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

    /// When a device's pushes are sent, rather than where they go.
    ///
    /// - Parameter registration: The number of its registration.
    /// - Returns: Nil for one that says nothing of it.
    func traits(of registration: Int64) -> DeviceTraits? {
        guard let found = self.registration(registration) else { return nil }
        return DeviceTraits(
            locale: nil,
            timeZone: found.timeZone,
            quietHours: consumers[Int(found.consumer) - 1].quietHours
        )
    }

    /// Takes a row out of the outbox.
    mutating func finish(_ id: Int64, _ state: DeliveryState, by suppressedBy: SuppressedBy? = nil) {
        let row = delivery(id)
        change(id) {
            // What was tapped or received was made, whatever ends the row.
            $0.state = $0.isTapped ? .tapped : $0.isReceived ? .delivered : state
            $0.suppressedBy = $0.isTapped || $0.isReceived ? nil : suppressedBy
            $0.owner = nil
        }
        forget(id)
        if row.owner == nil { removeWaiting(row.queue, of: row.registration) }
    }

    /// Takes a row off the lists of what is pending.
    mutating func forget(_ id: Int64) {
        if let index = pending.firstIndex(of: id) { pending.remove(at: index) }
        let place = Int(delivery(id).registration) - 1
        if let index = registrations[place]?.pending.firstIndex(of: id) {
            registrations[place]?.pending.remove(at: index)
        }
    }

    /// Ends a row without an answer; does nothing when it is in the log already.
    mutating func withdraw(_ id: Int64, _ state: DeliveryState, by suppressedBy: SuppressedBy?) {
        guard isPending(id) else { return }
        finish(id, state, by: suppressedBy)
        withdrawn.append(id)
    }
}

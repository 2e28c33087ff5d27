import DequeModule
package import GatewayModel
package import GatewayStorage

extension DeliveryMachine {
    /// What a turn's commit may take into memory and asks of the backlog.
    package struct TurnPlan: Sendable {
        /// How many new rows each lane can take.
        package var budgets: LaneBudgets = [:]
        /// Rows that lanes with a backlog ask for.
        package var claims: [ClaimRequest] = []
        /// Outcomes to write down, at most `maxOutcomesPerTurn` and what goes with the last of them.
        package var outcomes: [OutcomeRecord] = []
        /// How many rows registrations have in memory that have more than one.
        package var rowsInMemory: [RegistrationID: Int] = [:]
        /// Registrations with none of their rows in memory any more, of which a claim left rows in the store.
        package var recalls: [RegistrationID] = []
        /// Waiting rows that are to be due at once.
        package var requeues: [RequeueRequest] = []
        /// Lanes that are suspended from now on, and those that are no longer.
        package var suspensions: [LaneID: Bool] = [:]
        /// Stopped devices that are gone.
        package var invalidations: [StoppedDeviceRequest] = []
        /// Stopped devices that are not.
        package var putBacks: [StoppedDeviceRequest] = []

        /// Whether there is anything in it that is worth a commit of its own.
        package var needsCommit: Bool {
            !claims.isEmpty || !outcomes.isEmpty || !requeues.isEmpty || !recalls.isEmpty || !suspensions.isEmpty
                || !invalidations.isEmpty || !putBacks.isEmpty
        }
    }

    /// Plans the next commit, with slots for its rows.
    ///
    /// Each call is followed by one of ``turnCommitted(_:of:now:)`` or ``turnFailed(_:)`` before the next. Slots are only
    /// ever filled by a turn, so that the plan reserves them.
    ///
    /// A lane asks for rows of its backlogs that are due, those of agents first, and offers the slots that are left to new rows.
    /// New rows of a class that has a due backlog get none, so that they queue up behind the old ones in the store.
    ///
    /// - Parameters:
    ///   - now: The wall clock.
    ///   - isPatient: Whether outcomes wait that may; what comes in meanwhile has a shorter commit for it.
    ///   - yields: Whether proactive pushes in the store wait for the next turn.
    /// - Returns: What the commit may do.
    package mutating func beginTurn(now: Timestamp, isPatient: Bool = false, yields: Bool = false) -> TurnPlan {
        expire(now: now)
        var plan = TurnPlan()
        let (devices, rules) = (deviceRows, rules)
        lanes.settle(isBehind: { devices.isBehind($0) }, idle: { Self.idleLane(rules[$0]) })
        let outcomesWait = isPatient && !outcomes.isEmpty && outcomesMayWait(now: now)
        var count = outcomesWait ? 0 : min(outcomes.count, settings.maxOutcomesPerTurn)
        // Or a crash could find a summary sent, and what it stood for waiting.
        while count < outcomes.count, outcomes[count].isSummed { count += 1 }
        // What is not written down by then holds back what is to come, or it would grow without end.
        let slots = slotsPerLane - (outcomes.count - count)
        var rooms = rooms(slots: slots, now: now)
        var asking = asking(rooms, givingBack: lanesGivingBack(after: count), now: now)
        if yields { asking.removeAll { $0.queue.pushClass == .proactive } }
        plan.claims = share(&rooms, among: asking, now: now)
        if !isDraining { plan.budgets = LaneBudgets(idle: lanes.idle, budget: idleBudget(slots: slots)) }
        for id in lanes.busy { plan.budgets[id] = rooms[id].flatMap { budget(of: id, $0, now: now) } }
        plan.rowsInMemory = deviceRows.crowded
        // The last rows of a device that is out of memory have outcomes, too, which wait for others.
        if !isDraining, !outcomesWait {
            plan.recalls = deviceRows.recallable.sorted { $0.rawValue < $1.rawValue }
        }
        // One after the other: a brand's waiting rows may be many.
        if let id = requeues.keys.min(by: { $0.rawValue < $1.rawValue }), !isDraining {
            let queues = lanes[id]?.queues.sorted() ?? []
            plan.requeues = [RequeueRequest(lane: id, queues: queues, limit: settings.maxClaimsPerTurn)]
        }
        planInvalidations(&plan, now: now)
        // What a device had waiting when it was stopped is older than what comes with its return.
        for request in plan.putBacks { plan.budgets[request.lane]?.mayHaveBacklog = true }
        plan.outcomes = Array(outcomes.prefix(count))
        outcomes.removeFirst(count)
        if count > 0 { outcomesTakenAt = now }
        return plan
    }

    /// Whether the outcomes are too few and too harmless for a commit of their own so soon after the last.
    ///
    /// - Parameter now: The wall clock.
    /// - Returns: Also true when there are none.
    package func outcomesMayWait(now: Timestamp) -> Bool {
        if outcomes.isEmpty { return true }
        // Rows that are to be due at once must be in the store for it.
        guard requeues.isEmpty, lastUrgentOutcome <= outcomesCommitted, !isDraining else { return false }
        guard let outcomesTakenAt, let outcomesDue, outcomesTakenAt <= now, now < outcomesDue else { return false }
        return outcomes.count < settings.outcomesWorthATurn
    }

    /// When outcomes that may wait are written down at the latest; nil when there are none.
    private var outcomesDue: Timestamp? {
        outcomes.isEmpty ? nil : outcomesTakenAt?.adding(milliseconds: settings.outcomeWaitMilliseconds)
    }

    /// The room in memory of the lanes that may send.
    private func rooms(slots: Int, now: Timestamp) -> [LaneID: LaneRoom] {
        guard !isDraining else { return [:] }
        var rooms: [LaneID: LaneRoom] = [:]
        for (id, lane) in lanes.busyLanes where !lane.isRemoved && lane.blockedUntil(now: now) == nil {
            rooms[id] = LaneRoom(slots: slots, lane.rows)
        }
        return rooms
    }

    /// What a lane of which nothing is in memory or waits does with new rows.
    private static func idleLane(_ rules: LaneRules?) -> LaneBudgets.Idle {
        LaneBudgets.Idle(
            pacesCampaigns: rules?.campaignRatePerSecond != nil,
            limitsDevices: rules?.summaryThreshold == nil
        )
    }

    /// The slots that such a lane has for new rows.
    private func idleBudget(slots: Int) -> LaneBudget {
        let room = LaneRoom(slots: slots, RowCounts())
        return LaneBudget(
            slots: room.free,
            proactiveSlots: room[.proactive],
            mayHaveBacklog: false,
            deviceLimit: DeviceLimit(settings.rowsPerDevice)
        )
    }

    /// The slots that a lane has for new rows.
    private func budget(of id: LaneID, _ room: LaneRoom, now: Timestamp) -> LaneBudget? {
        guard let lane = lanes[id] else { return nil }
        var budget = LaneBudget(
            slots: room.free,
            proactiveSlots: room[.proactive],
            mayHaveBacklog: !lane.backlog.isEmpty || deviceRows.isBehind(id),
            deviceLimit: makesSummaries(id) ? nil : DeviceLimit(settings.rowsPerDevice)
        )
        for (queue, due) in lane.backlog where due <= now { budget.closed.insert(queue.pushClass) }
        budget.pacesCampaigns = rules[id]?.campaignRatePerSecond != nil
        return budget
    }

    /// The queues with a due backlog for which there is room, in the order of their numbers.
    private func asking(_ rooms: [LaneID: LaneRoom], givingBack: Set<LaneID>, now: Timestamp) -> [LaneQueue] {
        var asking: [LaneQueue] = []
        for (id, room) in rooms where !givingBack.contains(id) {
            for queue in lanes[id]?.backlog.keys ?? [:].keys where isAsking(LaneQueue(id, queue), room, now: now) {
                asking.append(LaneQueue(id, queue))
            }
        }
        return asking.sorted()
    }

    private func isAsking(_ place: LaneQueue, _ room: LaneRoom, now: Timestamp) -> Bool {
        guard let due = lanes[place.lane]?.backlog[place.queue], due <= now,
            room.isWorthAClaim(place.queue.pushClass)
        else { return false }
        return nextPush(of: place, now: now).map { $0 <= now } ?? true
    }

    /// Whether the writer is to look at once at what answers left.
    ///
    /// - Parameters:
    ///   - lane: The lane whose pushes were answered.
    ///   - hadOutcomes: Whether there were outcomes before, for which the writer wakes anyway.
    ///   - now: The wall clock.
    /// - Returns: False when it is soon enough when the outcomes have waited.
    package func needsTurn(afterAnswersOf lane: LaneID, hadOutcomes: Bool, now: Timestamp) -> Bool {
        if !hadOutcomes || !outcomesMayWait(now: now) { return true }
        // There may be room now for rows that wait in the store.
        guard let rows = lanes[lane]?.rows, let queues = lanes[lane]?.backlog.keys else { return false }
        let room = LaneRoom(slots: slotsPerLane - outcomes.count, rows)
        return queues.contains { isAsking(LaneQueue(lane, $0), room, now: now) }
    }

    /// When the next push of a campaign may leave; nil when it has no pace.
    private func nextPush(of place: LaneQueue, now: Timestamp) -> Timestamp? {
        guard let rate = pace(of: place) else { return nil }
        return paces[place.queue]?.nextPush(perSecond: rate, now: now) ?? now
    }

    /// How many pushes of a queue may leave in a second; nil when it has no pace.
    private func pace(of place: LaneQueue) -> Int64? {
        place.queue.isCampaign ? rules[place.lane]?.campaignRatePerSecond : nil
    }

    /// Lanes with a device whose rows go back to the store in a later turn than the next, which takes the first `count`
    /// outcomes: what they claimed now would only go back behind those, and could do so for ever.
    private func lanesGivingBack(after count: Int) -> Set<LaneID> {
        guard outcomes.count > count else { return [] }
        var lanes: Set<LaneID> = []
        for id in givenBack {
            guard let registration = registrations[id], let mark = registration.givenBack else { continue }
            if mark.outcome > outcomesCommitted + UInt64(count) { lanes.insert(registration.lane) }
        }
        return lanes
    }

    /// Whether a lane makes one push of many: all that waits for a device is handed out together then.
    private func makesSummaries(_ lane: LaneID) -> Bool { rules[lane]?.summaryThreshold != nil }

    /// How many rows each lane may have in memory now.
    private var slotsPerLane: Int {
        rowCount < settings.slots ? settings.slotsPerLane : min(settings.slotsPerLane, settings.leastSlotsPerLane)
    }

    /// Claims for queues that ask: those of agents' messages first, and of a class the one after the one that was served last.
    ///
    /// At most `maxClaimsPerTurn` rows in all, so that backlogs do not hold up new events, but for a device to which more than
    /// a lane's share is to be told at once.
    private mutating func share(
        _ rooms: inout [LaneID: LaneRoom],
        among asking: [LaneQueue],
        now: Timestamp
    ) -> [ClaimRequest] {
        var claims: [ClaimRequest] = []
        var left = settings.maxClaimsPerTurn
        var pushes: [OutboxQueue: Int] = [:]
        for pushClass in PushClass.allCases {
            let queues = asking.filter { $0.queue.pushClass == pushClass }
            let first = lastClaims[pushClass].flatMap { last in queues.firstIndex { $0 > last } } ?? 0
            for (index, place) in (queues[first...] + queues[..<first]).enumerated() {
                // An equal part of what is left, but never crumbs.
                let part = max(left / (queues.count - index), min(left, 64))
                var limit = min(rooms[place.lane]?[pushClass] ?? 0, part)
                if let rate = pace(of: place) {
                    let paced = pushes[place.queue] ?? self.pushes(of: place.queue, perSecond: rate, now: now)
                    limit = min(limit, paced)
                    pushes[place.queue] = paced - limit
                }
                guard limit > 0 else { continue }
                let claim = self.claim(place, limit: limit, of: rooms[place.lane]?.free ?? 0)
                claims.append(claim)
                rooms[place.lane]?.take(claim.most, pushClass)
                left -= limit
                lastClaims[pushClass] = place
            }
        }
        return claims
    }

    private func claim(_ place: LaneQueue, limit: Int, of free: Int) -> ClaimRequest {
        let isSummed = place.queue == .agent && makesSummaries(place.lane)
        return ClaimRequest(
            lane: place.lane,
            queue: place.queue,
            limit: limit,
            // One device's rows may be more than that, or its summary would be several.
            deviceRows: isSummed
                ? .whole(upTo: min(free, settings.maxClaimsPerTurn)) : .limited(to: DeviceLimit(settings.rowsPerDevice))
        )
    }

    /// How many campaigns' paces are remembered; more begin anew, which lets 40 ms' pushes out too many.
    private static let maxPaces = 1000

    /// How many pushes of a campaign may leave now.
    private mutating func pushes(of campaign: OutboxQueue, perSecond rate: Int64, now: Timestamp) -> Int {
        if paces.count >= Self.maxPaces, paces[campaign] == nil { paces = [:] }
        var pace = paces[campaign] ?? CampaignPace(perSecond: rate, now: now)
        pace.fill(perSecond: rate, now: now)
        paces[campaign] = pace
        return pace.pushes
    }

    /// Tells a lane's number before its first row, so that the first rows already find slots.
    ///
    /// - Parameter lane: The lane.
    package mutating func addLane(_ lane: LaneID) {
        if lanes[lane] == nil { lanes[lane] = Lane(settings) }
    }

    /// Takes in what a commit did, in the order in which the engine did it: outcomes, changes, new rows, claims.
    ///
    /// - Parameters:
    ///   - result: What the commit did.
    ///   - committed: The turn that was committed.
    ///   - now: The wall clock.
    /// - Returns: Lanes that have something to send now.
    package mutating func turnCommitted(
        _ result: WriterTurnResult,
        of committed: WriterTurn,
        now: Timestamp
    ) -> Set<LaneID> {
        outcomesCommitted += UInt64(committed.outcomes.count)
        // Outcomes come first in a commit: what it handed out afterwards is in order already.
        forgetGivenBack()
        followInvalidations(result, of: committed, now: now)
        for (change, outcome) in zip(committed.changes, result.changes) { apply(outcome, of: change, now: now) }
        remove(result.withdrawn)
        for (consumer, unread) in result.unread {
            guard let place = consumers.index(forKey: consumer) else { continue }
            consumers.values[place].unread = unread
        }
        for (place, due) in result.unowned {
            addLane(place.lane)
            lanes[place.lane]?.noteBacklog(place.queue, due: due)
        }
        for id in committed.recalls { deviceRows.recalled(id) }
        for (request, count) in zip(committed.requeues, result.requeued) {
            let isWhole = requeues[request.lane].map { $0 <= outcomesCommitted } ?? true
            if count < request.limit, isWhole { requeues[request.lane] = nil }
        }
        for row in result.owned { place(row, now: now) }
        for claim in result.claims {
            let areDevicesWhole = claim.queue == .agent && makesSummaries(claim.lane)
            paces[claim.queue]?.take(claim.rows.count)
            for row in claim.rows {
                place(row, now: now)
                if areDevicesWhole { registrations[row.registration]?.isClaimed = true }
            }
            for id in claim.behind {
                deviceRows.leftBehind(id, of: claim.lane, isInMemory: registrations[id]?.head != nil)
            }
            guard var lane = lanes[claim.lane] else { continue }
            // What was given back since the claim was made is not in its answer.
            lane.backlog[claim.queue] = [claim.nextDue, lane.backlogDuringTurn[claim.queue]].compactMap { $0 }.min()
            lanes[claim.lane] = lane
        }
        return lanesWithWork(now: now)
    }

    /// Lanes that have something to send now.
    ///
    /// - Parameter now: The wall clock.
    /// - Returns: Their numbers.
    package func lanesWithWork(now: Timestamp) -> Set<LaneID> {
        Set(lanes.busyLanes.lazy.filter { $0.lane.hasWork(now: now) }.map(\.id))
    }

    /// Puts back what a failed commit would have written down; nothing of the turn is stored.
    ///
    /// - Parameter outcomes: The outcomes of the turn, which must be written down some time.
    package mutating func turnFailed(_ outcomes: [OutcomeRecord]) {
        for outcome in outcomes.reversed() { self.outcomes.prepend(outcome) }
    }

    /// When something is to be done although nobody calls: the earliest moment at which a backlog is due, a lane may send
    /// again or a row in memory expires.
    ///
    /// - Parameter now: The wall clock.
    /// - Returns: Nil when only calls can bring anything; a moment that is not later than `now` means at once.
    package func nextDeadline(now: Timestamp) -> Timestamp? {
        guard !isDraining else { return nil }
        var next: Timestamp?
        let slots = slotsPerLane - (outcomesMayWait(now: now) ? outcomes.count : 0)
        for (id, lane) in lanes.busyLanes where !lane.isRemoved {
            if let blocked = lane.blockedUntil(now: now) {
                if !lane.backlog.isEmpty || !lane.ready.isEmpty { next = min(next ?? blocked, blocked) }
                continue
            }
            if let until = lane.quotaUntil(now: now) { next = min(next ?? until, until) }
            let room = LaneRoom(slots: slots, lane.rows)
            for (queue, due) in lane.backlog where room.isWorthAClaim(queue.pushClass) {
                let due = max(due, nextPush(of: LaneQueue(id, queue), now: now) ?? due)
                next = min(next ?? due, due)
            }
        }
        if let expiry = nextExpiry(now: now) { next = min(next ?? expiry, expiry) }
        let outcomesDue = outcomesMayWait(now: now) ? outcomesDue : nil
        if !requeues.isEmpty || outcomesDue == nil && !deviceRows.recallable.isEmpty {
            next = min(next ?? now, now)
        }
        if let outcomesDue { next = min(next ?? outcomesDue, outcomesDue) }
        if let invalidation = nextInvalidation(now: now) { next = min(next ?? invalidation, invalidation) }
        return next
    }

    /// After the commit that gave rows back, the engine itself keeps younger ones behind them.
    private mutating func forgetGivenBack() {
        for id in givenBack {
            guard let mark = registrations[id]?.givenBack, mark.outcome > outcomesCommitted else {
                registrations[id]?.givenBack = nil
                givenBack.remove(id)
                forgetIfIdle(id)
                continue
            }
        }
    }

    private static func count(_ row: OutboxRow, isNew: Bool, in consumer: inout Consumer) {
        consumer.unread = row.unread
        if isNew { consumer.registrations.append(row.registration) }
    }

    private mutating func place(_ row: OutboxRow, now: Timestamp) {
        addLane(row.lane)
        let key = row.registration
        if isDraining {
            release(row, due: now)
            return
        }
        if let mark = registrations[key]?.givenBack {
            // An older sibling went back to the store while this one was being taken: it follows, or it would overtake.
            release(row, due: mark.due, isAsked: mark.isAsked)
            registrations[key]?.givenBack?.outcome = outcomesAdded
            // It waits for what its sibling did, though that may be looked at again meanwhile.
            if requeues[row.lane] != nil { requeues[row.lane] = outcomesAdded }
            lanes[row.lane]?.noteBacklog(row.queue, due: mark.due)
            return
        }
        firstExpiry = min(firstExpiry ?? row.expiresAt, row.expiresAt)
        // One look-up in each of the three: this is done for every row.
        var isNew = false
        var (before, ready) = (PushClass?.none, PushClass?.some(row.queue.pushClass))
        if let place = registrations.index(forKey: key) {
            registrations.values[place].token = row.token
            registrations.values[place].traits = row.traits
            before = registrations.values[place].readyClass
            if registrations.values[place].head == nil {
                registrations.values[place].firstQueuedAt = row.queuedAt
            } else {
                registrations.values[place].firstQueuedAt = min(registrations.values[place].firstQueuedAt, row.queuedAt)
            }
            registrations.values[place].insert(row)
            ready = registrations.values[place].readyClass
            deviceRows.came(key, count: registrations.values[place].rowCount)
        } else {
            isNew = true
            registrations[key] = Registration(row)
            deviceRows.came(key, count: 1)
        }
        Self.count(row, isNew: isNew, in: &consumers[row.consumer, default: Consumer(unread: row.unread)])
        var isRemoved = false
        if let place = lanes.place(of: row.lane) {
            lanes[place].rows.add(row)
            if let ready, ready != before { lanes[place].ready.append(key, ready) }
            if let before, ready != before { lanes[place].ready.remove(key, before) }
            isRemoved = lanes[place].isRemoved
        }
        if isRemoved {
            giveBackWaiting(key, due: now)
            lanes[row.lane]?.ready = ReadyQueue()
        }
    }
}

import DequeModule
package import GatewayModel
package import GatewayStorage

extension DeliveryMachine {
    /// The contents of the next commit: what it may take into memory, and what it claims from the backlog.
    package struct TurnPlan: Sendable {
        /// The number of new rows that each lane can take.
        package var budgets: LaneBudgets = [:]
        /// Claims of rows by lanes with a backlog.
        package var claims: [ClaimRequest] = []
        /// Outcomes to store, at most `maxOutcomesPerTurn` plus the rows that the last of them stands for.
        package var outcomes: [OutcomeRecord] = []
        /// The number of rows in memory, for each registration that has more than one.
        package var rowsInMemory: [RegistrationID: Int] = [:]
        /// Registrations without a row in memory, of which a claim left rows in the store.
        package var recalls: [RegistrationID] = []
        /// Waiting rows that become due at once.
        package var requeues: [RequeueRequest] = []
        /// Lanes that are suspended from now on, and those that no longer are.
        package var suspensions: [LaneID: Bool] = [:]
        /// Stopped devices that end.
        package var invalidations: [StoppedDeviceRequest] = []
        /// Stopped devices that are put back.
        package var putBacks: [StoppedDeviceRequest] = []

        /// Whether it has anything that is worth a commit of its own.
        package var needsCommit: Bool {
            !claims.isEmpty || !outcomes.isEmpty || !requeues.isEmpty || !recalls.isEmpty || !suspensions.isEmpty
                || !invalidations.isEmpty || !putBacks.isEmpty
        }
    }

    /// Plans the next commit, with slots for its rows.
    ///
    /// Each call is followed by one of ``turnCommitted(_:of:now:)`` or ``turnFailed(_:)`` before the next. Slots are
    /// only ever filled by a turn, so that the plan reserves them.
    ///
    /// A lane claims rows of its due backlogs, those of agents first, and offers the remaining slots to new rows. New
    /// rows of a class that has a due backlog get none, so that they queue up behind the older ones in the store.
    ///
    /// If `isPatient`, outcomes that may wait do wait; what arrives meanwhile then has a shorter commit. If `yields`,
    /// campaigns wait for the next turn: proactive pushes in the store, and outcomes while proactive pushes are sent.
    package mutating func beginTurn(now: Timestamp, isPatient: Bool = false, yields: Bool = false) -> TurnPlan {
        expire(now: now)
        var plan = TurnPlan()
        let (devices, rules) = (deviceRows, rules)
        lanes.settle(isBehind: { devices.isBehind($0) }, idle: { Self.idleLane(rules[$0]) })
        let outcomesWait =
            isPatient && !outcomes.isEmpty && (outcomesMayWait(now: now) || yields && outcomesMayYield)
        var count = outcomesWait ? 0 : outcomesPerTurn(isPatient: isPatient)
        // Otherwise a crash could leave a summary as sent, but its rows as waiting.
        while count < outcomes.count, outcomes[count].isSummed { count += 1 }
        // Outcomes that are not stored by then reduce the slots, or memory would grow without bound.
        let slots = slotsPerLane - (outcomes.count - count)
        var rooms = rooms(slots: slots, now: now)
        var asking = asking(rooms, requeuing: lanesRequeuing(after: count), now: now)
        if yields { asking.removeAll { $0.queue.pushClass == .proactive } }
        plan.claims = share(&rooms, among: asking, now: now)
        if !isDraining { plan.budgets = LaneBudgets(idle: lanes.idle, budget: idleBudget(slots: slots)) }
        for id in lanes.busy { plan.budgets[id] = rooms[id].flatMap { budget(of: id, $0, now: now) } }
        plan.rowsInMemory = deviceRows.crowded
        // The last rows of a device that is no longer in memory have outcomes too, which wait for others.
        if !isDraining, !outcomesWait {
            plan.recalls = deviceRows.recallable.sorted { $0.rawValue < $1.rawValue }
        }
        // One lane at a time: a brand may have many waiting rows.
        if let id = requeues.keys.min(by: { $0.rawValue < $1.rawValue }), !isDraining {
            let queues = lanes[id]?.queues.sorted() ?? []
            plan.requeues = [RequeueRequest(lane: id, queues: queues, limit: settings.maxClaimsPerTurn)]
        }
        planInvalidations(&plan, now: now)
        // Rows that a device had waiting when it was stopped are older than those that come after its return.
        for request in plan.putBacks { plan.budgets[request.lane]?.mayHaveBacklog = true }
        plan.outcomes = Array(outcomes.prefix(count))
        outcomes.removeFirst(count)
        if count > 0 { outcomesTakenAt = now }
        return plan
    }

    /// Whether the outcomes may wait for the next turn, because most of them are a campaign's.
    private var outcomesMayYield: Bool {
        areOutcomesPatient && outcomes.count < settings.maxOutcomesPerTurn && isCampaignSent
    }

    /// Returns the number of outcomes that the next turn stores; at least one when there are any.
    ///
    /// While a campaign is sent, a long commit is divided: the turn leaves outcomes that may wait to those after it, at
    /// most half, so that never more pile up than come during two turns, and no more than a quarter of a lane's slots,
    /// because they take the place of rows.
    private func outcomesPerTurn(isPatient: Bool) -> Int {
        var left = 0
        if isPatient, areOutcomesPatient, isCampaignSent {
            left = max(min(outcomes.count - settings.leastOutcomesPerTurn, outcomes.count / 2, slotsPerLane / 4), 0)
        }
        return min(outcomes.count - left, settings.maxOutcomesPerTurn)
    }

    /// Whether proactive pushes are in memory.
    private var isCampaignSent: Bool { lanes.busyLanes.contains { $0.lane.rows[.proactive] > 0 } }

    /// Whether no outcome must be stored at once.
    private var areOutcomesPatient: Bool {
        // Rows that become due at once must be in the store for it.
        requeues.isEmpty && lastUrgentOutcome <= outcomesCommitted && !isDraining
    }

    /// Returns whether the outcomes are too few and not urgent enough for a commit of their own so soon after the last;
    /// also true when there are none.
    package func outcomesMayWait(now: Timestamp) -> Bool {
        if outcomes.isEmpty { return true }
        guard areOutcomesPatient, let outcomesTakenAt, let outcomesDue, outcomesTakenAt <= now, now < outcomesDue
        else { return false }
        return outcomes.count < settings.outcomesWorthATurn
    }

    /// The latest time at which outcomes that may wait are stored; nil when there are none.
    private var outcomesDue: Timestamp? {
        outcomes.isEmpty ? nil : outcomesTakenAt?.adding(milliseconds: settings.outcomeWaitMilliseconds)
    }

    /// Returns the room in memory of the lanes that may send.
    private func rooms(slots: Int, now: Timestamp) -> [LaneID: LaneRoom] {
        guard !isDraining else { return [:] }
        var rooms: [LaneID: LaneRoom] = [:]
        for (id, lane) in lanes.busyLanes where !lane.isClosed && lane.blockedUntil(now: now) == nil {
            rooms[id] = LaneRoom(slots: slots, lane.rows)
        }
        return rooms
    }

    /// Returns what a lane without rows in memory and without a backlog does with new rows.
    private static func idleLane(_ rules: LaneRules?) -> LaneBudgets.Idle {
        LaneBudgets.Idle(
            pacesCampaigns: rules?.campaignRatePerSecond != nil,
            limitsDevices: rules?.summaryThreshold == nil
        )
    }

    /// Returns the slots that an idle lane has for new rows.
    private func idleBudget(slots: Int) -> LaneBudget {
        let room = LaneRoom(slots: slots, RowCounts())
        return LaneBudget(
            slots: room.free,
            proactiveSlots: room[.proactive],
            mayHaveBacklog: false,
            deviceLimit: DeviceLimit(settings.rowsPerDevice)
        )
    }

    /// Returns the slots that a lane has for new rows.
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

    /// Returns the queues with a due backlog for which there is room, in the order of their ids.
    private func asking(_ rooms: [LaneID: LaneRoom], requeuing: Set<LaneID>, now: Timestamp) -> [LaneQueue] {
        var asking: [LaneQueue] = []
        for (id, room) in rooms where !requeuing.contains(id) {
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

    /// Returns whether the writer must start a turn at once after push results; false when a turn after the outcomes'
    /// wait is soon enough.
    ///
    /// If there were outcomes before, the writer wakes up for them anyway.
    package func needsTurn(afterAnswersOf lane: LaneID, hadOutcomes: Bool, now: Timestamp) -> Bool {
        if !hadOutcomes || !outcomesMayWait(now: now) { return true }
        // There may be room now for rows in the store.
        guard let rows = lanes[lane]?.rows, let queues = lanes[lane]?.backlog.keys else { return false }
        let room = LaneRoom(slots: slotsPerLane - outcomes.count, rows)
        return queues.contains { isAsking(LaneQueue(lane, $0), room, now: now) }
    }

    /// Returns when the next push of a campaign may leave; nil when it is not paced.
    private func nextPush(of place: LaneQueue, now: Timestamp) -> Timestamp? {
        guard let rate = pace(of: place) else { return nil }
        return paces[place.queue]?.nextPush(perSecond: rate, now: now) ?? now
    }

    /// Returns the number of pushes of a queue that may leave in a second; nil when it is not paced.
    private func pace(of place: LaneQueue) -> Int64? {
        place.queue.isCampaign ? rules[place.lane]?.campaignRatePerSecond : nil
    }

    /// Returns the lanes with a device whose rows are requeued in a later turn than the next, which takes the first
    /// `count` outcomes: rows that they claimed now would only be requeued behind those, possibly again and again.
    private func lanesRequeuing(after count: Int) -> Set<LaneID> {
        guard outcomes.count > count else { return [] }
        var lanes: Set<LaneID> = []
        for id in requeuedRows {
            guard let registration = registrations[id], let mark = registration.requeuedRows else { continue }
            if mark.outcome > outcomesCommitted + UInt64(count) { lanes.insert(registration.lane) }
        }
        return lanes
    }

    /// Returns whether a lane makes summaries: all waiting rows of a device are then handed out together.
    private func makesSummaries(_ lane: LaneID) -> Bool { rules[lane]?.summaryThreshold != nil }

    /// The number of rows that each lane may have in memory now.
    private var slotsPerLane: Int {
        rowCount < settings.slots ? settings.slotsPerLane : min(settings.slotsPerLane, settings.leastSlotsPerLane)
    }

    /// Returns claims for the asking queues: those of agents' messages first; within a class, after the queue that was
    /// served last.
    ///
    /// At most `maxClaimsPerTurn` rows in all, so that backlogs do not delay new events; only a device that needs more
    /// than a lane's share for its summary gets more.
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
                // An equal part of what is left, but not fewer than 64.
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
            // One device's rows may be more than that, or there would be several summaries.
            deviceRows: isSummed
                ? .whole(upTo: min(free, settings.maxClaimsPerTurn)) : .limited(to: DeviceLimit(settings.rowsPerDevice))
        )
    }

    /// The number of campaigns whose pace is remembered; when there are more, all start over, which lets through up to
    /// 80 ms' pushes too many.
    private static let maxPaces = 1000

    /// Returns the number of pushes of a campaign that may leave now.
    private mutating func pushes(of campaign: OutboxQueue, perSecond rate: Int64, now: Timestamp) -> Int {
        if paces.count >= Self.maxPaces, paces[campaign] == nil { paces = [:] }
        var pace = paces[campaign] ?? PushPace(perSecond: rate, now: now)
        pace.fill(perSecond: rate, now: now)
        paces[campaign] = pace
        return pace.pushes(perSecond: rate)
    }

    /// Registers a lane before its first row, so that the first rows already find slots.
    package mutating func addLane(_ lane: LaneID) {
        if lanes[lane] == nil { lanes[lane] = Lane(settings) }
    }

    /// Applies the result of a commit in the order in which the engine did it: outcomes, changes, new rows, claims;
    /// returns lanes that have something to send now.
    package mutating func turnCommitted(
        _ result: WriterTurnResult,
        of committed: WriterTurn,
        now: Timestamp
    ) -> Set<LaneID> {
        outcomesCommitted += UInt64(committed.outcomes.count)
        // Outcomes come first in a commit: rows that it handed out afterwards are in order already.
        forgetRequeuedRows()
        followInvalidations(result, of: committed, now: now)
        apply(result.updates, now: now)
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
            // Rows that were requeued since the claim was planned are not in its result.
            lane.backlog[claim.queue] = [claim.nextDue, lane.backlogDuringTurn[claim.queue]].compactMap { $0 }.min()
            lanes[claim.lane] = lane
        }
        return lanesWithWork(now: now)
    }

    /// Returns the lanes that have something to send now.
    package func lanesWithWork(now: Timestamp) -> Set<LaneID> {
        Set(lanes.busyLanes.lazy.filter { $0.lane.hasWork(now: now) }.map(\.id))
    }

    /// Puts back the outcomes of a failed commit that must still be stored; nothing of the turn is stored.
    package mutating func turnFailed(_ outcomes: [OutcomeRecord]) {
        for outcome in outcomes.reversed() { self.outcomes.prepend(outcome) }
    }

    /// Returns when something must be done without any call: the earliest time at which a backlog is due, a lane may
    /// send again or a row in memory expires.
    ///
    /// - Returns: Nil when nothing is scheduled; a time that is not later than `now` means at once.
    package func nextDeadline(now: Timestamp) -> Timestamp? {
        guard !isDraining else { return nil }
        var next: Timestamp?
        let slots = slotsPerLane - (outcomesMayWait(now: now) ? outcomes.count : 0)
        for (id, lane) in lanes.busyLanes where !lane.isClosed {
            if let blocked = lane.blockedUntil(now: now) {
                if !lane.backlog.isEmpty || !lane.ready.isEmpty { next = min(next ?? blocked, blocked) }
                continue
            }
            if let until = lane.limitedUntil(now: now) { next = min(next ?? until, until) }
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

    /// Forgets requeued rows after their commit: from then on the engine itself keeps younger ones behind them.
    private mutating func forgetRequeuedRows() {
        for id in requeuedRows {
            guard let mark = registrations[id]?.requeuedRows, mark.outcome > outcomesCommitted else {
                registrations[id]?.requeuedRows = nil
                requeuedRows.remove(id)
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
        if let mark = registrations[key]?.requeuedRows {
            // An older row of the device was requeued while this one was taken: requeue this one too, or it would
            // overtake.
            release(row, due: mark.due, isAsked: mark.isAsked)
            registrations[key]?.requeuedRows?.outcome = outcomesAdded
            // It waits for the same reason as the older row, although its wait may be checked again meanwhile.
            if requeues[row.lane] != nil { requeues[row.lane] = outcomesAdded }
            lanes[row.lane]?.noteBacklog(row.queue, due: mark.due)
            return
        }
        firstExpiry = min(firstExpiry ?? row.expiresAt, row.expiresAt)
        // One look-up in each of the three: this runs for every row.
        var isNew = false
        var (before, ready) = (PushClass?.none, PushClass?.some(row.queue.pushClass))
        if let place = registrations.index(forKey: key) {
            registrations.values[place].token = row.token
            registrations.values[place].traits = row.traits
            registrations.values[place].receivesAgents = row.receivesAgents
            before = registrations.values[place].readyClass
            if registrations.values[place].head == nil {
                registrations.values[place].firstQueuedAt = row.queuedAt
            } else {
                registrations.values[place].firstQueuedAt = min(registrations.values[place].firstQueuedAt, row.queuedAt)
            }
            registrations.values[place].insert(row)
            ready = registrations.values[place].readyClass
            deviceRows.added(key, count: registrations.values[place].rowCount)
        } else {
            isNew = true
            registrations[key] = Registration(row)
            deviceRows.added(key, count: 1)
        }
        Self.count(row, isNew: isNew, in: &consumers[row.consumer, default: Consumer(unread: row.unread)])
        var isClosed = false
        if let place = lanes.place(of: row.lane) {
            lanes[place].rows.add(row)
            if let ready, ready != before { lanes[place].ready.append(key, ready) }
            if let before, ready != before { lanes[place].ready.remove(key, before) }
            isClosed = lanes[place].isClosed
        }
        if isClosed {
            requeueWaiting(key, due: now)
            lanes[row.lane]?.ready = ReadyQueue()
        }
    }
}

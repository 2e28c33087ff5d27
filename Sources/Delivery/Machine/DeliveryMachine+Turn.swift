import DequeModule
package import GatewayModel
package import GatewayStorage

extension DeliveryMachine {
    /// What a turn's commit may take into memory and asks of the backlog.
    package struct TurnPlan: Sendable {
        /// How many new rows each lane can take.
        package var budgets: [LaneID: LaneBudget] = [:]
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

        /// Whether there is anything in it that is worth a commit of its own.
        package var needsCommit: Bool {
            !claims.isEmpty || !outcomes.isEmpty || !requeues.isEmpty || !recalls.isEmpty
        }
    }

    /// Plans the next commit, with slots for its rows.
    ///
    /// Each call is followed by one of ``turnCommitted(_:of:now:)`` or ``turnFailed(_:)`` before the next. Slots are only
    /// ever filled by a turn, so that the plan reserves them.
    ///
    /// A lane without a due backlog offers its free slots to new rows. One with a due backlog, or that may not send,
    /// offers none, so that new rows queue up behind the old ones in the store; the first kind asks for the old ones.
    ///
    /// - Parameter now: The wall clock.
    /// - Returns: What the commit may do.
    package mutating func beginTurn(now: Timestamp) -> TurnPlan {
        expire(now: now)
        var plan = TurnPlan()
        var index = lanes.startIndex
        while index != lanes.endIndex {
            lanes.values[index].backlogDuringTurn = nil
            lanes.formIndex(after: &index)
        }
        var count = min(outcomes.count, settings.maxOutcomesPerTurn)
        // Or a crash could find a summary sent, and what it stood for waiting.
        while count > 0, count < outcomes.count, outcomes[count].isSummed { count += 1 }
        let givingBack = lanesGivingBack(after: count)
        let lanesBehind = Set(behind.values)
        // What is not written down by then holds back what is to come, or it would grow without end.
        let slots = slotsPerLane - (outcomes.count - count)
        var asking: [(lane: LaneID, free: Int)] = []
        for (id, lane) in lanes {
            let free = slots - lane.rows
            guard !isDraining, !lane.isRemoved, free > 0, lane.blockedUntil(now: now) == nil else { continue }
            if let due = lane.backlog, due <= now {
                if isWorthAClaim(lane, slots: slots), !givingBack.contains(id) { asking.append((id, free)) }
            } else {
                plan.budgets[id] = LaneBudget(
                    slots: free,
                    mayHaveBacklog: lane.backlog != nil || lanesBehind.contains(id),
                    deviceLimit: makesSummaries(id) ? nil : settings.rowsPerDevice
                )
            }
        }
        plan.claims = share(among: asking)
        plan.rowsInMemory = rowsInMemory()
        if !isDraining { plan.recalls = behind.keys.filter(isOutOfMemory).sorted { $0.rawValue < $1.rawValue } }
        // One after the other: a brand's waiting rows may be many.
        if let lane = requeues.keys.min(by: { $0.rawValue < $1.rawValue }), !isDraining {
            plan.requeues = [RequeueRequest(lane: lane, limit: settings.maxClaimsPerTurn)]
        }
        plan.outcomes = Array(outcomes.prefix(count))
        outcomes.removeFirst(count)
        return plan
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

    private func isOutOfMemory(_ id: RegistrationID) -> Bool { registrations[id]?.head == nil }

    /// The registrations with more than one row in memory, and how many.
    private mutating func rowsInMemory() -> [RegistrationID: Int] {
        var counts: [RegistrationID: Int] = [:]
        for id in crowded {
            let count = registrations[id]?.rowCount ?? 0
            if count > 1 { counts[id] = count } else { crowded.remove(id) }
        }
        return counts
    }

    /// A claim is worth its transaction only when it brings more than a few rows.
    private func isWorthAClaim(_ lane: Lane, slots: Int) -> Bool {
        lane.rows == 0 || slots - lane.rows >= max(slots / 4, 1)
    }

    /// How many rows each lane may have in memory now.
    private var slotsPerLane: Int {
        rowCount < settings.slots ? settings.slotsPerLane : min(settings.slotsPerLane, settings.leastSlotsPerLane)
    }

    /// Claims for lanes that ask, the lane after the one that was served last first.
    ///
    /// At most `maxClaimsPerTurn` rows in all, so that backlogs do not hold up new events, but for a device to which more than
    /// a lane's share is to be told at once.
    private mutating func share(among asking: [(lane: LaneID, free: Int)]) -> [ClaimRequest] {
        let inOrder = asking.sorted { $0.lane.rawValue < $1.lane.rawValue }
        let first = inOrder.firstIndex { lane in lane.lane.rawValue > (lastClaim?.rawValue ?? 0) } ?? 0
        var claims: [ClaimRequest] = []
        var room = settings.maxClaimsPerTurn
        for (index, ask) in (inOrder[first...] + inOrder[..<first]).enumerated() where room > 0 {
            // An equal part of what is left, but never crumbs.
            let part = max(room / (inOrder.count - index), min(room, 64))
            claims.append(
                ClaimRequest(
                    lane: ask.lane,
                    limit: min(ask.free, part),
                    // One device's rows may be more than that, or its summary would be several.
                    deviceRows: makesSummaries(ask.lane)
                        ? .whole(upTo: min(ask.free, settings.maxClaimsPerTurn)) : .limited(to: settings.rowsPerDevice)
                )
            )
            room -= min(ask.free, part)
            lastClaim = ask.lane
        }
        return claims
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
        for effect in result.outcomes {
            for ended in effect.ended { end(ended) }
        }
        for (change, outcome) in zip(committed.changes, result.changes) { apply(outcome, of: change, now: now) }
        remove(result.withdrawn)
        for (consumer, unread) in result.unread {
            guard let place = consumers.index(forKey: consumer) else { continue }
            consumers.values[place].unread = unread
        }
        for (lane, due) in result.unowned {
            addLane(lane)
            lanes[lane]?.noteBacklog(due: due)
        }
        for id in committed.recalls { behind[id] = nil }
        for (request, count) in zip(committed.requeues, result.requeued) {
            let isWhole = requeues[request.lane].map { $0 <= outcomesCommitted } ?? true
            if count < request.limit, isWhole { requeues[request.lane] = nil }
            if count > 0 { lanes[request.lane]?.noteBacklog(due: committed.now) }
        }
        for row in result.owned { place(row, now: now) }
        for claim in result.claims {
            let areDevicesWhole = makesSummaries(claim.lane)
            for row in claim.rows {
                place(row, now: now)
                if areDevicesWhole { registrations[row.registration]?.isClaimed = true }
            }
            for id in claim.behind { behind[id] = claim.lane }
            guard var lane = lanes[claim.lane] else { continue }
            // What was given back since the claim was made is not in its answer.
            lane.backlog = [claim.nextDue, lane.backlogDuringTurn].compactMap { $0 }.min()
            lanes[claim.lane] = lane
        }
        return lanesWithWork(now: now)
    }

    /// Lanes that have something to send now.
    ///
    /// - Parameter now: The wall clock.
    /// - Returns: Their numbers.
    package func lanesWithWork(now: Timestamp) -> Set<LaneID> {
        guard !isDraining else { return [] }
        return Set(lanes.filter { !$0.value.ready.isEmpty && $0.value.blockedUntil(now: now) == nil }.keys)
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
        let slots = slotsPerLane
        for lane in lanes.values where !lane.isRemoved {
            if let blocked = lane.blockedUntil(now: now) {
                if lane.backlog != nil || lane.rows > 0 { next = min(next ?? blocked, blocked) }
            } else if let due = lane.backlog, isWorthAClaim(lane, slots: slots) {
                next = min(next ?? due, due)
            }
        }
        if !requeues.isEmpty || behind.keys.contains(where: isOutOfMemory) { next = min(next ?? now, now) }
        if let expiry = nextExpiry(now: now) { next = min(next ?? expiry, expiry) }
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
        consumer.rows += 1
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
            lanes[row.lane]?.noteBacklog(due: mark.due)
            return
        }
        firstExpiry = min(firstExpiry ?? row.expiresAt, row.expiresAt)
        // One look-up in each of the three: this is done for every row.
        var (isNew, isFirst) = (false, true)
        if let place = registrations.index(forKey: key) {
            registrations.values[place].token = row.token
            registrations.values[place].traits = row.traits
            isFirst = registrations.values[place].head == nil
            if isFirst {
                registrations.values[place].head = row
                registrations.values[place].firstQueuedAt = row.queuedAt
            } else {
                registrations.values[place].firstQueuedAt = min(registrations.values[place].firstQueuedAt, row.queuedAt)
                registrations.values[place].tail.append(row)
                crowded.insert(key)
            }
        } else {
            isNew = true
            registrations[key] = Registration(row)
        }
        Self.count(row, isNew: isNew, in: &consumers[row.consumer, default: Consumer(unread: row.unread)])
        var isRemoved = false
        if let place = lanes.index(forKey: row.lane) {
            lanes.values[place].rows += 1
            if isFirst { lanes.values[place].ready.append(key) }
            isRemoved = lanes.values[place].isRemoved
        }
        if isRemoved {
            giveBackWaiting(key, due: now)
            lanes[row.lane]?.ready = []
        }
    }
}

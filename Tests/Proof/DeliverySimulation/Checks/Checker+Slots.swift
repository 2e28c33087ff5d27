import Delivery
import DequeModule
import GatewayModel
import GatewayStorage

/// The number of rows that a turn may bring into memory, computed a second time from the actual rows.
extension Checker {
    /// The inputs of a turn's plan besides the rows in memory.
    struct TurnTerms: Sendable {
        /// The rules of the brand for its lanes.
        var rules: BrandSettings
        /// Whether the state machine sends nothing more.
        var isDraining: Bool
        /// Whether proactive rows wait in the store, because callers wait for the turn.
        var yields: Bool
        /// The wall clock.
        var now: Timestamp
    }

    /// The number of rows that each lane may have in memory now.
    var slotsPerLane: Int {
        rows.reduce(0, +) < settings.slots
            ? settings.slotsPerLane : min(settings.slotsPerLane, settings.leastSlotsPerLane)
    }

    /// Checks that new rows get each free slot, and that backlogs are claimed as far as there is room, class by class,
    /// in a whole turn as the state machine planned it.
    mutating func checkSlots(
        _ turn: WriterTurn,
        _ machine: DeliveryMachine,
        _ store: SimulatedStore,
        _ terms: TurnTerms
    ) throws(Violation) {
        let slots = slotsPerLane
        var rooms: [LaneID: LaneRoom] = [:]
        for place in rows.indices where !terms.isDraining {
            let id = LaneID(Int64(place) + 1)
            guard let lane = machine.lanes[id], !machine.isRemoved(id), lane.blockedUntil(now: terms.now) == nil else {
                continue
            }
            let held = RowCounts(
                agent: rowsInMemory(of: place, .agent, store),
                badge: rowsInMemory(of: place, .badge, store),
                proactive: rowsInMemory(of: place, .proactive, store)
            )
            rooms[id] = LaneRoom(slots: slots - machine.outcomes.count, held)
        }
        try checkClaims(turn.claims, &rooms, machine, terms)
        for place in rows.indices {
            let id = LaneID(Int64(place) + 1)
            var expected = rooms[id].map { budget(of: id, $0, machine, terms) }
            if turn.putBacks.contains(where: { $0.lane == id }) { expected?.mayHaveBacklog = true }
            try expect(.turnsAreFull, turn.budgets[id] == expected) {
                "lane \(id) offers new rows \(turn.budgets[id].map { "\($0)" } ?? "nothing") instead of \(expected.map { "\($0)" } ?? "nothing")"
            }
        }
        let left = turn.invalidations.reduce(0) { $0 + $1.limit } + turn.putBacks.reduce(0) { $0 + $1.limit }
        try expect(.turnsAreFull, left <= settings.invalidation.devicesPerTurn) {
            "a turn ends or puts back up to \(left) devices"
        }
        try checkBusy(machine)
    }

    private func budget(
        of id: LaneID,
        _ room: LaneRoom,
        _ machine: DeliveryMachine,
        _ terms: TurnTerms
    ) -> LaneBudget {
        let backlog = machine.lanes[id]?.backlog ?? [:]
        var budget = LaneBudget(
            slots: room.free,
            proactiveSlots: room[.proactive],
            mayHaveBacklog: !backlog.isEmpty || machine.isBehind(id),
            deviceLimit: terms.rules.summaryThreshold == nil ? DeviceLimit(settings.rowsPerDevice) : nil
        )
        budget.pacesCampaigns = terms.rules.campaignRatePerSecond != nil
        budget.closed = Set(backlog.filter { $0.value <= terms.now }.map(\.key.pushClass))
        return budget
    }

    /// Returns the queues whose rows are due and find room, on lanes without rows that are being requeued.
    private func asking(
        _ rooms: [LaneID: LaneRoom],
        _ machine: DeliveryMachine,
        _ terms: TurnTerms
    ) -> Set<LaneQueue> {
        var lanes = Set(rooms.keys)
        for outcome in machine.outcomes {
            let lane = LaneID(Int64(tracked[Int(outcome.delivery.rawValue) - 1].lane) + 1)
            switch (outcome.disposition, outcome.token) {
            // Nothing leaves for a device that is reported as gone, or whose token is rejected, before that is stored.
            case (.retry, _), (.release, _), (_, .drop), (_, .quarantine): lanes.remove(lane)
            case (.finished, .none), (.finished, .confirm): break
            }
        }
        var asking: Set<LaneQueue> = []
        for id in lanes {
            for (queue, due) in machine.lanes[id]?.backlog ?? [:] where due <= terms.now {
                guard rooms[id]?.isWorthAClaim(queue.pushClass) == true,
                    !terms.yields || queue.pushClass != .proactive
                else { continue }
                asking.insert(LaneQueue(id, queue))
            }
        }
        return asking
    }

    private mutating func checkClaims(
        _ claims: [ClaimRequest],
        _ rooms: inout [LaneID: LaneRoom],
        _ machine: DeliveryMachine,
        _ terms: TurnTerms
    ) throws(Violation) {
        var unserved = asking(rooms, machine, terms)
        var left = settings.maxClaimsPerTurn
        var last = PushClass.agent
        for claim in claims {
            let (place, pushClass) = (LaneQueue(claim.lane, claim.queue), claim.queue.pushClass)
            let room = rooms[claim.lane]?[pushClass] ?? 0
            // A campaign gets what its pace allows.
            let least = claim.queue.isCampaign && terms.rules.campaignRatePerSecond != nil ? 1 : min(room, left, 64)
            try expect(.turnsAreFull, unserved.remove(place) != nil && pushClass >= last) {
                "queue \(claim.queue.rawValue) of lane \(claim.lane) is claimed before its turn"
            }
            try expect(.turnsAreFull, claim.limit >= max(least, 1) && claim.limit <= min(room, left)) {
                "lane \(claim.lane) claims \(claim.limit) rows, and has room for \(room) of \(left)"
            }
            let isWhole = claim.queue == .agent && terms.rules.summaryThreshold != nil
            let most = min(rooms[claim.lane]?.free ?? 0, settings.maxClaimsPerTurn)
            let rows: ClaimRequest.DeviceRows =
                isWhole ? .whole(upTo: most) : .limited(to: DeviceLimit(settings.rowsPerDevice))
            try expect(.turnsAreFull, claim.deviceRows == rows) {
                "lane \(claim.lane) claims \(claim.deviceRows) of a device instead of \(rows)"
            }
            rooms[claim.lane]?.take(claim.most, pushClass)
            left -= claim.limit
            last = pushClass
            claimedAt[claim.queue] = terms.now
        }
        for place in unserved {
            let isHeld = mayBeHeld(place.queue, terms)
            try expect(.turnsAreFull, left == 0 || isHeld || rooms[place.lane]?[place.queue.pushClass] == 0) {
                "queue \(place.queue.rawValue) of lane \(place.lane) is due and not claimed"
            }
        }
        // Other queues wait for their pace or for room, not for their turn.
        let waiting = unserved.filter { place in
            let isPaced = place.queue.isCampaign && terms.rules.campaignRatePerSecond != nil
            return !isPaced && rooms[place.lane]?[place.queue.pushClass] != 0
        }
        try checkRotation(claims.map { LaneQueue($0.lane, $0.queue) }, waiting)
    }

    /// Returns whether the pace of a campaign may hold its rows in the store: not when the time since its last claim
    /// has brought all that it may save up.
    private func mayBeHeld(_ queue: OutboxQueue, _ terms: TurnTerms) -> Bool {
        guard queue.isCampaign, let perSecond = terms.rules.campaignRatePerSecond, let last = claimedAt[queue] else {
            return false
        }
        let passed = min(terms.now.milliseconds - last.milliseconds, 1_000_000)
        return passed * perSecond < Self.savings(perSecond: perSecond)
    }

    /// Checks that no queue is served twice while another of its class is due and not served.
    private mutating func checkRotation(_ served: [LaneQueue], _ unserved: Set<LaneQueue>) throws(Violation) {
        passedOver = passedOver.filter { unserved.contains($0.key) }
        for place in unserved {
            for other in served where other.queue.pushClass == place.queue.pushClass {
                let count = passedOver[place, default: [:]][other, default: 0] + 1
                passedOver[place, default: [:]][other] = count
                try expect(.turnsAreFull, count < 2) {
                    "queue \(other.queue.rawValue) of lane \(other.lane) is served again before that of lane \(place.lane)"
                }
            }
        }
    }

    /// Checks that turns look at the lanes with rows in memory or a backlog, and at no others.
    private func checkBusy(_ machine: DeliveryMachine) throws(Violation) {
        var expected: Set<LaneID> = []
        for place in rows.indices {
            let id = LaneID(Int64(place) + 1)
            guard let lane = machine.lanes[id] else { continue }
            let isWaiting = !lane.backlog.isEmpty || lane.breaker != .closed || lane.pause.until != nil
            let isInUse = rows[place] > 0 || !lane.invalidation.isIdle || machine.isBehind(id)
            if isInUse || isWaiting && !machine.isRemoved(id) { expected.insert(id) }
        }
        try expect(.turnsAreFull, Set(machine.lanes.busy) == expected && machine.lanes.busy.count == expected.count) {
            "turns look at lanes \(machine.lanes.busy) instead of \(expected)"
        }
    }

    /// Returns whether all records are of accepted pushes, for which nobody waits; also true when there are none.
    func areHarmless(_ outcomes: some Sequence<OutcomeRecord>) -> Bool {
        outcomes.allSatisfy { $0.disposition == .finished(.accepted, nil) && !$0.token.stopsDevice }
    }

    /// Checks that the record of an accepted push waits briefly for others, when others were committed just before.
    ///
    /// Called outside of a turn; `takenAt` is when a turn last took records, nil when none did. A state machine that is
    /// draining sends nothing more.
    func checkRecords(
        _ machine: DeliveryMachine,
        takenAt: Timestamp?,
        isDraining: Bool,
        now: Timestamp
    ) throws(Violation) {
        let outcomes = machine.outcomes
        let isHarmless = areHarmless(outcomes)
        let isSmall = outcomes.count < settings.outcomesWorthATurn
        let since = takenAt.map { now.milliseconds - $0.milliseconds }
        let isSoon = since.map { (0..<settings.outcomeWaitMilliseconds).contains($0) } ?? false
        let mayWait = isHarmless && isSmall && isSoon && !machine.isRequeuing && !isDraining
        try expect(.recordsAreTimely, machine.outcomesMayWait(now: now) == (outcomes.isEmpty || mayWait)) {
            "\(outcomes.count) records \(mayWait ? "do not wait" : "wait"), \(since ?? -1) ms after others were committed"
        }
    }
}

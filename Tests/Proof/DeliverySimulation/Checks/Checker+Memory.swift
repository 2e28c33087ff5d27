import Delivery
import DequeModule
import GatewayModel
import GatewayStorage

extension Checker {
    /// Checks the counters, after every step; `inTurn` outcomes are in turns that are not applied yet.
    func checkCounters(_ machine: DeliveryMachine, _ store: SimulatedStore, inTurn: Int) throws(Violation) {
        var total = 0
        var sending = 0
        for place in rows.indices {
            let lane = machine.lanes[LaneID(Int64(place) + 1)]
            let held = lane?.rows.total ?? 0
            try expect(.memoryBound, held <= settings.slotsPerLane) { "lane \(place + 1) holds \(held) rows" }
            if held != rows[place] || lane?.inFlight ?? 0 != inFlight[place] { try explain(machine, store) }
            total += rows[place]
            sending += inFlight[place]
        }
        if machine.rowCount != total || machine.inFlightCount != sending { try explain(machine, store) }
        try expect(.nothingForgotten, decided == machine.outcomes.count + inTurn) {
            "\(decided) rows are decided, and \(machine.outcomes.count + inTurn) outcomes are known"
        }
    }

    /// Finds the invariant that the counters break.
    private func explain(_ machine: DeliveryMachine, _ store: SimulatedStore) throws(Violation) {
        let held = machine.heldRows
        for row in held {
            let id = row.delivery.rawValue
            try expect(.ownershipAgrees, place(id) == .waiting || place(id) == .inFlight) {
                "delivery \(id) is in memory and \(place(id))"
            }
        }
        let total = rows.reduce(0, +)
        try expect(.nothingForgotten, held.count >= total) { "\(total) rows were handed out, \(held.count) are held" }
        throw Violation(
            invariant: .countersAgree,
            detail: "rows \(rows), in flight \(inFlight) by what was handed out; "
                + "\(machine.rowCount) and \(machine.inFlightCount) by its counters; \(held.count) held"
        )
    }

    /// Checks every row of the store and of the memory, every few steps; `machine` is nil when no process runs.
    func checkRows(_ machine: DeliveryMachine, _ store: SimulatedStore) throws(Violation) {
        let mine = IncarnationID(store.incarnation)
        for id in store.pending {
            let row = store.delivery(id)
            let owner = row.owner
            switch place(id) {
            case .stored:
                // A claim hands out no rows of a deleted brand.
                let isDeleted = ledger.deleted.contains(Int(row.consumer) - 1)
                try expect(.nothingForgotten, owner == nil || row.isHeld || isDeleted) {
                    "delivery \(id) is owned, and not in memory"
                }
            // A row that an operator has retried meanwhile is in the store already.
            case .requeued where tracked[Int(id) - 1].triedAgainAfter > 0 && owner == nil: break
            case .arriving, .waiting, .inFlight, .ended, .requeued, .dropped:
                try expect(.ownershipAgrees, owner == mine) { "delivery \(id) is \(place(id)) and not owned" }
            }
        }
        try expect(.countersAgree, machine.countsDeviceRows) { "the count of devices' rows is wrong" }
        for row in machine.heldRows {
            let id = row.delivery.rawValue
            try expect(.ownershipAgrees, place(id) == (row.isSending ? .inFlight : .waiting)) {
                "delivery \(id) is in memory and \(place(id))"
            }
        }
        if let deviceLimit {
            for (place, held) in held.enumerated() {
                try expect(.deviceShare, held.count <= deviceLimit.rows) {
                    "registration \(place + 1) has \(held.count) rows in memory, its share is \(deviceLimit.rows)"
                }
            }
        }
        for place in rows.indices {
            let proactive = rowsInMemory(of: place, .proactive, store)
            try expect(.classShare, proactive <= Self.slots(of: .proactive, settings.slotsPerLane)) {
                "lane \(place + 1) has \(proactive) proactive rows in memory"
            }
        }
        try checkKept(store)
    }

    /// Checks that a lane has work when one of its devices has a row that may leave, and nothing stops the lane.
    ///
    /// The `limited` lanes have a quota or a pace.
    func checkWork(_ machine: DeliveryMachine, limited: Set<Int>, now: Timestamp) throws(Violation) {
        for place in rows.indices where !limited.contains(place) {
            let id = LaneID(Int64(place) + 1)
            let isReady = ready.indices.contains { other in
                ready[other] != nil && held[other].contains { tracked[Int($0) - 1].lane == place }
            }
            let mayWork = isReady && machine.lanes[id]?.blockedUntil(now: now) == nil
            try expect(.workIsPlanned, machine.hasWork(id, now: now) == mayWork) {
                "lane \(id) has \(mayWork ? "work, and reports none" : "no work, and reports some")"
            }
        }
    }

    /// Returns the number of a lane's slots that rows of a class may have.
    private static func slots(of pushClass: PushClass, _ slots: Int) -> Int {
        pushClass == .proactive && slots > 1 ? slots * 3 / 4 : slots
    }

    func rowsInMemory(of lane: Int, _ pushClass: PushClass, _ store: SimulatedStore) -> Int {
        held.reduce(0) { sum, held in
            sum + held.count { tracked[Int($0) - 1].lane == lane && store.delivery($0).queue.pushClass == pushClass }
        }
    }

    /// Checks that no accepted delivery is lost, and that none exists twice.
    private func checkKept(_ store: SimulatedStore) throws(Violation) {
        var found = Array(repeating: 0, count: ledger.deliveries.count)
        var pending = 0
        for (index, row) in store.deliveries.enumerated() where !row.isLost {
            try expect(.acceptedIsKept, !row.isRemoved || ledger.isGone(Int(row.consumer) - 1)) {
                "delivery \(index + 1) is removed, and its consumer was neither erased nor deleted with its brand"
            }
            if let message = tracked[index].message { found[message] += 1 }
            if store.isPending(Int64(index) + 1) { pending += 1 }
        }
        try expect(.acceptedIsKept, pending == store.pending.count) { "the outbox lacks \(pending) rows" }
        for number in found.indices {
            try expect(.acceptedIsKept, found[number] == ledger.deliveries[number]) {
                "message \(number) has \(found[number]) deliveries instead of \(ledger.deliveries[number])"
            }
        }
        for registration in store.registrations {
            guard let registration, registration.pending.count > 1 else { continue }
            var keys: Set<String> = []
            for id in registration.pending {
                // Of rows that an operator has retried each leaves.
                guard let key = store.delivery(id).message?.collapseKey, tracked[Int(id) - 1].triedAgainAfter == 0
                else {
                    continue
                }
                let isNew = keys.insert(key).inserted
                try expect(.nothingCollapsed, isNew) { "delivery \(id) did not take an older one's place" }
            }
        }
    }

    /// Checks that everything that waits has a deadline; no turn of the state machine is under way.
    ///
    /// `closed` lanes have no credential; `limited` lanes have a quota or a pace.
    func checkPlans(
        _ machine: DeliveryMachine,
        _ store: SimulatedStore,
        now: Timestamp,
        closed: Set<Int>,
        limited: Set<Int>
    ) throws(Violation) {
        var due: [LaneQueue: Timestamp] = [:]
        for (key, wait) in store.waiting {
            guard let own = wait.due else { continue }
            let place = LaneQueue(wait.lane, key.queue)
            due[place] = min(due[place] ?? own, own)
        }
        let next = machine.nextDeadline(now: now)
        for place in rows.indices where !closed.contains(place) {
            let id = LaneID(Int64(place) + 1)
            let lane = machine.lanes[id]
            let until = lane?.blockedUntil(now: now)
            let isBlocked = until != nil
            let slots = slotsPerLane
            for (queue, due) in due where queue.lane == id {
                let most = Self.slots(of: queue.queue.pushClass, slots)
                let held = rowsInMemory(of: place, queue.queue.pushClass, store)
                let free = min(slots - rows[place], most - held)
                guard free > 0, held == 0 || free >= max(most / 4, 1) else { continue }
                let limit = max(isBlocked ? max(until ?? due, due) : due, now)
                // The slowest pace is one push a second.
                let pace: Int64 = queue.queue.isCampaign && machine.campaignsArePaced(on: id) ? 1000 : 0
                // Outcomes that wait for others hold their rows' room for that time.
                let wait = max(pace, machine.outcomes.isEmpty ? 0 : settings.outcomeWaitMilliseconds)
                try expect(.workIsPlanned, next.map { $0 <= limit.adding(milliseconds: wait) } ?? false) {
                    "lane \(place + 1) has work at \(limit.milliseconds), the planned time is \(next?.milliseconds ?? -1)"
                }
            }
            guard rows[place] > 0, inFlight[place] == 0 else { continue }
            let hasWork = machine.hasWork(id, now: now)
            let isPlanned = isBlocked || limited.contains(place) && !hasWork ? next != nil : hasWork
            try expect(.workIsPlanned, isPlanned) { "lane \(place + 1) holds \(rows[place]) rows and sends none" }
        }
    }
}

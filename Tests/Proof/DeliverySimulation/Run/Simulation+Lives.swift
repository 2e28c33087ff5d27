import Delivery
import DequeModule
import GatewayModel
import GatewayStorage

/// Starts and ends of processes, and an operator's actions between them.
extension Simulation {
    mutating func begin() throws(Violation) {
        let (now, before) = (now, store)
        let rules = LaneRules(rules)
        let start = store.begin(now: now) { _, traits in DeliveryMachine.heldUntil(traits, rules, now: now) }
        if isRecorded { storeSteps.append(.begin(now, rules, start)) }
        var settings = plan.settings
        if sabotage == .hoardRecords { settings.outcomeWaitMilliseconds = 60_000 }
        if sabotage == .unboundQueues { (settings.maxPendingEvents, settings.maxPendingBytes) = (.max / 8, .max / 8) }
        writer = WriterMachine(settings: settings)
        writer.start(start, randomPart: 0)
        writer.presence.set(perDevice: perDevice, pushing: pushing)
        if sabotage == .inventFault { writer.faults = [.diskSpaceLow] }
        standing = Standing()
        checker.mayExpire = true
        (untold, removedLanes) = ([], [])
        // A process that starts finds them deleted.
        for lane in store.deletedLanes { closedLanes.insert(Int(lane.rawValue) - 1) }
        (waitingBrands, withheld) = ([:], [])
        setRules(isChange: false)
        setQuotas()
        (yields, recordsTakenAt, searchedAt, partsLeft) = (false, nil, nil, 0)
        (heard, reportedSuspended) = ([], [])
        asksNext = true
        providers = providers.map { _ in 0 }
        // A process that starts has no windows and no callers.
        windows = []
        callers = []
        checker.started(store)
        try checkStart(before)
        trace.note(20, Int64(start.recovered)) {
            "process \(start.incarnation) starts, \(start.recovered) rows requeued, pending \(store.pending)"
        }
    }

    // MARK: Ends

    /// Kills the process: its memory is lost, the contents of the store stay.
    ///
    /// A push in flight may have arrived.
    mutating func crash() throws(Violation) {
        counts.crashes += 1
        trace.note(21, commit?.applied == nil ? 0 : 1) { "the process dies" }
        for lane in flights.indices {
            for flight in flights[lane] where random.chance(50) { try arrive(flight) }
        }
        try restart(isClean: false)
    }

    private mutating func restart(isClean: Bool) throws(Violation) {
        flights = Array(repeating: [], count: flights.count)
        commit = nil
        stripped = nil
        if isClean {
            for id in store.pending where checker.place(id) != .dropped {
                // Remaining rows of a deleted app or brand wait for housekeeping.
                let row = store.delivery(id)
                try expect(.nothingForgotten, row.owner == nil || store.deletedLanes.contains(row.lane)) {
                    "the process ended in an orderly way and left delivery \(id) owned"
                }
            }
        }
        checker.ended(store, isClean: isClean)
        try begin()
        try check(isFull: true)
    }

    /// Stops the process in an orderly way: it takes nothing more, waits for pushes in flight, and requeues the rest.
    mutating func drain() throws(Violation) {
        trace.note(22) { "the process is stopped" }
        closeWindows()
        hasFailed = standing.isDamaged
        standing.isStopping = true
        writer.stop()
        while try wholeStep(faults: true) { try moveWhileStopping() }
        let now = now
        try work { $0.drain(now: now) }
        standing.isDraining = true
        trace.note(23) { "the state machine drains" }
        try check(isFull: false)
        while let lane = flights.indices.first(where: { !flights[$0].isEmpty }) {
            var flight = flights[lane].remove(at: random.below(flights[lane].count))
            if flight.isStuck {
                // Its deadline has passed: the result is unknown.
                flight.isStuck = false
                checker.unknown(flight.job.delivery.rawValue)
            }
            try respond(flight, isGood: false)
            if random.chance(40) { _ = try wholeStep(faults: true) }
        }
        while try wholeStep(faults: true) {}
        counts.drains += 1
        try checkResponded()
        try checker.checkWindows(store, writer.presence, releasing: [], windows: windows)
        try restart(isClean: !hasFailed)
    }

    private mutating func moveWhileStopping() throws(Violation) {
        elapsed += Int64(random.below(200))
        if random.chance(10) { try post() }
        if random.chance(10) { try ask() }
        if random.chance(50) { try take(random.below(flights.count), capacity: 2) }
        if random.chance(50) { try respondToAny() }
    }

    // MARK: Operators and clocks

    mutating func jump() {
        counts.clockJumps += 1
        let minutes = Int64(random.between(-60, 60))
        offset += minutes * 60_000
        checker.clockJumped()
        trace.note(24, minutes) { "the wall clock jumps by \(minutes) minutes" }
    }

    mutating func removeLane(_ lane: Int) throws(Violation) {
        let now = now
        closedLanes.insert(lane)
        removedLanes.insert(lane)
        trace.note(25, Int64(lane)) { "lane \(lane + 1) is removed" }
        try work { $0.removeLane(LaneID(Int64(lane) + 1), now: now) }
    }

    mutating func resetLane(_ lane: Int) throws(Violation) {
        let now = now
        closedLanes.remove(lane)
        removedLanes.remove(lane)
        checker.waits[lane] = Checker.LaneWaits()
        credentials[lane] += 1
        trace.note(26, Int64(lane)) { "lane \(lane + 1) is reset" }
        try work { $0.resetLane(LaneID(Int64(lane) + 1), now: now) }
    }
}

import Delivery
import DequeModule
import GatewayModel

extension Simulation {
    /// Runs the quiet phase: good providers, no new requests, and time until everything is finished.
    ///
    /// Time moves only to the next result or to the state machine's own deadline, and providers take pushes only when
    /// the state machine reports work: what it forgets to report is never done.
    mutating func finish() throws(Violation) {
        trace.note(30) { "quiet from here" }
        // Only an operator can repair it.
        if standing.isDamaged { try crash() }
        setRoom(isLacking: false)
        closeWindows()
        setDoubt(false)
        try deliverDeleted()
        for lane in flights.indices where closedLanes.contains(lane) && !isGone(lane) { try resetLane(lane) }
        while !store.leftovers.isEmpty { try removeLeftovers() }
        // Each row may have a wait of its own, and a clock that was set back makes some waits longer; a suspended lane
        // sends a probe every 5 s meanwhile.
        let stoppedAt = store.registrations.compactMap { $0?.stoppedAt }.max() ?? now
        let ahead = max(stoppedAt.milliseconds - now.milliseconds, 0)
        let limit = 2000 + 40 * store.pending.count + 20 * writer.pendingEvents + Int(ahead / 5000)
        for _ in 0..<limit {
            if try wholeStep(faults: false) { continue }
            for lane in writer.delivery.lanesWithWork(now: now).sorted(by: { $0.rawValue < $1.rawValue })
            where sabotage != .ignoreWakes {
                try take(Int(lane.rawValue) - 1, capacity: random.between(1, 4))
                try check(isFull: false)
            }
            if try respondToAll() { continue }
            if try wholeStep(faults: false) { continue }
            // Otherwise it would expire, and nobody would notice that it was never sent.
            let lanes = writer.delivery.lanesWithWork(now: now)
            try expect(.everythingEnds, lanes.isEmpty) {
                "lanes \(lanes.map(\.rawValue).sorted()) have work that nobody takes"
            }
            guard let deadline = sleepsUntil else { break }
            try expect(.workIsPlanned, deadline > now) { "the machine asks to be woken at once, and does nothing" }
            trace.note(31, deadline.milliseconds) { "waits until \(deadline)" }
            elapsed += max(deadline.milliseconds - now.milliseconds, 1)
            try check(isFull: true)
        }
        try checkEnd()
    }

    private mutating func respondToAll() throws(Violation) -> Bool {
        var isAny = false
        for lane in flights.indices {
            while !flights[lane].isEmpty {
                isAny = true
                let flight = flights[lane].removeFirst()
                if flight.isStuck { checker.unknown(flight.job.delivery.rawValue) }
                try respond(flight, isGood: true)
                try check(isFull: false)
            }
        }
        return isAny
    }

    private mutating func checkEnd() throws(Violation) {
        try check(isFull: true)
        let dropped = store.pending.filter { checker.place($0) == .dropped }
        try expect(.everythingEnds, store.pending.count == dropped.count) {
            "deliveries \(store.pending) are not finished"
        }
        try expect(
            .everythingEnds,
            writer.delivery.rowCount == 0 && writer.delivery.outcomes.isEmpty && writer.delivery.isEmpty
        ) {
            "\(writer.delivery.rowCount) rows and \(writer.delivery.outcomes.count) outcomes are left in memory"
        }
        try expect(.everythingEnds, store.registrations.allSatisfy { $0?.stoppedAt == nil }) {
            "devices are still stopped: neither ended nor put back"
        }
        try checkResponded()
        guard !dropped.isEmpty else { return }
        // Outcomes that could not be stored are requeued by the next start, and only then.
        try crash()
        try finish()
    }

    /// Checks that no caller waits for a writer that has nothing left to do.
    func checkResponded() throws(Violation) {
        try expect(.everybodyIsAnswered, callers.isEmpty) { "callers \(callers.sorted()) wait for a result" }
    }
}

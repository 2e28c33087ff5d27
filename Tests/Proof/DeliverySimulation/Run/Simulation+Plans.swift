import Delivery
import GatewayModel
import GatewayStorage

/// Checks the state machine's deadlines and wake-ups against the behaviour of a copy at that time.
extension Simulation {
    /// Returns whether an invariant is checked that most sabotages would break before their own.
    func looks(at invariant: Invariant) -> Bool { sabotage == nil || sabotage?.breaks == invariant }

    /// Checks that there is no work before the planned deadline, and that there is when the deadline is now.
    func checkDeadline() throws(Violation) {
        let machine = writer.delivery
        guard looks(at: .workIsPlanned), !writer.isInTurn, !asksNext, !standing.isStopping, standing.failedAt == nil,
            !standing.isDamaged, machine.outcomesMayWait(now: now)
        else { return }
        let next = machine.nextDeadline(now: now)
        let last = next?.adding(milliseconds: -1) ?? now.adding(seconds: 86_400)
        var copy = machine
        let needsCommit = copy.beginTurn(now: max(last, now), isPatient: true).needsCommit
        // Memory may be searched for expired rows once, without finding any.
        let isAsleep = copy.nextDeadline(now: now).map { $0 > now } ?? true
        try expect(.workIsPlanned, last < now ? needsCommit || isAsleep : !needsCommit) {
            "the state machine plans for \(next?.milliseconds ?? -1), and has \(needsCommit ? "work" : "nothing to do") at \(max(last, now).milliseconds)"
        }
        let early = machine.lanesWithWork(now: max(last, now)).subtracting(machine.lanesWithWork(now: now))
        try expect(.workIsPlanned, early.isEmpty) {
            "lanes \(early) may send before \(next?.milliseconds ?? -1), the planned deadline"
        }
    }

    /// Checks that a result wakes its lane when it may send, and the writer when there is work for it.
    func checkWork(_ lanes: Set<LaneID>, afterAnswersOf lane: LaneID, hadOutcomes: Bool) throws(Violation) {
        let machine = writer.delivery
        try expect(.workIsPlanned, lanes == (machine.hasWork(lane, now: now) ? [lane] : [])) {
            "after a result of lane \(lane) lanes \(lanes) are woken"
        }
        guard looks(at: .workIsPlanned), !standing.isDraining else { return }
        let needsTurn = machine.needsTurn(afterAnswersOf: lane, hadOutcomes: hadOutcomes, now: now)
        var copy = machine
        // For expiries the writer wakes anyway.
        copy.mayExpire = false
        let plan = copy.beginTurn(now: now, isPatient: true)
        let hasWork = !plan.outcomes.isEmpty || plan.claims.contains { $0.lane == lane }
        let mayHaveWork = machine.lanes[lane]?.backlog.values.contains { $0 <= now } ?? false
        try expect(.workIsPlanned, needsTurn || hadOutcomes && !hasWork) {
            "a result of lane \(lane) does not wake the writer, which has work"
        }
        try expect(.workIsPlanned, !needsTurn || !hadOutcomes || hasWork || mayHaveWork) {
            "a result of lane \(lane) wakes the writer, which has nothing to do"
        }
    }

    /// Checks that the history of a push, which the metrics of its result use, is that of its row in the store.
    func checkHistory(of job: PushJob) throws(Violation) {
        let row = store.delivery(job.delivery.rawValue)
        let history = writer.delivery.history(of: job.delivery)
        let isResend = checker.tries(of: job, store) > 0
        try expect(.answersAreFollowed, history?.queuedAt == row.queuedAt && history?.isResend == isResend) {
            "delivery \(job.delivery) leaves as queued at \(history?.queuedAt.milliseconds ?? -1), sent again \(history?.isResend ?? false)"
        }
    }
}

package import GatewayModel
import GatewayStorage

extension WriterMachine {
    /// Returns the next turn, built from what waits, or how long the writer may sleep; the result of a commit must be
    /// passed in before the next call.
    ///
    /// What arrives while one turn is committed makes up the next (group commit: no timer, no added latency when idle).
    package mutating func next(now: Timestamp) -> WriterStep {
        if let part = openTurn?.split?.turn {
            openTurn?.isUnderWay = true
            return .commit(WriterCommit(turn: part))
        }
        let isStopping = phase == .stopping
        if store.isDamaged { return isStopping ? .done : .sleep(until: nil) }
        if let pausedUntil = store.pausedUntil(now: now) { return isStopping ? .done : .sleep(until: pausedUntil) }
        // Waiting callers get a short turn, and every other turn has room for campaigns' backlogs.
        yields = !yields && !(accepts.isEmpty && changes.isEmpty)
        let plan = delivery.beginTurn(now: now, isPatient: !isStopping && store.error == nil, yields: yields)
        var turn = WriterTurn(now: now, incarnation: incarnation)
        turn.outcomes = plan.outcomes
        turn.claims = plan.claims
        turn.budgets = plan.budgets
        turn.rowsInMemory = plan.rowsInMemory
        turn.recalls = plan.recalls
        turn.requeues = plan.requeues
        turn.suspensions = plan.suspensions
        turn.invalidations = plan.invalidations
        turn.putBacks = plan.putBacks
        turn.releases = presence.takeReleases(atMost: settings.maxChangesPerTurn)
        turn.windows = presence.windows
        turn.seen = takeSightings(atMost: settings.maxChangesPerTurn)
        let changes = changes.next(atMost: settings.maxChangesPerTurn)
        turn.changes = changes.map { waiting in
            var change = waiting.change
            change.number { ids.next(at: now) }
            return change
        }
        let pieces = accepts.next(atMost: settings.maxEventsPerTurn)
        turn.accepts = pieces.map { waiting in
            AcceptRequest(
                brand: waiting.piece.brand,
                messageTtlSeconds: waiting.piece.messageTtlSeconds,
                dedupeHours: delivery.mayExpire ? waiting.piece.dedupeHours : AcceptRequest.allDedupeHours,
                events: waiting.piece.events.map { PostedEvent($0, ids.next(at: now)) }
            )
        }
        if plan.needsCommit || SplitTurn.partCount(of: turn) > 0 || !turn.seen.isEmpty {
            openTurn = OpenTurn(
                turn: turn,
                eventCallers: pieces.map(\.caller),
                changeCallers: changes.map(\.caller)
            )
            let isTraced = pieces.contains { $0.piece.trace != nil }
            return .commit(
                WriterCommit(
                    turn: turn,
                    takenAt: pieces.map(\.piece.takenAt),
                    traces: isTraced ? pieces.map(\.piece.trace) : []
                )
            )
        }
        if store.error != nil { return .probe }
        return isStopping ? .done : .sleep(until: delivery.nextDeadline(now: now))
    }

    private mutating func takeSightings(atMost limit: Int) -> [DeviceSighting] {
        let taken = Array(sightings.prefix(limit))
        sightings.subtract(taken)
        return taken
    }
}

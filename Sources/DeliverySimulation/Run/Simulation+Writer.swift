import Delivery
import DequeModule
import GatewayModel
import GatewayStorage

/// The shell's writer: turns what waits into commits, and tells what became of them.
extension Simulation {
    // MARK: Asking

    mutating func post() {
        guard accepts.count < 6 else { return }
        let request = world.request(&random)
        trace.note(1, Int64(request.events.count)) {
            "post \(request.events.map { "\($0.event.id):\($0.event.type.rawValue)" }.joined(separator: " "))"
        }
        accepts.append(request)
    }

    mutating func ask() {
        guard changes.count < 8 else { return }
        let asked: [StoreChange] =
            switch random.below(100) {
            case 0..<30: [world.read(&random)]
            case 30..<55: [world.registration(of: random.below(plan.devices), &random)]
            case 55..<85: world.login(&random, now: now)
            default: [world.logout(&random)]
            }
        trace.note(2) { "ask \(asked)" }
        changes += asked
    }

    // MARK: Committing

    /// Puts a turn together from what waits; false when nothing does.
    @discardableResult
    mutating func beginCommit(faults: Bool = true) throws(Violation) -> Bool {
        guard commit == nil else { return false }
        let known = machine.outcomes.count
        let turnPlan = machine.beginTurn(now: now)
        try checker.decided((turnPlan.outcomes + Array(machine.outcomes)).dropFirst(known))
        var turn = WriterTurn(now: now, incarnation: incarnation)
        turn.outcomes = turnPlan.outcomes
        if sabotage == .splitSummary, turn.outcomes.count > 1, checker.isTold(turn.outcomes.last) {
            machine.turnFailed([turn.outcomes.removeLast()])
        }
        if sabotage == .forgetOutcome, !turn.outcomes.isEmpty { turn.outcomes.removeLast() }
        turn.claims = turnPlan.claims.sorted { $0.lane.rawValue < $1.lane.rawValue }
        turn.budgets = turnPlan.budgets
        turn.requeues = turnPlan.requeues
        turn.releases = presence.takeReleases(atMost: plan.settings.maxChangesPerTurn)
        if sabotage == .forgetRelease { turn.releases = [] }
        turn.windows = presence.windows
        if sabotage == .overfill {
            for index in turn.claims.indices { turn.claims[index].limit += 4 }
            turn.budgets = turn.budgets.mapValues { LaneBudget(slots: $0.slots + 4, mayHaveBacklog: $0.mayHaveBacklog) }
        }
        while turn.changes.count < plan.settings.maxChangesPerTurn, let change = changes.popFirst() {
            turn.changes.append(change)
        }
        var events = 0
        while let request = accepts.first,
            events == 0 || events + request.events.count <= plan.settings.maxEventsPerTurn
        {
            accepts.removeFirst()
            events += request.events.count
            turn.accepts.append(request)
        }
        guard turnPlan.needsCommit || !turn.releases.isEmpty || !turn.changes.isEmpty || !turn.accepts.isEmpty else {
            return false
        }
        var fate = PendingCommit.Fate.good
        if faults, random.chance(plan.failingCommits) { fate = .unavailable }
        if faults, fate == .good, random.chance(plan.poisonedCommits) { fate = .poisoned }
        commit = PendingCommit(turn: turn, fate: fate)
        trace.note(3, Int64(turn.outcomes.count)) { "begin commit: \(Self.words(turn)), \(fate)" }
        return true
    }

    /// The store does what it was asked, or not; nobody is told yet of what it did.
    mutating func applyCommit() throws(Violation) {
        guard var pending = commit, pending.applied == nil else { return }
        switch pending.fate {
        case .good:
            counts.commits += 1
            let result = store.commit(pending.turn)
            if isRecorded { storeSteps.append(.commit(pending.turn, result)) }
            note(result, of: pending.turn)
            pending.applied = (result, try checker.applied(pending.turn, result, store))
            if !pending.isPart { try checker.checkSummed(pending.turn, store) }
            commit = pending
        case .unavailable:
            counts.failedCommits += 1
            hasFailed = true
            trace.note(5) { "the commit fails" }
            fail(pending)
        case .poisoned:
            counts.poisonedCommits += 1
            trace.note(6) { "the commit meets a poison row" }
            refuse(pending)
        }
    }

    /// Nothing of a turn is stored: its outcomes go back, its callers keep what they have.
    private mutating func fail(_ pending: PendingCommit) {
        var outcomes = pending.turn.outcomes
        for part in parts { outcomes += part.turn.outcomes }
        machine.turnFailed(outcomes)
        presence.putBack(pending.turn.releases + parts.flatMap(\.turn.releases))
        parts = []
        commit = nil
    }

    /// One poison row never fails a stranger's: each part gets a commit of its own.
    private mutating func refuse(_ pending: PendingCommit) {
        guard pending.isPart else {
            split(pending.turn)
            commit = parts.popFirst()
            return
        }
        if let outcome = pending.turn.outcomes.first {
            if pending.isStripped {
                machine.outcomesDropped(1)
                checker.dropped(outcome)
            } else {
                var stripped = pending
                stripped.turn.outcomes[0].answer = nil
                stripped.turn.outcomes[0].token = .none
                stripped.isStripped = true
                stripped.fate = random.chance(50) ? .poisoned : .good
                commit = stripped
                return
            }
        }
        commit = parts.popFirst()
    }

    private mutating func split(_ turn: WriterTurn) {
        var empty = WriterTurn(now: turn.now, incarnation: turn.incarnation)
        empty.windows = turn.windows
        for outcome in turn.outcomes {
            var part = empty
            part.outcomes = [outcome]
            addPart(part)
        }
        for name in turn.releases {
            var part = empty
            part.releases = [name]
            addPart(part)
        }
        for change in turn.changes {
            var part = empty
            part.changes = [change]
            addPart(part)
        }
        for request in turn.accepts {
            for event in request.events {
                var part = empty
                part.accepts = [request]
                part.accepts[0].events = [event]
                addPart(part)
            }
        }
        // A turn of claims alone has no part: nothing of it is lost, they are asked for again.
    }

    private mutating func addPart(_ turn: WriterTurn) {
        // No rule of the schema is about what a release changes.
        let fate: PendingCommit.Fate =
            turn.releases.isEmpty && random.chance(30)
            ? .poisoned : random.chance(plan.failingCommits) ? .unavailable : .good
        parts.append(PendingCommit(turn: turn, fate: fate, isPart: true))
    }

    // MARK: Telling

    /// The commit's result arrives.
    mutating func tellCommit() throws(Violation) {
        guard let pending = commit, let applied = pending.applied else { return }
        let result = doctored(applied.result, of: pending.turn)
        let now = now
        commit = nil
        trace.note(7) { "the commit is answered" }
        let known = machine.outcomes.count
        _ = machine.turnCommitted(result, of: pending.turn, now: now)
        try checker.answered(applied.turn, machine, store)
        try checker.decided(machine.outcomes[known...])
        if let next = parts.popFirst() { commit = next }
    }

    /// Does one commit from beginning to end; false when there is nothing to do.
    mutating func wholeCommit(faults: Bool) throws(Violation) -> Bool {
        if commit == nil, try !beginCommit(faults: faults) { return false }
        while commit != nil {
            if !faults { commit?.fate = .good }
            try applyCommit()
            try check(isFull: false)
            try tellCommit()
            try check(isFull: false)
        }
        return true
    }
}

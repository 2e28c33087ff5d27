import Delivery
import GatewayModel
import GatewayStorage

/// What the shell does around the writer's machine: asks it for steps, has the store carry them out, and answers callers.
extension Simulation {
    // MARK: Asking

    mutating func post() {
        guard writer.pendingEvents < 15 else { return }
        let piece = world.piece(&random)
        trace.note(1, Int64(piece.events.count)) {
            "post \(piece.events.map { "\($0.id):\($0.type.rawValue)" }.joined(separator: " "))"
        }
        lastCaller += 1
        if writer.accept(piece, from: lastCaller) == nil { callers.insert(lastCaller) } else { counts.refusals += 1 }
    }

    mutating func ask() {
        guard writer.pendingChanges < 8 else { return }
        let asked: [StoreChange] =
            switch random.below(100) {
            case 0..<30: [world.read(&random)]
            case 30..<55: [world.registration(of: random.below(plan.devices), &random)]
            case 55..<85: world.login(&random, now: now)
            default: [world.logout(&random)]
            }
        trace.note(2) { "ask \(asked)" }
        for change in asked { ask(change) }
    }

    mutating func ask(_ change: StoreChange) {
        lastCaller += 1
        if writer.perform(change, for: lastCaller) == nil { callers.insert(lastCaller) } else { counts.refusals += 1 }
    }

    // MARK: Committing

    /// Does what the writer wants done next, as far as it can be done at once; false when it has nothing to do.
    @discardableResult
    mutating func step(faults: Bool = true) throws(Violation) -> Bool {
        guard commit == nil else { return false }
        let known = writer.delivery.outcomes.count
        let isPart = writer.isInTurn
        let step = writer.next(now: now)
        switch step {
        case .commit(let next):
            let outcomes = (isPart ? [] : next.turn.outcomes) + Array(writer.delivery.outcomes)
            try checker.decided(outcomes.dropFirst(known))
            begin(next.turn, isPart: isPart, faults: faults)
            return true
        case .probe:
            let fails = faults && random.chance(plan.failingCommits)
            trace.note(13, fails ? 1 : 0) { fails ? "a probe fails" : "a probe succeeds" }
            hasFailed = hasFailed || fails
            try carryOut(writer.probed(fails ? .unavailable(detail: "simulated") : nil, now: now))
            return true
        case .sleep(let until):
            try checker.decided(writer.delivery.outcomes.dropFirst(known))
            sleepsUntil = until
            return false
        case .done: return false
        }
    }

    private mutating func begin(_ asked: WriterTurn, isPart: Bool, faults: Bool) {
        let turn = doctored(asked)
        var fate = PendingCommit.Fate.good
        if isPart {
            // No rule of the schema is about what a release changes.
            if turn.releases.isEmpty, random.chance(30) { fate = .poisoned }
            if fate == .good, random.chance(plan.failingCommits) { fate = .unavailable }
        } else {
            if random.chance(plan.failingCommits) { fate = .unavailable }
            if fate == .good, random.chance(plan.poisonedCommits) { fate = .poisoned }
        }
        commit = PendingCommit(turn: turn, fate: faults ? fate : .good, isPart: isPart)
        trace.note(3, Int64(turn.outcomes.count)) { "begin commit: \(Self.words(turn)), \(faults ? fate : .good)" }
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
            pending.applied = (result, try checker.applied(pending.turn, result, store, now: now))
            if !pending.isPart { try checker.checkSummed(pending.turn, store) }
            commit = pending
        case .unavailable:
            counts.failedCommits += 1
            hasFailed = true
            trace.note(5) { "the commit fails" }
            commit = nil
            try carryOut(writer.failed(.unavailable(detail: "simulated"), now: now))
        case .poisoned:
            counts.poisonedCommits += 1
            trace.note(6) { "the commit meets a poison row" }
            commit = nil
            if pending.isPart, let outcome = pending.turn.outcomes.first { poison(outcome) }
            try carryOut(writer.failed(.constraint(detail: "simulated"), now: now))
            if !writer.isInTurn, !pending.isPart { hasFailed = true }
        }
    }

    /// An outcome that cannot be stored either time is dropped: once with the answer's words and once without.
    private mutating func poison(_ outcome: OutcomeRecord) {
        if stripped == outcome.delivery {
            checker.dropped(outcome)
            stripped = nil
        } else {
            stripped = outcome.delivery
        }
    }

    // MARK: Telling

    /// The commit's result arrives.
    mutating func tellCommit() throws(Violation) {
        guard let pending = commit, let applied = pending.applied else { return }
        let result = doctored(applied.result, of: pending.turn)
        commit = nil
        stripped = nil
        trace.note(7) { "the commit is answered" }
        let known = writer.delivery.outcomes.count
        let effects = writer.committed(result, now: now)
        try checker.answered(applied.turn, writer.delivery, store)
        try checker.decided(writer.delivery.outcomes[known...])
        try carryOut(effects)
    }

    /// Callers are answered, each once.
    private mutating func carryOut(_ effects: WriterMachine<Int, Int>.Effects) throws(Violation) {
        var answered = effects.events.map(\.caller) + effects.changes.map(\.caller)
        if sabotage == .loseAnswer, !answered.isEmpty { answered.removeLast() }
        for caller in answered {
            try expect(.everybodyIsAnswered, callers.remove(caller) != nil) {
                "caller \(caller) is answered and waits not"
            }
        }
    }

    /// Does one step from beginning to end; false when there is nothing to do.
    mutating func wholeStep(faults: Bool) throws(Violation) -> Bool {
        if commit == nil, try !step(faults: faults) { return false }
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

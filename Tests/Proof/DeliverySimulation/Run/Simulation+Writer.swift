import Delivery
import GatewayModel
import GatewayStorage

/// The shell around the writer's state machine: asks it for steps, lets the store carry them out, and resumes callers.
extension Simulation {
    // MARK: Requests

    mutating func post() throws(Violation) {
        try post(world.piece(&random))
    }

    /// Posts a back-end's request; other brands' events may overtake it for one round only.
    mutating func post(_ piece: IntakePiece) throws(Violation) {
        trace.note(1, Int64(piece.events.count)) {
            "post \(piece.events.map { "\($0.id):\($0.type.rawValue)" }.joined(separator: " "))"
        }
        if sabotage == .starveBrand, piece.brand == SimulatedWorld.brands[1], writer.pendingEvents > 0 {
            withheld.append(piece)
            waitingBrands[piece.brand, default: (0, 0)].requests += 1
            return
        }
        let most = writer.eventsPerPiece(of: piece.brand)
        // With one device an event makes at most one delivery.
        let isRight = plan.devices == 1 ? most == plan.settings.maxEventsPerTurn : most > 0
        try expect(.queuesAreBounded, isRight) { "\(most) events are in a piece" }
        lastCaller += 1
        let isEmpty = writer.pendingEvents == 0
        let rejection = writer.accept(piece, from: lastCaller)
        try checkRejection(rejection, ofChange: false, isEmpty: isEmpty)
        if rejection == nil {
            callers.insert(lastCaller)
            waitingBrands[piece.brand, default: (0, 0)].requests += 1
        } else {
            counts.rejections += 1
        }
    }

    /// Checks that a turn takes requests fairly: no brand is passed over by more than a round's credit of others and
    /// one request.
    private mutating func checkBrands(_ turn: WriterTurn) throws(Violation) {
        let events = turn.accepts.reduce(0) { $0 + $1.events.count }
        for brand in SimulatedWorld.brands {
            guard var waiting = waitingBrands[brand] else { continue }
            let own = turn.accepts.filter { $0.brand == brand }
            waiting.requests -= own.count
            waiting.passed = own.isEmpty ? waiting.passed + events : 0
            // A new brand waits for the credit of two rounds, 64 each; a request has four events, each for five
            // devices.
            try expect(.brandsTakeTurns, waiting.passed <= 2 * 64 + 20) {
                "\(waiting.passed) events of others are taken while \(brand) waits"
            }
            waitingBrands[brand] = waiting.requests > 0 ? waiting : nil
        }
    }

    mutating func ask() throws(Violation) {
        guard writer.pendingChanges < 8 else { return }
        let asked: [StoreChange] =
            switch random.below(100) {
            case 0..<24: [world.read(&random)]
            case 24..<46: [world.registration(of: random.below(plan.devices), &random)]
            case 46..<64: world.login(&random, now: now)
            case 64..<70: [world.logout(&random)]
            case 70..<75: [world.sessionEnd(&random)]
            case 75..<86: word(&random).map { [$0] } ?? []
            case 86..<96: retry(&random).map { [$0] } ?? []
            case 96..<98: [world.erasure(&random)]
            default: [world.merge(&random)]
            }
        if plan.hasOwnHours, random.chance(30) { try ask(world.profile(&random)) }
        trace.note(2) { "request \(asked)" }
        for change in asked { try ask(change) }
    }

    mutating func ask(_ change: StoreChange) throws(Violation) {
        lastCaller += 1
        let isEmpty = writer.pendingChanges == 0
        let rejection = writer.perform(change, for: lastCaller)
        try checkRejection(rejection, ofChange: true, isEmpty: isEmpty)
        if rejection == nil { callers.insert(lastCaller) } else { counts.rejections += 1 }
    }

    /// Checks that a caller is rejected only for an existing reason, and for the first of several.
    private func checkRejection(_ rejection: IntakeError?, ofChange isChange: Bool, isEmpty: Bool) throws(Violation) {
        let holds =
            switch rejection {
            case .stopping: standing.isStopping
            case .storage: !standing.isStopping && standing.failedAt != nil
            case .fault: !standing.isStopping && standing.failedAt == nil && standing.lacksRoom && !isChange
            case .overloaded, nil:
                !standing.isStopping && standing.failedAt == nil && (isChange || !standing.lacksRoom)
                    && (rejection == nil || !isEmpty)
            }
        try expect(.takesWhatItCan, holds) {
            "\(isChange ? "a change" : "a request") is rejected with \(rejection.map { "\($0)" } ?? "nothing"), \(standing)"
        }
    }

    /// Checks that the store is not used for a second after it failed, unless it is the last chance, and never again
    /// when damaged.
    private func checkRest(_ step: WriterStep) throws(Violation) {
        switch step {
        case .commit, .probe: break
        case .sleep, .done: return
        }
        try expect(.storeIsSpared, !standing.isDamaged) { "a damaged store is written to" }
        guard let failedAt = standing.failedAt, !standing.isStopping, failedAt <= now else { return }
        try expect(.storeIsSpared, failedAt.adding(seconds: 1) <= now) {
            "the store is called at \(now.milliseconds), and failed at \(failedAt.milliseconds)"
        }
    }

    // MARK: Committing

    /// Runs the writer's next step, as far as possible without waiting; returns false when it has nothing to do.
    @discardableResult
    mutating func step(faults: Bool = true) throws(Violation) -> Bool {
        guard commit == nil else { return false }
        let known = writer.delivery.outcomes.count
        let isPart = writer.isInTurn
        let isCalled = writer.pendingEvents + writer.pendingChanges > 0
        let isHurried = sabotage == .hurryStore && standing.failedAt != nil && !standing.isDamaged
        let step = writer.next(now: isHurried ? now.adding(seconds: 2) : now)
        try checkRest(step)
        switch step {
        case .commit(let next):
            let outcomes = (isPart ? [] : next.turn.outcomes) + Array(writer.delivery.outcomes)
            try checker.decided(outcomes.dropFirst(known), now: now, store)
            if !isPart { try checker.checkTime(store, now: now) }
            if !isPart { try checkBrands(next.turn) }
            if !isPart { try checkTurn(next.turn, isCalled: isCalled, outcomes.dropFirst(known)) }
            begin(next.turn, isPart: isPart, faults: faults)
            return true
        case .probe:
            let fails = faults && random.chance(plan.failingCommits)
            trace.note(13, fails ? 1 : 0) { fails ? "a probe fails" : "a probe succeeds" }
            hasFailed = hasFailed || fails
            standing.failedAt = fails ? now : nil
            yields = false
            let effects = writer.probed(fails ? .unavailable(detail: "simulated") : nil, now: now)
            try checkFailure(effects, fails ? .store : nil, isRecovered: !fails)
            try carryOut(effects)
            return true
        case .sleep(let until):
            try checker.decided(writer.delivery.outcomes.dropFirst(known), now: now, store)
            // While the store is not used no turn begins.
            if standing.failedAt == nil { try checker.checkTime(store, now: now) }
            try expect(.workIsPlanned, !standing.isStopping) { "a stopped writer sleeps" }
            sleepsUntil = until
            asksNext = false
            if standing.failedAt == nil { yields = false }
            return false
        case .done:
            try expect(.workIsPlanned, standing.isStopping) { "a writer that was not stopped is done" }
            return false
        }
    }

    private mutating func begin(_ asked: WriterTurn, isPart: Bool, faults: Bool) {
        let turn = doctored(asked)
        var fate = PendingCommit.Fate.good
        if isPart {
            // No constraint concerns what a release changes.
            if turn.releases.isEmpty, random.chance(30) { fate = .poisoned }
            if fate == .good, random.chance(plan.failingCommits) { fate = .unavailable }
        } else {
            if random.chance(plan.failingCommits) { fate = .unavailable }
            if fate == .good, random.chance(plan.poisonedCommits) { fate = .poisoned }
        }
        commit = PendingCommit(turn: turn, fate: faults ? fate : .good, isPart: isPart)
        trace.note(3, Int64(turn.outcomes.count)) { "begin commit: \(Self.words(turn)), \(faults ? fate : .good)" }
    }

    /// Lets the store carry out the commit, or fail; its result is not delivered yet.
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
            if !standing.isDamaged { standing.failedAt = now }
            trace.note(5) { "the commit fails" }
            commit = nil
            let effects = writer.failed(.unavailable(detail: "simulated"), now: now)
            try checkFailure(effects, .store)
            try carryOut(effects)
        case .poisoned:
            counts.poisonedCommits += 1
            trace.note(6) { "the commit contains a poison row" }
            commit = nil
            if pending.isPart, let outcome = pending.turn.outcomes.first { poison(outcome) }
            let effects = writer.failed(.constraint(detail: "simulated"), now: now)
            let parts = SplitTurn.partCount(of: pending.turn)
            let isSplit = pending.isPart || parts > 0
            try checkFailure(effects, standing.isDamaged || !isSplit ? .store : pending.isPart ? .poison : .splits)
            try carryOut(effects)
            if !pending.isPart { partsLeft = parts }
            if pending.isPart, stripped == nil { try endPart() }
            if !isSplit || standing.isDamaged {
                hasFailed = true
                if !standing.isDamaged { standing.failedAt = now }
            }
        }
    }

    /// Drops an outcome that cannot be stored either with the provider's texts or without.
    private mutating func poison(_ outcome: OutcomeRecord) {
        if stripped == outcome.delivery {
            checker.dropped(outcome)
            stripped = nil
        } else {
            stripped = outcome.delivery
        }
    }

    // MARK: Results

    /// Delivers the commit's result.
    mutating func deliverCommit() throws(Violation) {
        guard let pending = commit, let applied = pending.applied else { return }
        let result = doctored(applied.result, of: pending.turn)
        commit = nil
        asksNext = true
        stripped = nil
        let isRecovered = standing.failedAt != nil && !standing.isDamaged
        if !standing.isDamaged { standing.failedAt = nil }
        trace.note(7) { "the commit's result is delivered" }
        // The rest of a turn that damage cuts off is requeued.
        let isCutOff = pending.isPart && standing.isDamaged
        let returning = isCutOff ? writer.outcomesInTurn - pending.turn.outcomes.count : 0
        let known = writer.delivery.outcomes.count + returning
        let effects = writer.committed(result, now: now)
        try checkFailure(effects, nil, isRecovered: isRecovered)
        if pending.isPart { try endPart() }
        // Setting the same quiet hours again makes held rows be checked again.
        if !pending.turn.changes.isEmpty { checker.heldRows = [:] }
        notifyWindows(result.updates.windowEvents)
        try checker.commitDelivered(applied.turn, writer.delivery, store, now: now)
        try checker.decided(writer.delivery.outcomes[known...], now: now, store)
        try carryOut(effects)
        try lookAgain(pending.turn, result)
    }

    /// Resumes callers, each once.
    mutating func carryOut(_ effects: WriterMachine<Int, Int>.Effects) throws(Violation) {
        // A store that fails makes all waiting requests fail.
        if case .store = effects.failure { waitingBrands = [:] }
        var responded = effects.events.map(\.caller) + effects.changes.map(\.caller)
        if sabotage == .loseAnswer, !responded.isEmpty { responded.removeLast() }
        for caller in responded {
            try expect(.everybodyIsAnswered, callers.remove(caller) != nil) {
                "caller \(caller) is resumed, and was not waiting"
            }
        }
    }

    /// Runs one step from beginning to end; returns false when there is nothing to do.
    mutating func wholeStep(faults: Bool) throws(Violation) -> Bool {
        if commit == nil, try !step(faults: faults) {
            guard !withheld.isEmpty else { return false }
            lastCaller += 1
            if writer.accept(withheld.removeFirst(), from: lastCaller) == nil { callers.insert(lastCaller) }
            return true
        }
        while commit != nil {
            if !faults { commit?.fate = .good }
            try applyCommit()
            try check(isFull: false)
            try deliverCommit()
            try check(isFull: false)
        }
        return true
    }
}

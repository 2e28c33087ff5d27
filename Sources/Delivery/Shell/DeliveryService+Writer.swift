import CoreMetrics
import DequeModule
import GatewayModel
import GatewayStorage
import Logging
import Synchronization
import Telemetry

extension DeliveryService {
    /// What the writer does next.
    fileprivate enum Step {
        case commit(PendingTurn)
        /// Nothing waits, and the store failed last time: see whether it takes writes again.
        case probe
        case sleep(until: Timestamp?)
        case done
    }

    /// One turn after the other; what arrives while one is committed makes up the next (group commit: no timer, no
    /// latency added when idle).
    func writeTurns() async {
        while true {
            let now = clock.now
            let (step, lanes) = state.withLock {
                ($0.nextStep(settings: settings, now: now), $0.machine.lanesWithWork(now: now))
            }
            wake(lanes)
            switch step {
            case .commit(let turn):
                await commit(turn)
                endTurn()
            case .probe: await probe()
            case .sleep(let until): await sleep(until: until)
            case .done: return
            }
        }
    }

    private func endTurn() {
        let settled = state.withLock { state in
            state.turns.ended = state.turns.begun
            defer { state.settling = [] }
            return state.settling
        }
        for continuation in settled { continuation.resume() }
    }

    /// Wakes the writer; any thread, cheap when it is awake.
    func signal() {
        let writer = state.withLock { state in
            state.isSignalled = true
            let writer = state.writer
            state.writer = nil
            return writer
        }
        writer?.resume()
    }

    func stop() {
        state.withLock { state in
            state.phase = .stopping
            state.store.tryNow()
        }
        signal()
    }

    private func sleep(until: Timestamp?) async {
        guard let until else {
            await waitForSignal()
            return
        }
        let milliseconds = max(until.milliseconds - clock.now.milliseconds, 1)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.waitForSignal() }
            group.addTask {
                // Cancelled when the signal comes first; either way the writer looks at everything again. Never longer
                // than a minute, so that a wall clock that jumps cannot hold it.
                try? await Task.sleep(for: .milliseconds(min(milliseconds, 60_000)))
                self.signal()
            }
            await group.next()
            group.cancelAll()
        }
    }

    private func waitForSignal() async {
        await withCheckedContinuation { continuation in
            let isSignalled = state.withLock { state in
                if state.isSignalled { return true }
                state.writer = continuation
                return false
            }
            if isSignalled { continuation.resume() }
        }
    }

    private func commit(_ pending: PendingTurn) async {
        let start = clock.monotonicNanoseconds
        for accept in pending.accepts {
            metrics.intakeWait.recordNanoseconds(Int64(clamping: start - min(accept.takenAt, start)))
        }
        do throws(StorageError) {
            let result = try await store.commit(pending.turn)
            metrics.commit.recordNanoseconds(Int64(clamping: clock.monotonicNanoseconds - start))
            metrics.commitRows.record(pending.rowCount)
            finish(pending, result)
        } catch .constraint(let detail) where pending.partCount > 0 {
            metrics.storeFailed(StorageError.constraint(detail: detail).label)
            logger.error(
                "a row broke a rule of the schema; doing the turn's parts one by one",
                metadata: [LogKey.errorText: "\(detail)"]
            )
            await commitParts(of: pending)
        } catch {
            fail(pending, error)
        }
    }

    /// One poison row never fails a stranger's event: each event, change and outcome gets a commit of its own.
    private func commitParts(of pending: PendingTurn) async {
        var empty = WriterTurn(now: pending.turn.now, incarnation: pending.turn.incarnation)
        empty.windows = pending.turn.windows
        await commitOutcomes(pending.turn.outcomes, empty)
        await commitReleases(pending.turn.releases, empty)
        for change in pending.changes {
            var part = empty
            part.changes = [change.change]
            switch await commitPart(part) {
            case .done(let result):
                if let outcome = result.changes.first { change.continuation.resume(returning: .success(outcome)) }
            case .poison(let error), .failed(let error):
                change.continuation.resume(returning: .failure(.storage(error)))
            }
        }
        for (accept, request) in zip(pending.accepts, pending.turn.accepts) {
            var results: [IntakeResult] = []
            var failure: IntakeError?
            for event in request.events {
                var part = empty
                part.accepts = [request]
                part.accepts[0].events = [event]
                switch await commitPart(part) {
                case .done(let result): results += result.accepts.joined().map(IntakeResult.decided)
                case .poison(let error), .failed(let error):
                    failure = .storage(error)
                    results.append(.failed(.storage(error)))
                }
            }
            if let failure, results.allSatisfy({ $0 == .failed(failure) }) {
                accept.answer(.failure(failure))
            } else {
                accept.answer(.success(results))
            }
        }
    }

    private func commitOutcomes(_ outcomes: [OutcomeRecord], _ empty: WriterTurn) async {
        for (index, outcome) in outcomes.enumerated() {
            var part = empty
            part.outcomes = [outcome]
            switch await commitPart(part) {
            case .done: continue
            case .poison:
                // At least the row ends as the disposition says, without the answer's words.
                part.outcomes[0].answer = nil
                part.outcomes[0].token = .none
                // If not even that can be, it stays owned until the next start takes it back.
                if case .poison = await commitPart(part) { state.withLock { $0.machine.outcomesDropped(1) } }
            case .failed:
                state.withLock { $0.machine.turnFailed(Array(outcomes[index...])) }
                return
            }
        }
    }

    private func commitReleases(_ names: [ConsumerName], _ empty: WriterTurn) async {
        for (index, name) in names.enumerated() {
            var part = empty
            part.releases = [name]
            // No rule of the schema is about what a release changes; if one were, the next start would take the rows back.
            if case .failed = await commitPart(part) {
                state.withLock { $0.presence.putBack(Array(names[index...])) }
                return
            }
        }
    }

    private enum PartOutcome {
        case done(WriterTurnResult)
        /// It is to blame itself.
        case poison(StorageError)
        /// The store is to blame; it was told so.
        case failed(StorageError)
    }

    private func commitPart(_ part: WriterTurn) async -> PartOutcome {
        // Once it fails, the rest of the parts fail with it.
        if let error = state.withLock({ $0.store.error }) { return .failed(error) }
        do throws(StorageError) {
            let result = try await store.commit(part)
            finish(PendingTurn(turn: part), result)
            return .done(result)
        } catch .constraint(let detail) {
            logger.error(
                "an event, a change or an outcome cannot be stored",
                metadata: [LogKey.errorText: "\(detail)"]
            )
            return .poison(.constraint(detail: detail))
        } catch {
            refuseWaiting(error)
            return .failed(error)
        }
    }

    private func probe() async {
        do throws(StorageError) {
            try await store.probeWriting()
            if state.withLock({ $0.store.succeeded() }) { logRecovery() }
        } catch {
            refuseWaiting(error)
        }
    }

    private func finish(_ pending: PendingTurn, _ result: WriterTurnResult) {
        let now = clock.now
        let (lanes, recovered) = state.withLock { state in
            let recovered = state.store.succeeded()
            return (state.machine.turnCommitted(result, of: pending.turn, now: now), recovered)
        }
        if recovered { logRecovery() }
        tellWindows(result, of: pending.turn)
        for (change, outcome) in zip(pending.changes, result.changes) {
            change.continuation.resume(returning: .success(outcome))
        }
        for (accept, events) in zip(pending.accepts, result.accepts) {
            accept.answer(.success(events.map(IntakeResult.decided)))
        }
        count(result)
        wake(lanes)
    }

    private func count(_ result: WriterTurnResult) {
        for event in result.accepts.joined() {
            switch event {
            case .accepted: metrics.events[.accepted].increment()
            case .duplicate: metrics.events[.duplicate].increment()
            case .rejected: metrics.events[.rejected].increment()
            }
        }
    }

    /// Puts the outcomes back; the events' and changes' callers keep what they have and send it again.
    private func fail(_ pending: PendingTurn, _ error: StorageError) {
        state.withLock {
            $0.machine.turnFailed(pending.turn.outcomes)
            $0.presence.putBack(pending.turn.releases)
        }
        refuseWaiting(error)
        pending.answer(.storage(error))
    }

    /// Notes that the store fails, and answers everybody who waits: nothing is taken until it answers again.
    private func refuseWaiting(_ error: StorageError) {
        metrics.storeFailed(error.label)
        let now = clock.now
        let (changes, accepts, isNew) = state.withLock { state in
            let isNew = state.store.error?.label != error.label
            state.store.failed(error, now: now)
            return (state.changes.removeAll(), state.accepts.removeAll(), isNew)
        }
        // Once for each fault and not for each try.
        if isNew { logStoreFailure(error) }
        var waiting = PendingTurn(turn: WriterTurn(now: now, incarnation: IncarnationID(0)))
        waiting.changes = changes
        waiting.accepts = accepts
        waiting.answer(.storage(error))
    }

    func logStoreFailure(_ error: StorageError) {
        logger.error(
            "the store failed; nothing is taken until it answers again",
            metadata: [LogKey.errorCode: "\(error.label)", LogKey.errorText: "\(error.text)"]
        )
    }

    private func logRecovery() { logger.notice("the store answers again") }
}

extension DeliveryService.PendingTurn {
    var partCount: Int { turn.outcomes.count + turn.releases.count + changes.count + accepts.count }

    var rowCount: Int {
        turn.outcomes.count + turn.releases.count + changes.count + accepts.reduce(0) { $0 + $1.events.count }
    }

    func answer(_ error: IntakeError) {
        for change in changes { change.continuation.resume(returning: .failure(error)) }
        for accept in accepts { accept.answer(.failure(error)) }
    }
}

extension DeliveryService.PendingAccept {
    func answer(_ outcome: DeliveryService.AcceptOutcome) { continuation?.resume(returning: outcome) }
}

extension DeliveryService.State {
    /// Puts the next turn together from what waits, or says how long the writer may sleep.
    fileprivate mutating func nextStep(settings: DeliverySettings, now: Timestamp) -> DeliveryService.Step {
        isSignalled = false
        let isStopping = phase == .stopping
        if store.isDamaged { return isStopping ? .done : .sleep(until: nil) }
        if let restsUntil = store.restsUntil(now: now) { return isStopping ? .done : .sleep(until: restsUntil) }
        let plan = machine.beginTurn(now: now)
        var pending = DeliveryService.PendingTurn(turn: WriterTurn(now: now, incarnation: incarnation))
        pending.turn.outcomes = plan.outcomes
        pending.turn.claims = plan.claims
        pending.turn.budgets = plan.budgets
        pending.turn.requeues = plan.requeues
        pending.turn.releases = presence.takeReleases(atMost: settings.maxChangesPerTurn)
        pending.turn.windows = presence.windows
        pending.changes = changes.next(atMost: settings.maxChangesPerTurn)
        for index in pending.changes.indices { pending.changes[index].change.number { ids.next(at: now) } }
        pending.turn.changes = pending.changes.map(\.change)
        pending.turn.seen = takeSightings(atMost: settings.maxChangesPerTurn)
        pending.accepts = accepts.next(atMost: settings.maxEventsPerTurn)
        for accept in pending.accepts {
            pending.turn.accepts.append(
                AcceptRequest(
                    brand: accept.brand.id,
                    messageTtlSeconds: accept.brand.settings.messageTtlSeconds,
                    dedupeHours: accept.brand.settings.dedupeHours,
                    events: accept.events.map { PostedEvent($0, ids.next(at: now)) }
                )
            )
        }
        if plan.needsCommit || pending.partCount > 0 || !pending.turn.seen.isEmpty {
            turns.begun += 1
            return .commit(pending)
        }
        if store.error != nil { return .probe }
        return isStopping ? .done : .sleep(until: machine.nextDeadline(now: now))
    }
}

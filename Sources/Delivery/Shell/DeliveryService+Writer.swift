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
            case .commit(let turn): await commit(turn)
            case .sleep(let until): await sleep(until: until)
            case .done: return
            }
        }
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
        state.withLock { $0.phase = .stopping }
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
        } catch .constraint(let detail) where pending.partCount > 1 {
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

    /// One poison row never fails a stranger's event: each part gets a commit of its own.
    private func commitParts(of pending: PendingTurn) async {
        let empty = WriterTurn(now: pending.turn.now, incarnation: pending.turn.incarnation)
        var parts: [PendingTurn] = pending.turn.outcomes.map {
            var part = PendingTurn(turn: empty)
            part.turn.outcomes = [$0]
            return part
        }
        parts += pending.changes.map {
            var part = PendingTurn(turn: empty)
            part.turn.changes = [$0.change]
            part.changes = [$0]
            return part
        }
        for (accept, request) in zip(pending.accepts, pending.turn.accepts) {
            var part = PendingTurn(turn: empty)
            part.turn.accepts = [request]
            part.accepts = [accept]
            parts.append(part)
        }
        for part in parts {
            do throws(StorageError) {
                finish(part, try await store.commit(part.turn))
            } catch .constraint(let detail) {
                logger.error(
                    "an event, a change or an outcome cannot be stored",
                    metadata: [LogKey.errorText: "\(detail)"]
                )
                // The outcome of a poison row is dropped: its row stays owned until the next start takes it back.
                part.answer(.storage(.constraint(detail: detail)))
                state.withLock { $0.machine.outcomesDropped(part.turn.outcomes.count) }
            } catch {
                fail(part, error)
            }
        }
    }

    private func finish(_ pending: PendingTurn, _ result: WriterTurnResult) {
        let now = clock.now
        let (lanes, recovered) = state.withLock { state in
            let recovered = state.storeError != nil
            state.storeError = nil
            state.storeRetryAt = nil
            return (state.machine.turnCommitted(result, of: pending.turn, now: now), recovered)
        }
        if recovered { logger.notice("the store answers again") }
        for (change, outcome) in zip(pending.changes, result.changes) {
            change.continuation.resume(returning: .success(outcome))
        }
        for (accept, events) in zip(pending.accepts, result.accepts) {
            accept.continuation?.resume(returning: .success(events))
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

    private func fail(_ pending: PendingTurn, _ error: StorageError) {
        metrics.storeFailed(error.label)
        logger.error(
            "the store could not commit",
            metadata: [LogKey.errorCode: "\(error.label)", LogKey.errorText: "\(error.text)"]
        )
        let retryAt = clock.now.adding(seconds: 1)
        state.withLock { state in
            state.storeError = error
            state.storeRetryAt = retryAt
            state.machine.turnFailed(pending.turn.outcomes)
        }
        pending.answer(.storage(error))
    }
}

extension DeliveryService.PendingTurn {
    var partCount: Int { turn.outcomes.count + changes.count + accepts.count }

    var rowCount: Int { turn.outcomes.count + changes.count + accepts.reduce(0) { $0 + $1.events.count } }

    func answer(_ error: IntakeError) {
        for change in changes { change.continuation.resume(returning: .failure(error)) }
        for accept in accepts { accept.continuation?.resume(returning: .failure(error)) }
    }
}

extension DeliveryService.State {
    /// Puts the next turn together from what waits, or says how long the writer may sleep.
    fileprivate mutating func nextStep(settings: DeliverySettings, now: Timestamp) -> DeliveryService.Step {
        isSignalled = false
        if let storeRetryAt, storeRetryAt > now, accepts.isEmpty, changes.isEmpty {
            return phase == .stopping ? .done : .sleep(until: storeRetryAt)
        }
        let plan = machine.beginTurn(now: now)
        var pending = DeliveryService.PendingTurn(turn: WriterTurn(now: now, incarnation: incarnation))
        pending.turn.outcomes = plan.outcomes
        pending.turn.claims = plan.claims
        pending.turn.budgets = plan.budgets
        while pending.changes.count < settings.maxChangesPerTurn, let change = changes.popFirst() {
            pending.turn.changes.append(change.change)
            pending.changes.append(change)
        }
        var count = 0
        while let accept = accepts.first, count == 0 || count + accept.events.count <= settings.maxEventsPerTurn {
            accepts.removeFirst()
            count += accept.events.count
            pendingEvents -= accept.events.count
            pendingBytes -= accept.bytes
            pending.turn.accepts.append(
                AcceptRequest(
                    brand: accept.brand.id,
                    messageTtlSeconds: accept.brand.settings.messageTtlSeconds,
                    dedupeHours: accept.brand.settings.dedupeHours,
                    events: accept.events.map { ($0, ids.next(at: now)) }
                )
            )
            pending.accepts.append(accept)
        }
        guard plan.needsCommit || pending.partCount > 0 else {
            if phase == .stopping { return .done }
            return .sleep(until: machine.nextDeadline(now: now))
        }
        return .commit(pending)
    }
}

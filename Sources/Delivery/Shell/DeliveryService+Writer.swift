import CoreMetrics
import GatewayModel
import GatewayStorage
import Logging
import Synchronization
import Telemetry

/// The writer's task, which carries out the steps of its state machine, one after the other.
extension DeliveryService {
    /// Runs steps until there is nothing left to do after ``stop()``, on the writer's own executor.
    func writeTurns() async {
        await withTaskExecutorPreference(writerQueue) { await runSteps() }
    }

    private func runSteps() async {
        var alarm: Alarm?
        defer { alarm?.task.cancel() }
        while true {
            let now = clock.now
            let (step, lanes) = state.withLock { state in
                state.isSignalled = false
                let step = state.writer.next(now: now)
                return (step, state.writer.delivery.lanesWithWork(now: now))
            }
            wake(lanes)
            switch step {
            case .commit(let commit): await self.commit(commit)
            case .probe: await probe()
            case .sleep(let until):
                if let until { set(&alarm, until) }
                await waitForSignal()
            case .done: return
            }
        }
    }

    private func commit(_ commit: WriterCommit) async {
        let start = clock.monotonicNanoseconds
        for takenAt in commit.takenAt {
            metrics.intakeWait.recordNanoseconds(Int64(clamping: start - min(takenAt, start)))
        }
        do throws(StorageError) {
            let result = try await store.commit(commit.turn)
            metrics.commit.recordNanoseconds(Int64(clamping: clock.monotonicNanoseconds - start))
            metrics.commitRows.record(SplitTurn.partCount(of: commit.turn))
            // Before the lanes can send.
            rememberTraces(of: commit, result)
            logAccepts(result, of: commit.turn)
            let now = clock.now
            let (effects, alerts) = state.withLock {
                ($0.writer.committed(result, now: now), $0.writer.delivery.takeAlerts())
            }
            log(alerts, now: now)
            logEnds(of: commit.turn)
            notifyWindows(result)
            carryOut(effects)
            count(result)
        } catch {
            let now = clock.now
            carryOut(state.withLock { $0.writer.failed(error, now: now) }, after: error)
        }
        let settled = state.withLock { state in
            guard !state.writer.isInTurn else { return [] as [CheckedContinuation<Void, Never>] }
            defer { state.settling = [] }
            return state.settling
        }
        for continuation in settled { continuation.resume() }
    }

    private func probe() async {
        var failure: StorageError?
        do throws(StorageError) { try await store.probeWriting() } catch { failure = error }
        let (error, now) = (failure, clock.now)
        carryOut(state.withLock { $0.writer.probed(error, now: now) }, after: error)
    }

    /// Logs what happened, and resumes the callers whose work is complete.
    func carryOut(_ effects: Writer.Effects, after error: StorageError? = nil) {
        if effects.isRecovered { logger.notice("the store works again") }
        if let error { log(effects.failure, error) }
        // Pushes first: on a busy host the callers' tasks take the processor from this one.
        let areAwake = wakeKnown(effects.lanes)
        for (caller, outcome) in effects.changes { caller.resume(returning: outcome) }
        for (caller, outcome) in effects.events { caller(outcome) }
        // No caller waits until a provider is created.
        if !areAwake { wake(effects.lanes) }
    }

    private func log(_ failure: Writer.Effects.Failure?, _ error: StorageError) {
        switch failure {
        case .splits:
            metrics.storeFailed(error.label)
            logger.error(
                "constraint violation; retrying the batch item by item",
                metadata: [LogKey.errorText: "\(error.text)"]
            )
        case .poison:
            logger.error(
                "an event, a change or an outcome violates a constraint and is dropped",
                metadata: [LogKey.errorText: "\(error.text)"]
            )
        case .store(let isNew):
            metrics.storeFailed(error.label)
            // Once for each failure and not for each attempt.
            guard isNew else { return }
            logger.error(
                "the store failed; no events or changes are accepted until it works again",
                metadata: [LogKey.errorCode: "\(error.label)", LogKey.errorText: "\(error.text)"]
            )
        case nil: break
        }
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

    // MARK: Waking

    /// Wakes the writer; callable from any thread, cheap when it is awake.
    func signal() {
        let sleeper = state.withLock { state in
            state.isSignalled = true
            let sleeper = state.sleeper
            state.sleeper = nil
            return sleeper
        }
        sleeper?.resume()
    }

    func stop() {
        state.withLock { $0.writer.stop() }
        signal()
    }

    /// A timer that wakes the writer; belongs to its task.
    private struct Alarm {
        /// The time at which it fires, on the clock that tasks sleep by.
        var at: ContinuousClock.Instant
        var task: Task<Void, Never>
    }

    /// Sets the timer to a time.
    ///
    /// A timer that fires earlier stays: the writer then looks again and sets it to the later time. So a signal that
    /// comes before ends no task and starts none.
    private func set(_ alarm: inout Alarm?, _ until: Timestamp) {
        // A minute at most, so that a wall clock that jumps cannot hold up the writer.
        let milliseconds = min(max(until.milliseconds - clock.now.milliseconds, 1), 60_000)
        let now = ContinuousClock.now
        let at = now + .milliseconds(milliseconds)
        if let alarm, alarm.at > now, alarm.at <= at { return }
        alarm?.task.cancel()
        let task = Task {
            do { try await Task.sleep(until: at, clock: .continuous) } catch { return }
            signal()
        }
        alarm = Alarm(at: at, task: task)
    }

    private func waitForSignal() async {
        await withCheckedContinuation { continuation in
            let isSignalled = state.withLock { state in
                if state.isSignalled { return true }
                state.sleeper = continuation
                return false
            }
            if isSignalled { continuation.resume() }
        }
    }
}

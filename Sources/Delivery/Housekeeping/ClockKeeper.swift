package import GatewayModel
package import GatewayStorage
package import Logging
import ServiceLifecycle
import Synchronization
package import Telemetry

/// Carries out the decisions of ``GatewayModel/ClockGuard``: owns the gateway's clock, stores its time in the data, and
/// notifies listeners when things may expire again.
///
/// Callable from any thread; ``run()`` stores the time until the service group stops it.
package final class ClockKeeper: Service {
    /// The gateway's time.
    package let clock: any GatewayClock
    private let system: any GatewayClock
    private let store: any ClockStore
    private let logger: Logger
    private let decision: Mutex<ClockGuard>
    private let listeners = Mutex<[@Sendable () -> Void]>([])
    private let isDamaged = Atomic(false)
    private let hasWarned = Atomic(false)

    /// The interval at which the time is stored: a crash costs the guard this much of its running time, and each is a
    /// write to disk.
    private static let interval = Duration.seconds(600)

    private init(
        _ decision: ClockGuard,
        clock: any GatewayClock,
        system: any GatewayClock,
        store: any ClockStore,
        logger: Logger
    ) {
        self.decision = Mutex(decision)
        self.clock = clock
        self.system = system
        self.store = store
        self.logger = logger
    }

    /// Creates a keeper of a trusted clock, which compares nothing.
    package convenience init(trusting clock: any GatewayClock, store: any ClockStore, logger: Logger) {
        let decision = ClockGuard(StoredTime(), system: clock.now, monotonic: clock.monotonicNanoseconds)
        self.init(decision, clock: clock, system: clock, store: store, logger: logger)
    }

    /// Compares the system clock with the data and starts the gateway's time; call it before anything is written with a
    /// time.
    package static func open(
        store: any ClockStore & HealthStore,
        system: any GatewayClock,
        logger: Logger
    ) async throws(StorageError) -> ClockKeeper {
        let stored = try await store.storedTime()
        let now = system.now
        let decision = ClockGuard(stored, system: now, monotonic: system.monotonicNanoseconds)
        let clock = SteadyClock(system, at: decision.start) { milliseconds in
            logger.warning(
                "system clock jumped; the gateway's time follows it by gradual slewing",
                metadata: [LogKey.milliseconds: "\(milliseconds)"]
            )
        }
        let keeper = ClockKeeper(decision, clock: clock, system: system, store: store, logger: logger)
        try await store.keep(keeper.mark, audit: nil)
        store.onDamage { [weak keeper] _ in keeper?.isDamaged.store(true, ordering: .relaxed) }
        keeper.logStart(decision, system: now)
        return keeper
    }

    /// Whether nothing may expire or be deleted by age, because the clock may be wrong.
    package var isGuarded: Bool { decision.withLock { $0.isOn } }

    /// The gateway's time beside the system clock.
    package var state: ClockState {
        let decision = decision.withLock { $0 }
        let (now, wall, monotonic) = (clock.now, system.now, system.monotonicNanoseconds)
        return ClockState(
            system: wall,
            gateway: now,
            newestStored: decision.newest,
            guardedUntil: decision.remainingMilliseconds(monotonic: monotonic).map { now.adding(milliseconds: $0) },
            needsRestart: decision.wasWrong(system: wall, monotonic: monotonic)
        )
    }

    /// Registers a listener that is called once, on any thread, when things may expire again.
    package func onEnd(_ listener: @escaping @Sendable () -> Void) { listeners.withLock { $0.append(listener) } }

    /// Accepts the system clock as right, by order of an operator: things expire again; after an error everything is
    /// still guarded.
    ///
    /// - Returns: False when nothing was guarded, or only a restart helps (``ClockState/needsRestart``); then nothing
    ///   is written.
    package func accept(_ audit: AuditEntry) async throws(StorageError) -> Bool {
        guard isGuarded, !state.needsRestart else { return false }
        try await store.keep(ClockMark(trusted: clock.now), audit: audit)
        let (wall, monotonic) = (system.now, system.monotonicNanoseconds)
        if decision.withLock({ $0.accept(system: wall, monotonic: monotonic) }) {
            ended("an operator accepted the clock")
        }
        // A mark that was being stored meanwhile may have been written after it.
        await keepMark()
        return true
    }

    /// Stores the time, and ends the guard when its duration is over, until the service group shuts down.
    package func run() async throws {
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            let pause = pause
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: pause) }
            await check()
        }
    }

    /// Does what is due now: ends the guard when its duration is over, and stores the time.
    package func check() async {
        let (wall, monotonic) = (system.now, system.monotonicNanoseconds)
        if decision.withLock({ $0.timePassed(system: wall, monotonic: monotonic) }) {
            ended("its duration is over")
        } else if state.needsRestart, hasWarned.exchange(true, ordering: .relaxed) == false {
            logger.warning(
                "the system clock was set back after a start at which it was far ahead: nothing expires and housekeeping deletes nothing by age until the gateway is restarted",
                metadata: [LogKey.systemTime: "\(wall)"]
            )
        }
        await keepMark()
    }

    /// Sets the gauges; call it before the metrics are read.
    package func record(in metrics: ClockMetrics) {
        let state = state
        metrics.record(
            isGuarded: state.guardedUntil != nil,
            aheadMilliseconds: state.gateway.milliseconds - state.system.milliseconds
        )
    }

    /// The time until the next work is due.
    private var pause: Duration {
        let remaining = decision.withLock { $0.remainingMilliseconds(monotonic: system.monotonicNanoseconds) } ?? 0
        return remaining > 0 ? min(.milliseconds(remaining), Self.interval) : Self.interval
    }

    private var mark: ClockMark {
        decision.withLock { $0 }.mark(now: clock.now, monotonic: system.monotonicNanoseconds)
    }

    private func keepMark() async {
        guard !isDamaged.load(ordering: .relaxed) else { return }
        do throws(StorageError) {
            try await store.keep(mark, audit: nil)
        } catch {
            // The delivery core logs errors of the store; an older mark is safe.
            logger.debug("the time was not stored", metadata: [LogKey.errorCode: "\(error.label)"])
        }
    }

    private func ended(_ reason: String) {
        logger.notice(
            "the clock guard has ended: deliveries expire again, and housekeeping deletes by age again",
            metadata: [LogKey.reason: "\(reason)"]
        )
        let listeners = listeners.withLock { listeners in
            defer { listeners = [] }
            return listeners
        }
        for listener in listeners { listener() }
    }

    private func logStart(_ decision: ClockGuard, system now: Timestamp) {
        guard let newest = decision.newest else { return }
        let metadata: Logger.Metadata = [LogKey.storedTime: "\(newest)", LogKey.systemTime: "\(now)"]
        if let remaining = decision.remainingMilliseconds(monotonic: system.monotonicNanoseconds) {
            logger.warning(
                "the system clock is far ahead of the newest time in the data: nothing expires and housekeeping deletes nothing by age for now; set the clock and restart, or, if it is right, run switchboard clock accept",
                metadata: metadata.merging([LogKey.seconds: "\(remaining / 1000)"]) { $1 }
            )
        } else if newest > now.adding(seconds: 1) {
            logger.warning(
                "the system clock is behind the newest time in the data: the gateway's time continues from there until the clock has caught up; set the clock",
                metadata: metadata
            )
        }
    }
}

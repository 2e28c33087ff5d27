package import GatewayModel
package import GatewayStorage
package import Logging
import ServiceLifecycle
import Synchronization
package import Telemetry

/// Carries out what ``GatewayModel/ClockGuard`` decides: holds the gateway's clock, keeps its time in the data, and says
/// when things may expire again.
///
/// Any thread may ask; ``run()`` keeps the time until the service group stops it.
package final class ClockKeeper: Service {
    /// The time that the gateway goes by.
    package let clock: any GatewayClock
    private let system: any GatewayClock
    private let store: any GatewayStore
    private let logger: Logger
    private let decision: Mutex<ClockGuard>
    private let listeners = Mutex<[@Sendable () -> Void]>([])
    private let isDamaged = Atomic(false)
    private let hasWarned = Atomic(false)

    /// How often the time is kept: a crash costs the guard this much of its running time, and each is a write to disk.
    private static let interval = Duration.seconds(600)

    private init(
        _ decision: ClockGuard,
        clock: any GatewayClock,
        system: any GatewayClock,
        store: any GatewayStore,
        logger: Logger
    ) {
        self.decision = Mutex(decision)
        self.clock = clock
        self.system = system
        self.store = store
        self.logger = logger
    }

    /// A keeper of a clock that is trusted, which compares nothing.
    ///
    /// - Parameters:
    ///   - clock: The time that the gateway goes by.
    ///   - store: Where time is kept.
    ///   - logger: For what operators should know.
    package convenience init(trusting clock: any GatewayClock, store: any GatewayStore, logger: Logger) {
        let decision = ClockGuard(StoredTime(), system: clock.now, monotonic: clock.monotonicNanoseconds)
        self.init(decision, clock: clock, system: clock, store: store, logger: logger)
    }

    /// Compares the system clock with the data and begins the gateway's time; before anything is written with a time.
    ///
    /// - Parameters:
    ///   - store: The data.
    ///   - system: The system clock.
    ///   - logger: For what operators should know.
    /// - Returns: The keeper with the gateway's clock.
    /// - Throws: `StorageError`.
    package static func open(
        store: any GatewayStore,
        system: any GatewayClock,
        logger: Logger
    ) async throws(StorageError) -> ClockKeeper {
        let stored = try await store.storedTime()
        let now = system.now
        let decision = ClockGuard(stored, system: now, monotonic: system.monotonicNanoseconds)
        let clock = SteadyClock(system, at: decision.start) { milliseconds in
            logger.warning(
                "the machine's clock has jumped; deliveries keep to the time that has passed and follow it slowly",
                metadata: [LogKey.milliseconds: "\(milliseconds)"]
            )
        }
        let keeper = ClockKeeper(decision, clock: clock, system: system, store: store, logger: logger)
        try await store.keep(keeper.mark)
        store.onDamage { [weak keeper] _ in keeper?.isDamaged.store(true, ordering: .relaxed) }
        keeper.logStart(decision, system: now)
        return keeper
    }

    /// Whether nothing may expire or be cleared away, because the clock may be wrong.
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

    /// Asks to be told when things may expire again.
    ///
    /// - Parameter listener: Called once, on any thread.
    package func onEnd(_ listener: @escaping @Sendable () -> Void) { listeners.withLock { $0.append(listener) } }

    /// Takes an operator's word that the system clock is right: things expire again.
    ///
    /// - Parameter audit: What the audit trail says of it.
    /// - Returns: False when nothing was guarded, or only a restart helps (``ClockState/needsRestart``); then nothing is
    ///   written.
    /// - Throws: `StorageError`; then everything is still guarded.
    package func accept(_ audit: AuditEntry) async throws(StorageError) -> Bool {
        guard isGuarded, !state.needsRestart else { return false }
        try await store.keep(ClockMark(trusted: clock.now), audit: audit)
        let (wall, monotonic) = (system.now, system.monotonicNanoseconds)
        if decision.withLock({ $0.accept(system: wall, monotonic: monotonic) }) {
            ended("an operator accepted the clock")
        }
        // A mark that was on its way meanwhile may have come behind it.
        await keepMark()
        return true
    }

    /// Keeps the time, and ends the guard when it has lasted for its time, until the service group shuts down.
    package func run() async throws {
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            let pause = pause
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: pause) }
            await look()
        }
    }

    /// Does what is due now: ends the guard when its time is over, and keeps the time.
    package func look() async {
        let (wall, monotonic) = (system.now, system.monotonicNanoseconds)
        if decision.withLock({ $0.timePassed(system: wall, monotonic: monotonic) }) {
            ended("it has lasted for its time")
        } else if state.needsRestart, hasWarned.exchange(true, ordering: .relaxed) == false {
            logger.warning(
                "the system clock was set back since a start that doubted it: restart the gateway so that its time is right, until then nothing expires or is cleared away",
                metadata: [LogKey.systemTime: "\(wall)"]
            )
        }
        await keepMark()
    }

    /// Sets the gauges; called before the metrics are read.
    ///
    /// - Parameter metrics: The gauges.
    package func record(in metrics: ClockMetrics) {
        let state = state
        metrics.record(
            isGuarded: state.guardedUntil != nil,
            aheadMilliseconds: state.gateway.milliseconds - state.system.milliseconds
        )
    }

    /// Until something is to be done.
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
            try await store.keep(mark)
        } catch {
            // The delivery core says what is wrong with the store; an older mark is on the safe side.
            logger.debug("the time was not kept", metadata: [LogKey.errorCode: "\(error.label)"])
        }
    }

    private func ended(_ reason: String) {
        logger.notice(
            "the clock guard has ended: deliveries expire again, and what is old enough is cleared away",
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
                "the system clock is far ahead of the newest time in the data: nothing expires or is cleared away for a while; set the clock and restart, or, if it is right, run switchboard clock accept",
                metadata: metadata.merging([LogKey.seconds: "\(remaining / 1000)"]) { $1 }
            )
        } else if newest > now.adding(seconds: 1) {
            logger.warning(
                "the system clock is behind the newest time in the data: time goes on from there until the clock has caught up; set the clock",
                metadata: metadata
            )
        }
    }
}

import CoreMetrics
package import GatewayModel
package import GatewayStorage
package import Logging
package import PushProviders
import ServiceLifecycle
import Synchronization
package import Telemetry

/// The delivery core: accepts events and changes, commits them in turns, and feeds the lanes.
///
/// Callable from any thread or task. ``run()`` does the work until the service group stops it. The state machine that
/// decides is behind one lock, which is held for batches and never while other components are called.
package final class DeliveryService: Service, Sendable {
    let store: any TurnStore & HealthStore
    let directory: any LaneDirectory
    let maker: @Sendable (LaneDescription, any PushSource) throws -> (any PushProvider)?
    let settings: DeliverySettings
    let clock: any GatewayClock
    let metrics: DeliveryMetrics
    let logger: Logger
    /// Records traces; nil when they are off.
    package let tracer: TraceRecorder?
    let traced = Mutex(TracedMessages())
    let state: Mutex<State>
    let providers = Mutex(LaneProviders())
    let observer = Mutex<(any WindowObserver)?>(nil)
    let writerQueue = WriterQueue()

    /// Creates the core; nothing is read or written before ``start()``.
    ///
    /// `makeProvider` creates the provider of a lane, which takes its pushes from the source; it is called on any
    /// thread and opens no connection. It returns nil while the lane's credential is being loaded, after which the lane
    /// is reported as changed, and throws an error whose text says what is wrong with the credential, without secrets.
    package init(
        store: any TurnStore & HealthStore,
        directory: any LaneDirectory,
        makeProvider: @escaping @Sendable (LaneDescription, any PushSource) throws -> (any PushProvider)?,
        settings: DeliverySettings,
        clock: any GatewayClock,
        metrics: DeliveryMetrics,
        logger: Logger,
        tracer: TraceRecorder? = nil
    ) {
        self.store = store
        self.directory = directory
        self.maker = makeProvider
        self.settings = settings
        self.clock = clock
        self.metrics = metrics
        self.logger = logger
        self.tracer = tracer
        self.state = Mutex(State(settings: settings))
        metrics.prepareStoreErrors(StorageError.labels)
    }

    /// Starts an incarnation and requeues what earlier ones left unfinished; call once, before ``run()``.
    ///
    /// If not `mayExpire`, no delivery expires until ``expireAgain()``.
    package func start(mayExpire: Bool = true) async throws(StorageError) -> IncarnationStart {
        // Whichever read found it: nothing more must be written.
        store.onDamage { [weak self] error in self?.report(error) }
        let now = clock.now
        let start = try await store.begin(now: now) { [directory] lane, traits in
            DeliveryMachine.heldUntil(traits, directory.rules(of: lane), now: now)
        }
        let lanes = Set(start.backlog.keys.map(\.lane))
        let rules = lanes.map { ($0, directory.rules(of: $0)) }
        let (paused, paces) = (directory.pausedLanes, directory.lanePaces)
        let alerts = state.withLock {
            $0.writer.start(start)
            $0.writer.delivery.mayExpire = mayExpire
            for (lane, rules) in rules { $0.writer.delivery.setRules(rules, of: lane, isChange: false) }
            for lane in paused { $0.writer.delivery.pauseLane(lane, now: start.now) }
            for (lane, pace) in paces { $0.writer.delivery.setPace(pace, of: lane, now: start.now) }
            return $0.writer.delivery.takeAlerts()
        }
        log(alerts, now: start.now)
        return start
    }

    /// Lets deliveries expire, first those whose expiry has passed meanwhile.
    package func expireAgain() {
        state.withLock { $0.writer.delivery.mayExpire = true }
        signal()
    }

    /// Commits turns and feeds the lanes until the service group shuts down or is cancelled; then waits for pushes in
    /// flight, requeues what is left and returns.
    ///
    /// The wait is bounded by ``DeliverySettings/drainDeadlineSeconds``.
    package func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            await writeTurns()
        } onCancelOrGracefulShutdown: {
            self.stop()
        }
        await drain()
    }

    /// Accepts the events of one request, 1 to 10,000 and validated, in pieces that fit into a turn of the writer.
    ///
    /// Returns when they are on disk.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - events: The events.
    ///   - trace: The span of the request, if its trace is recorded.
    /// - Returns: The result of each event, in order. A later piece that found no room is `failed`, earlier ones stay.
    /// - Throws: `IntakeError` when nothing of the request was taken.
    package func accept(
        brand: Brand,
        events: [AgentEvent],
        trace: RecordedSpan? = nil
    ) async throws(IntakeError) -> [IntakeResult] {
        let result = await withCheckedContinuation {
            (caller: CheckedContinuation<Result<[IntakeResult], IntakeError>, Never>) in
            accept(brand: brand, events: events[...], trace: trace) { caller.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Receives the result of each event of a request, in order, or the reason for which nothing of it was taken; called
    /// once, on any thread, which it must not hold up.
    package typealias AcceptCompletion = @Sendable (Result<[IntakeResult], IntakeError>) -> Void

    /// Accepts the events of one request like ``accept(brand:events:)``, without a task that waits.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - events: The events, or the rest of them.
    ///   - earlier: The results of the events before them.
    ///   - trace: The span of the request, if its trace is recorded.
    ///   - completion: Called when they are on disk or have failed, possibly before the return.
    package func accept(
        brand: Brand,
        events: ArraySlice<AgentEvent>,
        after earlier: [IntakeResult] = [],
        trace: RecordedSpan? = nil,
        completion: @escaping AcceptCompletion
    ) {
        guard !events.isEmpty else { return completion(.success(earlier)) }
        let most = events.count == 1 ? 1 : state.withLock { $0.writer.eventsPerPiece(of: brand.id) }
        let span = trace?.startStoring()
        let piece = IntakePiece(
            brand: brand.id,
            messageTtlSeconds: brand.settings.messageTtlSeconds,
            dedupeHours: brand.settings.dedupeHours,
            events: events.prefix(most),
            takenAt: clock.monotonicNanoseconds,
            trace: span?.identity
        )
        let rest = events.dropFirst(most)
        enqueue(piece) { result in
            span?.finishStoring(result, brand: brand.id, events: min(most, events.count))
            switch result {
            case .success(let decided) where rest.isEmpty: completion(.success(earlier + decided))
            case .success(let decided):
                self.accept(
                    brand: brand,
                    events: rest,
                    after: earlier + decided,
                    trace: trace,
                    completion: completion
                )
            case .failure where earlier.isEmpty: completion(result)
            case .failure(let error):
                completion(.success(earlier + Array(repeating: .failed(error), count: events.count)))
            }
        }
    }

    /// Commits one change in the writer's next turn; returns when it is on disk and the lanes have been notified.
    package func perform(_ change: StoreChange) async throws(IntakeError) -> StoreChangeResult {
        let result = await withCheckedContinuation { (caller: ChangeCaller) in
            let rejection = state.withLock { $0.writer.perform(change, for: caller) }
            if let rejection { caller.resume(returning: .failure(rejection)) } else { signal() }
        }
        return try result.get()
    }

    /// Notes a sighting of a device; a turn of the writer stores it, at most once an hour.
    ///
    /// Callable from any thread; does not wait. When the store fails or too many wait, it is dropped: the device will
    /// be seen again.
    package func seen(_ sighting: DeviceSighting) {
        if state.withLock({ $0.writer.note(sighting) }) { signal() }
    }

    /// Applies a change to lanes that can send: after the return, nothing leaves as it would have before.
    ///
    /// Pushes in flight of a replaced provider still get their results.
    package func lanesChanged(_ lanes: [LaneID], _ change: LaneChange) {
        let now = clock.now
        let rules = lanes.map { ($0, directory.rules(of: $0)) }
        state.withLock { state in
            for (lane, rules) in rules {
                switch change {
                case .rules: break
                case .rendering: state.writer.delivery.renewProvider(of: lane)
                case .credential: state.writer.delivery.resetLane(lane, now: now)
                }
                state.writer.delivery.setRules(rules, of: lane, isChange: true)
            }
        }
        if change > .rules { retire(providers.withLock { $0.remove(lanes) }) }
        signal()
    }

    /// Closes lanes that can no longer send: their app or brand was deleted, or has no credential for them any more.
    ///
    /// Rows of the latter stay in the store until ``lanesChanged(_:)`` names them again.
    package func lanesRemoved(_ lanes: [LaneID]) {
        let now = clock.now
        state.withLock { state in
            for lane in lanes { state.writer.delivery.removeLane(lane, now: now) }
        }
        signal()
        let old = providers.withLock { $0.remove(lanes) }
        retire(old)
    }

    /// The health of the core, for `readyz`.
    package var health: DeliveryHealth {
        state.withLock {
            DeliveryHealth(
                isAccepting: $0.writer.rejection(ofChange: false) == nil,
                storeError: $0.writer.storeError,
                faults: $0.writer.faults,
                pendingEvents: $0.writer.pendingEvents
            )
        }
    }

    /// Sets the current faults of the host; while there is any, no event is accepted.
    package func report(_ faults: Set<HostFault>) { state.withLock { $0.writer.faults = faults } }

    /// Handles damaged data that a call of the store met, ``GatewayStorage/StorageError/corrupt(detail:)``; the store
    /// itself reports it.
    ///
    /// Nothing more is written to the store, nothing is accepted, and waiting callers get an error.
    package func report(_ error: StorageError) {
        let now = clock.now
        carryOut(state.withLock { $0.writer.readFailed(error, now: now) }, after: error)
        signal()
    }

    private func enqueue(_ piece: IntakePiece, completion: @escaping AcceptCompletion) {
        let rejection = state.withLock { $0.writer.accept(piece, from: completion) }
        guard let rejection else { return signal() }
        if case .overloaded = rejection { metrics.events[.overloaded].increment(by: piece.events.count) }
        completion(.failure(rejection))
    }
}

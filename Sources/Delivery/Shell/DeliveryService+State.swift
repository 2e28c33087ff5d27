import GatewayStorage

extension DeliveryService {
    typealias EventCaller = AcceptCompletion
    typealias ChangeCaller = CheckedContinuation<Result<StoreChangeResult, IntakeError>, Never>
    typealias Writer = WriterMachine<EventCaller, ChangeCaller>

    /// The state behind the lock.
    struct State {
        var writer: Writer
        /// The callers that wait for a turn to end: at most one for each window that opens.
        var settling: [CheckedContinuation<Void, Never>] = []
        /// The continuation of the writer's task while it sleeps.
        var sleeper: CheckedContinuation<Void, Never>?
        /// Whether something arrived while the writer was awake.
        var isSignalled = false

        init(settings: DeliverySettings) { writer = Writer(settings: settings) }
    }
}

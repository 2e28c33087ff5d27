import GatewayStorage

extension DeliveryService {
    typealias EventCaller = CheckedContinuation<Result<[IntakeResult], IntakeError>, Never>
    typealias ChangeCaller = CheckedContinuation<Result<StoreChangeResult, IntakeError>, Never>
    typealias Writer = WriterMachine<EventCaller, ChangeCaller>

    /// What lies behind the lock.
    struct State {
        var writer: Writer
        /// Who waits for a turn to end: at most one for each window that opens.
        var settling: [CheckedContinuation<Void, Never>] = []
        /// The writer's task while it sleeps.
        var sleeper: CheckedContinuation<Void, Never>?
        /// Something arrived while the writer was awake.
        var isSignalled = false

        init(settings: DeliverySettings) { writer = Writer(settings: settings) }
    }
}

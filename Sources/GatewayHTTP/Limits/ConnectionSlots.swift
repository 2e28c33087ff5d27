internal import CoreMetrics
internal import Synchronization
internal import Telemetry

/// Counts the connections of one server; any thread.
final class ConnectionSlots: Sendable {
    /// What becomes of a new connection.
    enum Admission {
        /// It is served.
        case served
        /// It is one too many: one answer, then closed.
        case surplus
        /// It is far too many: closed at once.
        case refused
    }

    private let open = Atomic(0)
    private let limit: Int
    private let metrics: HTTPMetrics

    init(limit: Int, metrics: HTTPMetrics) {
        self.limit = limit
        self.metrics = metrics
    }

    /// Counts a new connection; each must be given back by ``close()``.
    func take() -> Admission {
        let count = open.wrappingAdd(1, ordering: .relaxed).newValue
        metrics.connectionsOpen.increment()
        if count <= limit { return .served }
        return count <= limit + ServerLimits.surplusConnections ? .surplus : .refused
    }

    /// A connection is closed.
    func close() {
        open.wrappingSubtract(1, ordering: .relaxed)
        metrics.connectionsOpen.decrement()
    }
}

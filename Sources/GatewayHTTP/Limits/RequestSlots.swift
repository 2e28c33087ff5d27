internal import CoreMetrics
internal import Synchronization
internal import Telemetry

/// Counts the requests that are being handled; any thread.
final class RequestSlots: Sendable {
    private let running = Atomic(0)
    private let limit: Int
    private let metrics: HTTPMetrics

    init(limit: Int, metrics: HTTPMetrics) {
        self.limit = limit
        self.metrics = metrics
    }

    /// Takes a place for a request; whoever gets one gives it back with ``leave()``.
    ///
    /// - Throws: `Problem` 503 when there is no room.
    func enter() throws(Problem) {
        guard running.wrappingAdd(1, ordering: .relaxed).newValue > limit else { return }
        leave()
        metrics.refused[.requests].increment()
        throw Problem(.overloaded, "Too many requests are being handled.", retryAfterSeconds: 1)
    }

    /// Gives a place back.
    func leave() { running.wrappingSubtract(1, ordering: .relaxed) }
}

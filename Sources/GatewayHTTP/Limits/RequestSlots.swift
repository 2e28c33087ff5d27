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

    /// Handles a request, unless too many are being handled.
    ///
    /// - Parameter handle: Handles it.
    /// - Returns: Its answer.
    /// - Throws: `Problem` 503 when there is no room; what `handle` throws.
    func run<Answer>(_ handle: () async throws -> Answer) async throws -> Answer {
        let count = running.wrappingAdd(1, ordering: .relaxed).newValue
        defer { running.wrappingSubtract(1, ordering: .relaxed) }
        guard count <= limit else {
            metrics.refused[.requests].increment()
            throw Problem(.overloaded, "Too many requests are being handled.", retryAfterSeconds: 1)
        }
        return try await handle()
    }
}

internal import CoreMetrics
internal import Synchronization
internal import Telemetry

/// The memory budget for the bodies of all requests that are being read or handled; usable from any thread.
final class BodyBudget: Sendable {
    private let shares: Mutex<BodyShares>
    private let metrics: HTTPMetrics

    init(_ limits: ServerLimits, metrics: HTTPMetrics) {
        shares = Mutex(BodyShares(limit: limits.bodyBytes))
        self.metrics = metrics
    }

    /// Rejects a body for which there is no room now, without reserving any.
    ///
    /// - Parameters:
    ///   - bytes: The length that the request's head announces.
    ///   - owner: The body's caller.
    /// - Throws: `Problem` 503.
    func check(_ bytes: Int, of owner: BodyOwner) throws(Problem) {
        guard shares.withLock({ $0.admits(bytes, of: owner) }) else { throw rejection }
    }

    /// Reserves room for bytes that have arrived.
    ///
    /// - Parameters:
    ///   - bytes: The number of bytes; they must be released.
    ///   - owner: The body's caller.
    /// - Throws: `Problem` 503 when there is no room.
    func take(_ bytes: Int, of owner: BodyOwner) throws(Problem) {
        guard shares.withLock({ $0.take(bytes, of: owner) }) else { throw rejection }
        metrics.bodyBytes.increment(by: Double(bytes))
    }

    /// Releases room.
    ///
    /// - Parameters:
    ///   - bytes: The number of bytes.
    ///   - owner: The owner with which they were reserved.
    func release(_ bytes: Int, of owner: BodyOwner) {
        shares.withLock { $0.release(bytes, of: owner) }
        metrics.bodyBytes.decrement(by: Double(bytes))
    }

    private var rejection: Problem {
        metrics.refused[.bodyBytes].increment()
        return Problem(.overloaded, "Too many bytes of request bodies are being handled.", retryAfterSeconds: 1)
    }
}

internal import CoreMetrics
internal import Synchronization
internal import Telemetry

/// The memory for the bodies of all requests that are being read or handled; any thread.
final class BodyBudget: Sendable {
    private let shares: Mutex<BodyShares>
    private let metrics: HTTPMetrics

    init(_ limits: ServerLimits, metrics: HTTPMetrics) {
        shares = Mutex(BodyShares(limit: limits.bodyBytes))
        self.metrics = metrics
    }

    /// Refuses a body for which there is no room now, without taking any.
    ///
    /// - Parameters:
    ///   - bytes: The length that its head announces.
    ///   - owner: Whose it is.
    /// - Throws: `Problem` 503.
    func check(_ bytes: Int, of owner: BodyOwner) throws(Problem) {
        guard shares.withLock({ $0.admits(bytes, of: owner) }) else { throw refusal }
    }

    /// Takes room for bytes that have arrived.
    ///
    /// - Parameters:
    ///   - bytes: How many; they must be given back.
    ///   - owner: Whose they are.
    /// - Throws: `Problem` 503 when there is none.
    func take(_ bytes: Int, of owner: BodyOwner) throws(Problem) {
        guard shares.withLock({ $0.take(bytes, of: owner) }) else { throw refusal }
        metrics.bodyBytes.increment(by: Double(bytes))
    }

    /// Gives room back.
    ///
    /// - Parameters:
    ///   - bytes: How many bytes.
    ///   - owner: As they were taken.
    func giveBack(_ bytes: Int, of owner: BodyOwner) {
        shares.withLock { $0.giveBack(bytes, of: owner) }
        metrics.bodyBytes.decrement(by: Double(bytes))
    }

    private var refusal: Problem {
        metrics.refused[.bodyBytes].increment()
        return Problem(.overloaded, "Too many bytes of request bodies are being handled.", retryAfterSeconds: 1)
    }
}

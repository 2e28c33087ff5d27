import CoreMetrics
import Logging
import ServiceLifecycle
import Synchronization
import Telemetry

/// Sends the spans that wait to the collector every second, and once more at the end.
final class TraceExporter: Service {
    /// The maximum of spans in a request.
    static let batchSize = 512
    /// The time after which the last export begins no further request.
    private static let lastSeconds: Int64 = 3
    /// The upper bound of a wait that the collector asks for.
    static let maxWaitSeconds: Int64 = 30
    /// Statuses after which a batch is sent once more (OTLP, "Retryable Response Codes"); 0 is a failed connection.
    private static let transient = [0, 429, 502, 503, 504]

    private let queue: SpanQueue
    private let metrics: TraceMetrics
    private let encode: @Sendable ([SpanRecord]) -> [UInt8]
    private let post: @Sendable ([UInt8]) async -> TraceCollector.Reply
    private let sleep: @Sendable (Duration) async -> Void
    private let logger: Logger
    private let isFailing = Atomic(false)

    /// Creates an exporter.
    ///
    /// - Parameters:
    ///   - queue: The spans.
    ///   - metrics: The metrics.
    ///   - encode: Writes the body of a request.
    ///   - post: Posts a body.
    ///   - sleep: Waits, less long when the task is cancelled.
    ///   - logger: The logger.
    init(
        queue: SpanQueue,
        metrics: TraceMetrics,
        encode: @escaping @Sendable ([SpanRecord]) -> [UInt8],
        post: @escaping @Sendable ([UInt8]) async -> TraceCollector.Reply,
        sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) },
        logger: Logger
    ) {
        self.queue = queue
        self.metrics = metrics
        self.encode = encode
        self.post = post
        self.sleep = sleep
        self.logger = logger
    }

    /// Exports until the service group shuts down; then what is left, for a few seconds at most.
    func run() async throws {
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            await cancelWhenGracefulShutdown { await self.sleep(.seconds(1)) }
            while !Task.isShuttingDownGracefully, !Task.isCancelled, await exportBatch() {}
        }
        let end = ContinuousClock.now + .seconds(Self.lastSeconds)
        while ContinuousClock.now < end, !Task.isCancelled, await exportBatch() {}
    }

    /// Exports one batch; returns false when none waited or it was not accepted.
    func exportBatch() async -> Bool {
        let batch = queue.take(atMost: Self.batchSize)
        guard !batch.isEmpty else { return false }
        let body = encode(batch)
        var reply = await post(body)
        if Self.transient.contains(reply.status), !Task.isShuttingDownGracefully, !Task.isCancelled {
            let seconds = min(max(reply.retryAfterSeconds ?? 1, 1), Self.maxWaitSeconds)
            await cancelWhenGracefulShutdown { await self.sleep(.seconds(seconds)) }
            reply = await post(body)
        }
        let isAccepted = (200...299).contains(reply.status)
        metrics.spans[isAccepted ? .exported : .failed].increment(by: batch.count)
        guard isFailing.exchange(!isAccepted, ordering: .relaxed) == isAccepted else { return isAccepted }
        if isAccepted {
            logger.notice("the trace collector accepts spans again")
        } else {
            logger.warning(
                "the trace collector does not accept spans; they are lost",
                metadata: [LogKey.status: "\(reply.status)"]
            )
        }
        return isAccepted
    }
}

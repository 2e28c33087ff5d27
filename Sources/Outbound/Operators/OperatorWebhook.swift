import CoreMetrics
package import GatewayModel
internal import GuardedHTTP
package import Logging
package import Telemetry

/// Posts operator events to the webhook of the instance, signed and retried as brands' webhooks are; used by one task.
///
/// Events are in memory only: after a restart, ``OperatorEventType/started`` is followed by the conditions that hold
/// then.
package struct OperatorWebhook: Sendable {
    private let url: String
    private let key: [UInt8]
    private let sender: HTTPWebhookSender
    private let clock: any GatewayClock
    private let metrics: OperatorMetrics
    private let logger: Logger
    private var queue: OperatorEventQueue
    private var attempts = 0
    private var nextTry: Timestamp?
    private var isOff = false

    /// Creates a webhook with one event, the start.
    ///
    /// - Parameters:
    ///   - url: The URL of the receiver.
    ///   - key: The key that signs.
    ///   - sender: A sender of its own; the caller closes it.
    ///   - clock: The source of time.
    ///   - metrics: The metrics.
    ///   - logger: The logger.
    package init(
        url: String,
        key: [UInt8],
        sender: HTTPWebhookSender,
        clock: any GatewayClock,
        metrics: OperatorMetrics,
        logger: Logger
    ) {
        self.url = url
        self.key = key
        self.sender = sender
        self.clock = clock
        self.metrics = metrics
        self.logger = logger
        queue = OperatorEventQueue(startedAt: clock.now)
    }

    /// Compares the conditions that hold now with those before, and posts what has changed, unless a wait after a failed
    /// attempt is not over.
    ///
    /// - Parameters:
    ///   - conditions: All conditions that hold.
    ///   - jitter: 0 to 1, at random; see ``WebhookBackOff``.
    package mutating func update(_ conditions: [OperatorCondition], jitter: Double) async {
        let before = queue.counts
        queue.update(conditions, now: clock.now)
        metrics.events[.coalesced].increment(by: queue.counts.coalesced - before.coalesced)
        metrics.events[.lost].increment(by: queue.counts.lost - before.lost)
        // No more than there were, so that conditions are looked at again.
        var left = OperatorEventQueue.capacity / OperatorEventBatch.maxEvents
        while left > 0, !isOff, !isWaiting, let batch = queue.nextBatch(), await post(batch, jitter) { left -= 1 }
        metrics.waiting.set(queue.waitingCount)
    }

    private var isWaiting: Bool {
        guard let nextTry else { return false }
        let left = nextTry.milliseconds - clock.now.milliseconds
        return left > 0 && left <= WebhookBackOff.maxMilliseconds
    }

    /// Posts a batch; returns whether the receiver has accepted it.
    private mutating func post(_ batch: OperatorEventBatch, _ jitter: Double) async -> Bool {
        let now = clock.now
        let request = OutboundRequest(
            url: url,
            headers: WebhookSignature.headers(id: batch.id, body: batch.body, at: now, keys: [key]),
            body: batch.body
        )
        let result = await sender.post(request, owner: "", attempt: attempts, at: now)
        // The gateway stops: a response that it did not read is not the receiver's error.
        if Task.isCancelled, case .failed = result { return false }
        metrics.posts[WebhookResultLabel(result)].increment()
        var status = 0
        var retryAfter: Int64?
        if case .responded(let responded, let seconds) = result { (status, retryAfter) = (responded, seconds) }
        if (200...299).contains(status) {
            if attempts > 0 { logger.notice("the operators' webhook works again") }
            (attempts, nextTry) = (0, nil)
            queue.batchTaken()
            metrics.events[.posted].increment(by: batch.events.count)
            return true
        }
        attempts += 1
        nextTry = clock.now.adding(
            milliseconds: WebhookBackOff.milliseconds(
                attempts: attempts,
                retryAfterSeconds: retryAfter,
                jitter: jitter
            )
        )
        // As for brands' webhooks: the receiver is gone for good.
        isOff = status == 410
        if isOff {
            logger.error("the operators' webhook responded with 410; nothing is posted until the next start")
        } else if attempts == 1 {
            var metadata: Logger.Metadata = [LogKey.status: "\(status)"]
            if case .failed(let failure) = result { metadata[LogKey.errorCode] = "\(failure.rawValue)" }
            logger.warning(
                "the operators' webhook failed; its events are kept and posted again",
                metadata: metadata
            )
        }
        return false
    }
}

package import GatewayModel
package import GatewayStorage
internal import GuardedHTTP

/// Decides what one webhook does next; no clock of its own, no IO, no randomness.
///
/// One batch is on its way at a time, and its end is stored before its first try: whatever dies in between, every try
/// carries the same items under the same id.
package struct WebhookMachine: Sendable, Equatable {
    /// What to do.
    package enum Step: Equatable, Sendable {
        /// The receiver does not want anything any more.
        case off
        /// Nothing before this moment, but for a change of settings.
        case wait(until: Timestamp)
        /// Look for items behind this position and tell ``collected(_:)``.
        case collect(after: Int64)
        /// Post the items behind the mark up to this position.
        case send(after: Int64, through: Int64)
    }

    /// What is stored, or is to be.
    package private(set) var state: WebhookState

    /// Takes up what was stored.
    ///
    /// - Parameter state: How far the webhook is.
    package init(_ state: WebhookState) { self.state = state }

    /// What to do now.
    ///
    /// - Parameter now: The time.
    /// - Returns: The step.
    package func step(now: Timestamp) -> Step {
        if state.isSwitchedOff { return .off }
        if let next = state.nextTry, next > now,
            next.milliseconds - now.milliseconds <= WebhookBackOff.maxMilliseconds
        {
            return .wait(until: next)
        }
        guard let through = state.batchThrough else { return .collect(after: state.mark) }
        return .send(after: state.mark, through: through)
    }

    /// Items were found: they are the next batch.
    ///
    /// - Parameter page: What lies behind the mark; not empty.
    package mutating func collected(_ page: OutboundPage) {
        guard let last = page.items.last else { return }
        state.batchThrough = last.position
    }

    /// There is nothing to post up to a position: it was of other types, or is gone.
    ///
    /// - Parameter position: Up to where.
    package mutating func skipped(through position: Int64) {
        state.mark = max(state.mark, position)
        state.batchThrough = nil
    }

    /// A try ended.
    ///
    /// - Parameters:
    ///   - answer: How.
    ///   - through: The last position that was posted or passed over.
    ///   - now: The time.
    ///   - jitter: 0 to 1, at random.
    package mutating func ended(_ answer: WebhookAnswer, through: Int64, now: Timestamp, jitter: Double) {
        state.lastTriedAt = now
        switch answer {
        case .answered(let status, _) where (200...299).contains(status):
            state.lastStatus = status
            state.lastError = nil
            state.attempts = 0
            state.nextTry = nil
            skipped(through: through)
        case .answered(let status, let retryAfterSeconds):
            state.lastStatus = status
            state.lastError = status == 410 ? "gone" : "refused"
            // Standard Webhooks: the receiver has gone for good and says so.
            state.isSwitchedOff = status == 410
            tryAgain(now, retryAfterSeconds, jitter)
        case .failed(let failure):
            state.lastStatus = nil
            state.lastError = failure.rawValue
            tryAgain(now, nil, jitter)
        }
    }

    private mutating func tryAgain(_ now: Timestamp, _ retryAfterSeconds: Int64?, _ jitter: Double) {
        state.attempts += 1
        let wait = WebhookBackOff.milliseconds(
            attempts: state.attempts,
            retryAfterSeconds: retryAfterSeconds,
            jitter: jitter
        )
        state.nextTry = now.adding(milliseconds: wait)
    }
}

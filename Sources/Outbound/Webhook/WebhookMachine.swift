package import GatewayModel
package import GatewayStorage
internal import GuardedHTTP

/// The state machine of one receiver: decides the next step, without a clock, IO or randomness of its own.
///
/// One batch is in flight at a time. Its last position is stored before its first attempt, so every attempt carries the
/// same items under the same id, even after a crash.
package struct WebhookMachine: Sendable, Equatable {
    /// The next step.
    package enum Step: Equatable, Sendable {
        /// Nothing: the receiver has responded with 410.
        case off
        /// Nothing before this moment, unless the settings change.
        case wait(until: Timestamp)
        /// Read the items after this position and call ``collected(_:)``.
        case collect(after: Int64)
        /// Post the items after the mark up to this position.
        case send(after: Int64, through: Int64)
    }

    /// The state as stored, or as it is to be stored.
    package private(set) var state: WebhookState

    /// Creates the state machine from its stored state.
    package init(_ state: WebhookState) { self.state = state }

    /// Returns the next step.
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

    /// Undoes what the last attempt decided for the receiver, which has other settings now.
    package mutating func settingsChanged() {
        state.attempts = 0
        state.nextTry = nil
        state.isSwitchedOff = false
    }

    /// Makes the items found after the mark, at least one, the next batch.
    package mutating func collected(_ page: OutboundPage) {
        guard let last = page.items.last else { return }
        state.batchThrough = last.position
    }

    /// Skips the items up to a position, the last skipped one: they are of other types, or were removed.
    package mutating func skipped(through position: Int64) {
        state.mark = max(state.mark, position)
        state.batchThrough = nil
    }

    /// Records the result of an attempt.
    ///
    /// - Parameters:
    ///   - response: The result.
    ///   - through: The last position that was posted or skipped.
    ///   - now: The time.
    ///   - jitter: 0 to 1, at random.
    package mutating func ended(_ response: WebhookAttemptResult, through: Int64, now: Timestamp, jitter: Double) {
        state.lastTriedAt = now
        switch response {
        case .responded(let status, _) where (200...299).contains(status):
            done(status, nil, through)
        case .rejected(let status): done(status, "skipped", through)
        case .responded(let status, let retryAfterSeconds):
            state.lastStatus = status
            state.lastError = status == 410 ? "gone" : "refused"
            // Standard Webhooks: 410 means that the receiver is gone for good.
            state.isSwitchedOff = status == 410
            tryAgain(now, retryAfterSeconds, jitter)
        case .failed(let failure):
            state.lastStatus = nil
            state.lastError = failure.rawValue
            tryAgain(now, nil, jitter)
        }
    }

    private mutating func done(_ status: Int, _ error: String?, _ through: Int64) {
        state.lastStatus = status
        state.lastError = error
        state.attempts = 0
        state.nextTry = nil
        skipped(through: through)
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

/// What became of one push, as its provider's tables decide (ProviderFacts page, A9 and B4).
package enum PushOutcome: Sendable, Equatable {
    /// How far a fault reaches.
    package enum Scope: Sendable, Equatable {
        /// Only this device.
        case device
        /// Everything on the lane.
        case lane
        /// Everything on the lane if several pushes meet it, else only this device.
        case laneIfSeveral
    }

    /// What to do with the device's token.
    package enum TokenVerdict: Sendable, Equatable {
        /// The token is not to blame.
        case keep
        /// Keep the registration, stop pushing to it: malformed, or of another app or environment.
        case quarantine
    }

    /// The provider took it, under this id of its own.
    case accepted(providerID: String?)
    /// The token is dead since then; nil when the provider does not say. Drops the device only if it has not registered
    /// again since, and still has the same token.
    case unregistered(since: Timestamp?)
    /// A passing fault: try again, not before `afterSeconds` if the provider named a time.
    case retry(afterSeconds: Int64?, scope: Scope)
    /// Refused for good.
    case rejected(token: TokenVerdict)
    /// The credential or the app's set-up is wrong: the lane stops and an operator must act.
    case misconfigured
    /// What the provider needs to reach devices of the push's platform is wrong, its own credential is good: pushes to that
    /// platform's devices stop and an operator must act; the lane's others go on.
    case platformMisconfigured
    /// No answer; it may have been delivered. A resend can duplicate.
    case unknown
    /// It was provably not sent, or not processed: the next try is its first.
    case notSent
}

/// One answer (or missing answer) of a provider to one push.
package struct PushAnswer: Sendable, Equatable {
    /// What to do.
    package var outcome: PushOutcome
    /// The HTTP status; 0 when there was no answer.
    package var status: Int
    /// The provider's own word, from its documented set or as it came (at most 64 bytes); nil when it gave none.
    package var reason: String?
    /// The badge that the push carried; nil when it carried none.
    package var badge: Int64?
    /// When it left, on the wall clock.
    package var sentAt: Timestamp
    /// From leaving to the answer, in whole milliseconds.
    package var latencyMilliseconds: Int64

    /// Takes the facts of an answer.
    ///
    /// - Parameters:
    ///   - outcome: What to do.
    ///   - status: The HTTP status; 0 when there was no answer.
    ///   - reason: The provider's own word.
    ///   - badge: The badge that the push carried.
    ///   - sentAt: When it left.
    ///   - latencyMilliseconds: From leaving to the answer.
    package init(
        outcome: PushOutcome,
        status: Int,
        reason: String?,
        badge: Int64?,
        sentAt: Timestamp,
        latencyMilliseconds: Int64
    ) {
        self.outcome = outcome
        self.status = status
        self.reason = reason
        self.badge = badge
        self.sentAt = sentAt
        self.latencyMilliseconds = latencyMilliseconds
    }
}

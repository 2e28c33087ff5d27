/// The outcome of one push, as the provider's tables classify it (ProviderFacts page, A9 and B4).
package enum PushOutcome: Sendable, Equatable {
    /// The scope of an error.
    package enum Scope: Sendable, Equatable {
        /// Only this device.
        case device
        /// Everything on the lane.
        case lane
        /// Everything on the lane if several pushes have the error, else only this device.
        case laneIfSeveral
    }

    /// The consequence for the device's token.
    package enum TokenVerdict: Sendable, Equatable {
        /// The token did not cause the error.
        case keep
        /// Keep the registration, stop pushing to it: malformed, or of another app or environment.
        case quarantine
    }

    /// The provider accepted it, with its own id for the push.
    case accepted(providerID: String?)
    /// The token is dead since then; nil when the provider does not state it. The registration is deleted only if the
    /// device has not registered again since and still has the same token.
    case unregistered(since: Timestamp?)
    /// A transient error: retry, not before `afterSeconds` if the provider set a time.
    case retry(afterSeconds: Int64?, scope: Scope)
    /// Rejected for good.
    case rejected(token: TokenVerdict)
    /// The credential or the app's configuration is wrong: the lane stops and an operator must act.
    case misconfigured
    /// The configuration for the platform of the push is wrong, but the provider's own credential is valid: pushes to
    /// that platform's devices stop and an operator must act. The other devices of the lane are not affected.
    case platformMisconfigured
    /// No response; it may have been delivered. A resend can duplicate it.
    case unknown
    /// It was provably not sent, or not processed: the next attempt counts as the first.
    case notSent

    /// Whether the provider accepted it.
    package var isAccepted: Bool { if case .accepted = self { true } else { false } }
}

/// One response (or missing response) of a provider to one push.
package struct PushResponse: Sendable, Equatable {
    /// The outcome.
    package var outcome: PushOutcome
    /// The HTTP status; 0 without a response.
    package var status: Int
    /// The provider's error code, from its documented set or as received (at most 64 bytes); nil when it sent none.
    package var reason: String?
    /// The badge that the push carried; nil when it carried none.
    package var badge: Int64?
    /// The time at which it was sent, on the wall clock.
    package var sentAt: Timestamp
    /// The time from sending to the response, in whole milliseconds.
    package var latencyMilliseconds: Int64

    /// Creates a response.
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

package import GatewayModel

/// One row of a provider's response table, as data.
package struct ResponseRow: Sendable {
    /// The effect of a row on a push, before the details of the response are added.
    package enum Effect: Sendable, Equatable {
        /// The provider accepted it.
        case accepted
        /// The token is unregistered, since the time in the response if it has one.
        case unregistered
        /// A temporary error; the wait is Retry-After, else the given seconds; nil means the delivery core's schedule.
        case retry(scope: PushOutcome.Scope, seconds: Int64?)
        /// Rejected permanently.
        case rejected(PushOutcome.TokenVerdict)
        /// The credential or the app's configuration is wrong.
        case misconfigured
        /// The provider's configuration for the push's platform is wrong.
        case platformMisconfigured
    }

    /// The HTTP statuses of the row: one for a documented row, several for rows that match unknown reasons.
    package var statuses: ClosedRange<Int>
    /// The provider's reason; nil matches reasons without their own row, and no reason.
    package var reason: String?
    /// The effect on a push.
    package var effect: Effect
    /// The action that the sender should take first.
    package var remedy: ResponseRemedy

    init(_ status: Int, _ reason: String?, _ effect: Effect, _ remedy: ResponseRemedy = .none) {
        statuses = status...status
        self.reason = reason
        self.effect = effect
        self.remedy = remedy
    }

    init(statuses: ClosedRange<Int>, _ effect: Effect, _ remedy: ResponseRemedy = .none) {
        self.statuses = statuses
        reason = nil
        self.effect = effect
        self.remedy = remedy
    }
}

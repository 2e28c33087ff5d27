package import GatewayModel

/// One row of a provider's table of answers, as data.
package struct AnswerRow: Sendable {
    /// What a row makes of a push, before the details of the one answer are put in.
    package enum Effect: Sendable, Equatable {
        /// The provider took it.
        case accepted
        /// The token is dead, since the time in the answer if it holds one.
        case unregistered
        /// A passing fault; the wait is Retry-After, else the given seconds, nil being the delivery core's schedule.
        case retry(scope: PushOutcome.Scope, seconds: Int64?)
        /// Refused for good.
        case rejected(PushOutcome.TokenVerdict)
        /// The credential or the app's set-up is wrong.
        case misconfigured
        /// What the provider needs to reach devices of the push's platform is wrong.
        case platformMisconfigured
    }

    /// The HTTP statuses that it is for: one for a row of the documents, several for the rows that unknown words fall to.
    package var statuses: ClosedRange<Int>
    /// The provider's word; nil for any word that has no row of its own, and for none.
    package var reason: String?
    /// What it makes of a push.
    package var effect: Effect
    /// What the sender should do first.
    package var remedy: AnswerRemedy

    init(_ status: Int, _ reason: String?, _ effect: Effect, _ remedy: AnswerRemedy = .none) {
        statuses = status...status
        self.reason = reason
        self.effect = effect
        self.remedy = remedy
    }

    init(statuses: ClosedRange<Int>, _ effect: Effect, _ remedy: AnswerRemedy = .none) {
        self.statuses = statuses
        reason = nil
        self.effect = effect
        self.remedy = remedy
    }
}

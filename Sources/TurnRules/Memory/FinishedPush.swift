package import GatewayModel
package import GatewayStorage

/// A push that ended with a response.
package struct FinishedPush: Sendable {
    /// The upper bound of those that an engine moves to the log together.
    package static let most = 8

    /// The number of the delivery.
    package let id: Int64
    /// The state of the delivery from now on, unless a tap or a receipt says more.
    package let state: DeliveryState
    /// The reason of the state, if it needs one.
    package let suppressedBy: SuppressedBy?
    /// The response.
    package let response: PushResponse
    /// The number of earlier attempts; nil when it is not known.
    package let earlierTries: Int?

    /// Creates it from an outcome; nil when the delivery did not end, or ended without a response.
    ///
    /// - Parameter outcome: The outcome.
    package init?(_ outcome: OutcomeRecord) {
        guard case .finished(let state, let suppressedBy) = outcome.disposition, let response = outcome.response
        else { return nil }
        id = outcome.delivery.rawValue
        self.state = state
        self.suppressedBy = suppressedBy
        self.response = response
        earlierTries = outcome.earlierTries
    }

    /// The provider's id of an accepted push.
    package var providerID: String? { if case .accepted(let id) = response.outcome { id } else { nil } }
}

package import GatewayModel

/// The meaning of a provider's response, by its table.
package struct ResponseVerdict: Sendable, Equatable {
    /// The outcome of the push if the remedy does not help.
    package var outcome: PushOutcome
    /// The provider's reason: from its documented set, or sanitized, at most 64 bytes; nil when it gave none.
    package var reason: String?
    /// The action that the sender should take first for its credential or connection.
    package var remedy: ResponseRemedy

    /// Creates a verdict.
    package init(outcome: PushOutcome, reason: String?, remedy: ResponseRemedy = .none) {
        self.outcome = outcome
        self.reason = reason
        self.remedy = remedy
    }
}

/// The action for the sender's credential or connection when a response reports an error of these.
package enum ResponseRemedy: Sendable, Equatable {
    /// Nothing.
    case none
    /// Get a new provider token, if the one used is still the current one, and send this push once more.
    case renewToken
    /// Keep the current token and create no other: it was changed too often.
    case keepToken
    /// Replace this connection with a new one.
    case replaceConnection
}

package import GatewayModel

/// What an answer of a provider means, by its table.
package struct AnswerVerdict: Sendable, Equatable {
    /// What becomes of the push if nothing can be done about it.
    package var outcome: PushOutcome
    /// The provider's own word: from its documented set, or sanitised, at most 64 bytes; nil when it gave none.
    package var reason: String?
    /// What the sender should do about its credential or connection first.
    package var remedy: AnswerRemedy

    /// Takes a verdict.
    ///
    /// - Parameters:
    ///   - outcome: What becomes of the push.
    ///   - reason: The provider's own word.
    ///   - remedy: What the sender should do first.
    package init(outcome: PushOutcome, reason: String?, remedy: AnswerRemedy = .none) {
        self.outcome = outcome
        self.reason = reason
        self.remedy = remedy
    }
}

/// What a sender should do about its own credential or connection when an answer says that these are the fault.
package enum AnswerRemedy: Sendable, Equatable {
    /// Nothing.
    case none
    /// Get a new provider token, if the one used is still the current one, and send this push once more.
    case renewToken
    /// Go on with the token in use and make no other: it was changed too often.
    case keepToken
    /// Leave this connection for a new one.
    case replaceConnection
}

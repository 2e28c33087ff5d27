/// A thread of messages between a consumer and the contact centre; it belongs to the consumer, and another one may have
/// the same id.
package struct ConversationID: GatewayIdentifier {
    /// The identifier as received.
    package let rawValue: String

    /// Creates an identifier from a string that is known to be valid.
    package init(trusted rawValue: String) { self.rawValue = rawValue }
}

extension ConversationID {
    /// Returns the conversation that holds a consumer's proactive messages without a conversation (R206); never active.
    ///
    /// The key can be computed from it, which shows how many consumers the instance has had, and grants nothing: a
    /// conversation is found only together with its consumer.
    ///
    /// - Returns: A UUID that is derived from the key, always the same.
    package static func proactive(of consumer: ConsumerKey) -> ConversationID {
        ConversationID(trusted: MessageID(high: 0, low: 0).derived(by: consumer.rawValue).description)
    }

    /// Returns the id of a conversation whose consumer is merged into one that has this id, too: the id, a tilde and the
    /// conversation's number, with the id cut to fit.
    ///
    /// - Parameters:
    ///   - number: The number of the conversation.
    ///   - attempt: The number of ids that were in use already; each adds a tilde.
    /// - Returns: An id of at most 256 bytes.
    package func renamed(by number: Int64, attempt: Int) -> ConversationID {
        let suffix = "~\(number)" + String(repeating: "~", count: attempt)
        var id = rawValue
        while id.utf8.count + suffix.utf8.count > 256 { id.unicodeScalars.removeLast() }
        return ConversationID(trusted: id + suffix)
    }
}

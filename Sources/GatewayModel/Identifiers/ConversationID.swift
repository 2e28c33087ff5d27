/// A thread of messages between a consumer and the contact centre; unique within the brand.
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
    /// - Parameter consumer: The consumer.
    /// - Returns: A UUID that is derived from the key, always the same.
    package static func proactive(of consumer: ConsumerKey) -> ConversationID {
        ConversationID(trusted: MessageID(high: 0, low: 0).derived(by: consumer.rawValue).description)
    }
}

package import GatewayModel

/// An app's request with an id of its own, as a key among the ids of events: those have no such first character.
package struct ClientRequest: Sendable {
    /// The number of the brand.
    package var brand: Int64
    /// The number of the consumer.
    package var consumer: Int64
    /// The app's id of the request.
    package var id: ClientID
    /// The day on which it came, since 1970.
    package var day: Int64

    /// The key.
    package var text: String { "\u{1E}\(consumer)\u{1F}\(id.rawValue)" }

    /// Returns the range of all keys of a consumer, from their common prefix.
    ///
    /// - Parameter consumer: The number of the consumer.
    /// - Returns: The range.
    package static func keys(of consumer: Int64) -> Range<String> { "\u{1E}\(consumer)\u{1F}"..<"\u{1E}\(consumer) " }
}

/// A consumer's message as far as a repetition of its request is compared with it.
package struct StoredConsumerMessage: Sendable {
    /// Its id.
    package var id: MessageID
    /// Its number within the conversation.
    package var sequence: Int64
    /// Its conversation.
    package var conversation: ConversationID
    /// Its text.
    package var text: String
    /// Its JSON object for the back-end.
    package var data: String?

    /// Creates a message from its stored values.
    package init(id: MessageID, sequence: Int64, conversation: ConversationID, text: String, data: String?) {
        self.id = id
        self.sequence = sequence
        self.conversation = conversation
        self.text = text
        self.data = data
    }
}

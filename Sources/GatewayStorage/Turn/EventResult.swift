package import GatewayModel

/// What became of one event.
package enum EventResult: Sendable, Equatable {
    /// It is stored.
    case accepted(AcceptedEvent)
    /// Its id was seen before; counts nothing. `bodyDiffers` when the first had another body.
    case duplicate(AcceptedEvent, bodyDiffers: Bool)
    /// It cannot be stored; nothing of it is.
    case rejected(EventRejection)

    /// How many deliveries it queued.
    package var deliveries: Int { if case .accepted(let event) = self { event.deliveries } else { 0 } }
}

/// Why an event that is well formed cannot be stored.
package enum EventRejection: Sendable, Equatable {
    /// The conversation is another consumer's.
    case conversationOfAnotherConsumer
    /// There is no such conversation (read, resolved).
    case unknownConversation
    /// The read target names a message that is not in the conversation.
    case unknownMessage
    /// The brand is gone.
    case unknownBrand
}

/// What the back-end learns of an event that is stored.
package struct AcceptedEvent: Sendable, Equatable {
    /// The message; nil for events that make none.
    package var messageID: MessageID?
    /// The conversation, if there is one.
    package var conversation: ConversationID?
    /// The message's number within the conversation.
    package var sequence: Int64?
    /// The consumer's unread count now.
    package var unread: Int64
    /// How many deliveries were queued; 0 for a duplicate.
    package var deliveries: Int

    /// Takes what the back-end learns.
    ///
    /// - Parameters:
    ///   - messageID: The message.
    ///   - conversation: The conversation.
    ///   - sequence: The message's number within the conversation.
    ///   - unread: The consumer's unread count now.
    ///   - deliveries: How many deliveries were queued.
    package init(
        messageID: MessageID?,
        conversation: ConversationID?,
        sequence: Int64?,
        unread: Int64,
        deliveries: Int
    ) {
        self.messageID = messageID
        self.conversation = conversation
        self.sequence = sequence
        self.unread = unread
        self.deliveries = deliveries
    }
}

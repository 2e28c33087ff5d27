package import GatewayModel

/// The result of one event.
package enum EventResult: Sendable, Equatable {
    /// It is stored.
    case accepted(AcceptedEvent)
    /// Its id was seen before; nothing is counted. `bodyDiffers` when the first had another body.
    case duplicate(AcceptedEvent, bodyDiffers: Bool)
    /// It cannot be stored; nothing of it is.
    case rejected(EventRejection)

    /// The number of deliveries that it queued.
    package var deliveries: Int {
        switch self {
        case .accepted(let event), .duplicate(let event, _): event.deliveries
        case .rejected: 0
        }
    }
}

/// The reason why a well-formed event cannot be stored.
package enum EventRejection: Sendable, Equatable {
    /// The consumer has no such conversation (read, resolved).
    case unknownConversation
    /// The read target names a message that is not in the conversation.
    case unknownMessage
    /// The brand was deleted.
    case unknownBrand
    /// No registration has the event's token.
    case unknownToken
    /// The device with the event's token does not receive such pushes.
    case notReceived
}

/// The result of a stored event, for the back-end.
package struct AcceptedEvent: Sendable, Equatable {
    /// The message; nil for events that create none.
    package var messageID: MessageID?
    /// The conversation, if there is one.
    package var conversation: ConversationID?
    /// The message's number within the conversation.
    package var sequence: Int64?
    /// The consumer's unread count now.
    package var unread: Int64
    /// The number of queued deliveries; 0 for a duplicate.
    package var deliveries: Int

    /// Creates a result.
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

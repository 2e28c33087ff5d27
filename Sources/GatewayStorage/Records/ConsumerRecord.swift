package import GatewayModel

/// The stored facts of a consumer other than its conversations, devices and deliveries.
package struct ConsumerRecord: Sendable, Equatable {
    /// The consumer.
    package var consumer: StoredConsumer
    /// The anonymous consumers that were merged into it, oldest first.
    package var merged: [ConsumerID]
    /// Its sessions, oldest first.
    ///
    /// Expired ones are kept for a day, an anonymous consumer's as long as their tokens prove a merge.
    package var sessions: [StoredSession]

    /// Creates a record.
    package init(consumer: StoredConsumer, merged: [ConsumerID], sessions: [StoredSession]) {
        self.consumer = consumer
        self.merged = merged
        self.sessions = sessions
    }
}

/// One of a consumer's conversations.
package struct StoredConversation: Sendable, Equatable {
    /// The store's number, which rises with the age of conversations.
    package var key: ConversationKey
    /// The sequences and the unread count.
    package var unread: ConversationUnread
    /// Whether it was resolved.
    package var isResolved: Bool

    /// Creates a conversation.
    package init(key: ConversationKey, unread: ConversationUnread, isResolved: Bool) {
        self.key = key
        self.unread = unread
        self.isResolved = isResolved
    }
}

/// The first tap of a message's push.
package struct StoredTap: Sendable, Equatable {
    /// The device.
    package var device: DeviceID
    /// The time that the device reported.
    package var tappedAt: Timestamp
    /// The action or button.
    package var action: String?

    /// Creates a tap.
    package init(device: DeviceID, tappedAt: Timestamp, action: String?) {
        self.device = device
        self.tappedAt = tappedAt
        self.action = action
    }
}

/// A message with its tap, for a consumer's export.
package struct MessageRecord: Sendable {
    /// The message.
    package var message: Message
    /// Its tap, if its push was tapped.
    package var tap: StoredTap?

    /// Creates a message with its tap.
    package init(message: Message, tap: StoredTap?) {
        self.message = message
        self.tap = tap
    }
}

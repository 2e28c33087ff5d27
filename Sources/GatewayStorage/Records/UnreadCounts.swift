package import GatewayModel

/// A consumer's unread count with its parts.
package struct UnreadCounts: Sendable, Equatable {
    /// The total.
    package var total: Int64
    /// The conversations with messages: those with unread ones first, each part by its newest message.
    package var conversations: [ConversationUnread]
    /// Whether the consumer has conversations with messages that are not named.
    package var hasMore: Bool

    /// The most conversations that are named.
    package static let maxConversations = 500

    /// Takes the counts.
    ///
    /// - Parameters:
    ///   - total: The total.
    ///   - conversations: The conversations with messages.
    ///   - hasMore: Whether there are others.
    package init(total: Int64, conversations: [ConversationUnread], hasMore: Bool = false) {
        self.total = total
        self.conversations = conversations
        self.hasMore = hasMore
    }
}

package import GatewayModel

/// A consumer's unread count in total and by conversation.
package struct UnreadCounts: Sendable, Equatable {
    /// The total.
    package var total: Int64
    /// The conversations with messages: those with unread ones first, each part by its newest message.
    package var conversations: [ConversationUnread]
    /// Whether the consumer has more conversations with messages than are listed.
    package var hasMore: Bool

    /// The upper bound of the number of listed conversations.
    package static let maxConversations = 500

    /// Creates the counts.
    package init(total: Int64, conversations: [ConversationUnread], hasMore: Bool = false) {
        self.total = total
        self.conversations = conversations
        self.hasMore = hasMore
    }
}

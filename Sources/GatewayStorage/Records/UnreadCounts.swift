package import GatewayModel

/// A consumer's unread count with its parts.
package struct UnreadCounts: Sendable, Equatable {
    /// The total.
    package var total: Int64
    /// The conversations with messages, newest first.
    package var conversations: [ConversationUnread]

    /// Takes the counts.
    ///
    /// - Parameters:
    ///   - total: The total.
    ///   - conversations: The conversations with messages.
    package init(total: Int64, conversations: [ConversationUnread]) {
        self.total = total
        self.conversations = conversations
    }
}

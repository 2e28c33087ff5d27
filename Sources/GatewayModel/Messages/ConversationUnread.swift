/// The read position and the unread count of one conversation.
package struct ConversationUnread: Hashable, Sendable {
    /// The conversation.
    package var id: ConversationID
    /// Unread agent messages in it.
    package var unread: Int64
    /// The sequence of its newest message, 0 when it has none.
    package var lastSequence: Int64
    /// The sequence up to which the consumer has read, 0 for none.
    package var readSequence: Int64

    /// Creates the counts.
    package init(id: ConversationID, unread: Int64, lastSequence: Int64, readSequence: Int64) {
        self.id = id
        self.unread = unread
        self.lastSequence = lastSequence
        self.readSequence = readSequence
    }
}

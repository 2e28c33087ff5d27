/// How far one conversation has been read.
package struct ConversationUnread: Hashable, Sendable {
    /// The conversation.
    package var id: ConversationID
    /// Unread agent messages in it.
    package var unread: Int64
    /// The sequence of its newest message, 0 when it has none.
    package var lastSequence: Int64
    /// Up to where the consumer has read, 0 when nothing.
    package var readSequence: Int64

    /// Takes the four facts.
    ///
    /// - Parameters:
    ///   - id: The conversation.
    ///   - unread: Unread agent messages in it.
    ///   - lastSequence: The sequence of its newest message.
    ///   - readSequence: Up to where the consumer has read.
    package init(id: ConversationID, unread: Int64, lastSequence: Int64, readSequence: Int64) {
        self.id = id
        self.unread = unread
        self.lastSequence = lastSequence
        self.readSequence = readSequence
    }
}

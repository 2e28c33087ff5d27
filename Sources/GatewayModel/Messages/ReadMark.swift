/// The read position of a conversation, for a device that may still show notifications of its messages.
package struct ReadMark: Hashable, Sendable {
    /// The maximum of conversations in one push; those read last take precedence.
    ///
    /// With ids of the usual length so many fit into a push; nobody reads more at once by hand.
    package static let maxConversations = 24
    /// The maximum of messages in one push: Android shows no more notifications of one app.
    package static let maxMessages = 24
    /// The number of messages before a conversation's read position among which messages are searched, so that a
    /// conversation full of silent messages costs no more than others.
    package static let messagesLookedAt: Int64 = 256
    /// The time for which reads are sent again, in seconds: as long as a badge push may wait for its device, which the
    /// next one replaces.
    package static let sentForSeconds: Int64 = 86_400

    /// The conversation.
    package var conversation: ConversationID
    /// The sequence up to which everything was read.
    package var upToSequence: Int64
    /// The newest of the read messages whose notifications have the message's id as tag or identifier, newest first.
    ///
    /// A message with a collapse key has that key instead, which a newer message may have too.
    package var messageIDs: [MessageID]

    /// Creates a mark.
    package init(conversation: ConversationID, upToSequence: Int64, messageIDs: [MessageID]) {
        self.conversation = conversation
        self.upToSequence = upToSequence
        self.messageIDs = messageIDs
    }
}

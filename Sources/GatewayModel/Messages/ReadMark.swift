/// How far a conversation was read, as a device is told that may still show notifications of it.
package struct ReadMark: Hashable, Sendable {
    /// A push names at most so many conversations, those first that were read last.
    ///
    /// With ids of the usual length these are what fits into a push; nobody reads more at once by hand.
    package static let maxConversations = 24
    /// A push names at most so many messages in all: Android shows no more notifications of one app.
    package static let maxMessages = 24
    /// Messages are looked for among so many of a conversation before its mark, so that one full of silent messages costs
    /// no more than others.
    package static let messagesLookedAt: Int64 = 256
    /// Reads are told again for so long, in seconds: as long as a badge push may wait for its device, which the next one
    /// replaces.
    package static let toldForSeconds: Int64 = 86_400

    /// The conversation.
    package var conversation: ConversationID
    /// Everything up to this sequence was read.
    package var upToSequence: Int64
    /// The newest of the messages that were read and whose notifications have their id as tag or identifier, newest
    /// first; those with a collapse key have that one, which a newer message may have too.
    package var messageIDs: [MessageID]

    /// Takes a mark.
    ///
    /// - Parameters:
    ///   - conversation: The conversation.
    ///   - upToSequence: Everything up to this sequence was read.
    ///   - messageIDs: The newest messages among them.
    package init(conversation: ConversationID, upToSequence: Int64, messageIDs: [MessageID]) {
        self.conversation = conversation
        self.upToSequence = upToSequence
        self.messageIDs = messageIDs
    }
}

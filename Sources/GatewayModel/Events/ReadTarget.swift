/// The position up to which the consumer has read a conversation.
package enum ReadTarget: Hashable, Sendable {
    /// The gateway's dense sequence within the conversation, 0 or more.
    case sequence(Int64)
    /// The back-end's own sequence number: stands for the last message with a number not above it.
    case sourceSequence(Int64)
    /// A message of the conversation.
    case message(MessageID)
}

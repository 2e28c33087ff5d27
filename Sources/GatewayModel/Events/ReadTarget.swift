/// Up to where the consumer has read a conversation.
package enum ReadTarget: Hashable, Sendable {
    /// Our dense sequence within the conversation, 0 or more.
    case sequence(Int64)
    /// The back-end's own number of a message; the last message with a number not above it.
    case sourceSequence(Int64)
    /// A message of the conversation.
    case message(MessageID)
}

/// The type of an event (SendingMessages page).
package enum EventType: String, Sendable, CaseIterable {
    /// An agent wrote to the consumer: stored, counted, pushed.
    case agentMessage = "agent.message"
    /// The brand starts a contact: pushed, never counted as unread.
    case proactiveMessage = "proactive.message"
    /// The conversation is over.
    case conversationResolved = "conversation.resolved"
    /// The consumer read messages on another channel.
    case messagesRead = "messages.read"
    /// An agent is typing: only for open windows, never stored.
    case agentTyping = "agent.typing"
}

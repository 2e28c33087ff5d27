/// An event with the id of its message, if the event is new.
///
/// An immutable class: an event has many strings, and each copy would retain each of them.
package final class PostedEvent: Sendable {
    /// The event.
    package let event: AgentEvent
    /// The id of its message.
    package let messageID: MessageID

    /// Creates a pair.
    package init(_ event: AgentEvent, _ messageID: MessageID) {
        self.event = event
        self.messageID = messageID
    }
}

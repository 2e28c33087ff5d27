/// An event with the id that its message gets if it is new.
///
/// A class of constants: an event has many texts, and each copy would count a reference to each of them.
package final class PostedEvent: Sendable {
    /// The event.
    package let event: AgentEvent
    /// The id that its message gets.
    package let messageID: MessageID

    /// Joins the two.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - messageID: The id that its message gets.
    package init(_ event: AgentEvent, _ messageID: MessageID) {
        self.event = event
        self.messageID = messageID
    }
}

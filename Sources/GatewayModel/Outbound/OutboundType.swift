/// The type of an item in a brand's outbound feed (OutboundEvents page).
package enum OutboundType: String, CaseIterable, Sendable, Codable {
    /// A consumer wrote to the agent.
    case consumerMessage = "consumer.message"
    /// A conversation began.
    case conversationOpened = "conversation.opened"
    /// A conversation was resolved.
    case conversationResolved = "conversation.resolved"
    /// A push was tapped for the first time.
    case messageTapped = "message.tapped"
    /// A device gets no more pushes, or no more for agents' messages.
    case deviceUnregistered = "device.unregistered"
    /// A delivery failed or expired.
    case deliveryFailed = "delivery.failed"
    /// An app tracked an event of a consumer.
    case consumerEvent = "consumer.event"
}

import GatewayModel
import ProcessHarness

extension EventBodies {
    /// Returns the same event as the gateway parses it.
    ///
    /// - Parameters:
    ///   - run: A prefix that is unique for the scenario.
    ///   - number: The event's number.
    ///   - consumers: The number of consumers, which take turns.
    /// - Returns: An agent's message.
    static func parsed(run: String, number: Int, consumers: Int) -> AgentEvent {
        let consumer = number % consumers
        var event = AgentEvent(
            id: EventID(trusted: "\(run)-\(number)"),
            type: .agentMessage,
            consumer: ConsumerID(trusted: "consumer-\(consumer)")
        )
        event.conversation = ConversationID(trusted: "conversation-\(consumer)")
        event.dialog = "dialog-\(consumer)"
        event.sourceSequence = Int64(number)
        event.agentID = "8500.2001"
        event.agentNickname = "Dana"
        event.text = "Your order has shipped and will be with you tomorrow between nine and eleven."
        event.data = JSONText(trusted: #"{"orderId":"A\#(number)","carrier":"post"}"#)
        event.link.ios = "https://shop.example/orders/A\(number)"
        event.link.android = "https://shop.example/orders/A\(number)"
        event.ttlSeconds = 86_400
        event.category = "AGENT_MESSAGE"
        event.sound = "default"
        event.bodyHash = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
        return event
    }
}

import GatewayModel

/// Bodies of agent events of about 450 bytes, each with an id of its own.
package enum EventBodies {
    /// One event as JSON.
    ///
    /// - Parameters:
    ///   - run: Tells the events of one scenario from another's.
    ///   - number: The event's number.
    ///   - consumers: How many consumers take turns.
    /// - Returns: One JSON object without a line break.
    package static func event(run: String, number: Int, consumers: Int) -> String {
        let consumer = number % consumers
        return """
            {"id":"\(run)-\(number)","type":"agent.message","consumer":"consumer-\(consumer)","conversation":"conversation-\(consumer)",\
            "dialog":"dialog-\(consumer)","sourceSequence":\(number),"agent":{"id":"8500.2001","nickname":"Dana"},\
            "text":"Your order has shipped and will be with you tomorrow between nine and eleven.",\
            "data":{"orderId":"A\(number)","carrier":"post"},"link":{"ios":"https://shop.example/orders/A\(number)",\
            "android":"https://shop.example/orders/A\(number)"},"priority":"high","ttlSeconds":86400,"category":"AGENT_MESSAGE","sound":"default"}
            """
    }

    /// The same event as the gateway has it once it is read.
    ///
    /// - Parameters:
    ///   - run: Tells the events of one scenario from another's.
    ///   - number: The event's number.
    ///   - consumers: How many consumers take turns.
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

    /// A batch as NDJSON.
    ///
    /// - Parameters:
    ///   - run: Tells the events of one scenario from another's.
    ///   - first: The first event's number.
    ///   - count: How many.
    ///   - consumers: How many consumers take turns.
    /// - Returns: One event a line.
    package static func batch(run: String, first: Int, count: Int, consumers: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count * 480)
        for number in first..<first + count {
            bytes.append(contentsOf: event(run: run, number: number, consumers: consumers).utf8)
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }
}

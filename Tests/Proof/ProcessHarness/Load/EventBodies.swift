import Foundation

/// Bodies of agent events of about 450 bytes, each with a unique id.
package enum EventBodies {
    /// Returns one event as a JSON object without a line break; `run` is a prefix that is unique for the scenario, and
    /// the consumers take turns.
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

    /// Returns a batch as NDJSON; `run` is a prefix that is unique for the scenario, and the consumers take turns.
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

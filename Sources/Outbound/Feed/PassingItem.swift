package import GatewayModel
import PushPayloads

/// What readers of a brand's outbound feed are told only while they wait: stored nowhere, without a position, lost when
/// nobody waits.
package struct PassingItem: Sendable, Equatable {
    /// The word by which readers ask for consumers' typing.
    package static let typing = "consumer.typing"

    /// What it tells.
    package var type: String
    /// When it happened.
    package var time: Timestamp
    /// The facts, a JSON object.
    package var data: JSONText

    /// A consumer types.
    ///
    /// - Parameters:
    ///   - consumer: Who.
    ///   - conversation: Where.
    ///   - time: When.
    /// - Returns: The item.
    package static func typing(
        consumer: ConsumerID,
        conversation: ConversationID,
        at time: Timestamp
    ) -> PassingItem {
        var writer = JSONWriter(capacity: 96)
        writer.literal(#"{"consumer":"#)
        writer.string(consumer.rawValue)
        writer.literal(#","conversation":"#)
        writer.string(conversation.rawValue)
        writer.literal("}")
        let data = JSONText(trusted: String(decoding: writer.bytes, as: UTF8.self))
        return PassingItem(type: typing, time: time, data: data)
    }
}

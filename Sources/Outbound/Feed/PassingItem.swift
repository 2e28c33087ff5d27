package import GatewayModel
import TextFormats

/// An item that only readers receive that wait at this moment: it is not stored, has no position and is lost when
/// nobody waits.
package struct PassingItem: Sendable, Equatable {
    /// The type by which readers subscribe to consumers' typing.
    package static let typing = "consumer.typing"

    /// The item's type.
    package var type: String
    /// The time of the event.
    package var time: Timestamp
    /// The item's data, a JSON object.
    package var data: JSONText

    /// Returns the item for a consumer who types.
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

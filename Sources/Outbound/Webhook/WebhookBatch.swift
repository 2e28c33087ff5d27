import Cryptography
import GatewayModel
package import GatewayStorage
import TextFormats

/// One POST to a receiver: the same items have the same id and the same body at every attempt.
package struct WebhookBatch: Sendable, Equatable {
    /// The maximum of items.
    package static let maxItems = 100
    /// The maximum of item bytes; a single larger item is sent alone.
    package static let maxBytes = 256 << 10

    /// `webhook-id`.
    package let id: String
    /// The JSON text.
    package let body: [UInt8]

    /// Creates a batch.
    ///
    /// - Parameters:
    ///   - target: The target.
    ///   - items: One item or more, in order.
    ///   - hasGap: Whether earlier items were removed before the receiver had them.
    package init(target: WebhookTarget, items: [OutboundItem], hasGap: Bool) {
        // The positions themselves, so that another choice of types gives another batch id.
        let names = "\(target.brand)\n\(target.brandCreatedAt.milliseconds)\n\(items.map(\.position))"
        id = "out_" + Hexadecimal.text(SHA256.hash(data: Array(names.utf8)).prefix(16))
        var writer = JSONWriter(capacity: 64 + items.reduce(0) { $0 + $1.data.text.utf8.count + 96 })
        writer.literal(#"{"brand":"#)
        writer.string(target.brand.rawValue)
        if hasGap { writer.literal(#","gap":true"#) }
        writer.array("items", items) { $0.outbound($1) }
        writer.literal("}")
        body = writer.bytes
    }
}

extension JSONWriter {
    /// Appends an item of the outbound feed.
    package mutating func outbound(_ item: OutboundItem) {
        literal(#"{"position":"#)
        integer(item.position)
        member("type", item.type.rawValue)
        member("time", item.time.rfc3339)
        member("data", item.data)
        literal("}")
    }
}

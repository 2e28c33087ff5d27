import DequeModule
import GatewayModel
import Telemetry

/// The messages whose pushes belong to a recorded trace: in memory only, the newest of each brand.
///
/// A restart forgets them.
struct TracedMessages {
    /// The maximum of messages.
    static let capacity = 4096
    /// The maximum of messages of one brand.
    static let capacityPerBrand = 2048
    /// The maximum of messages of one piece of a request.
    static let capacityPerPiece = 64

    private var traces: [MessageID: SpanIdentity] = [:]
    /// The messages of each brand, oldest first.
    private var order: [BrandID: Deque<MessageID>] = [:]

    var isEmpty: Bool { traces.isEmpty }

    /// The span that stored a message's event; nil when it is not known.
    subscript(message: MessageID) -> SpanIdentity? { traces[message] }

    /// Adds a message; without room the oldest of the brand is forgotten, or of the brand that has most.
    mutating func add(_ message: MessageID, of brand: BrandID, _ trace: SpanIdentity) {
        guard traces.updateValue(trace, forKey: message) == nil else { return }
        order[brand, default: []].append(message)
        if order[brand]?.count ?? 0 > Self.capacityPerBrand {
            removeOldest(of: brand)
        } else if traces.count > Self.capacity, let most = order.max(by: { $0.value.count < $1.value.count })?.key {
            removeOldest(of: most)
        }
    }

    private mutating func removeOldest(of brand: BrandID) {
        if let oldest = order[brand]?.popFirst() { traces[oldest] = nil }
        if order[brand]?.isEmpty == true { order[brand] = nil }
    }
}

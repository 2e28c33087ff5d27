import GatewayModel
import NIOCore

@testable import GatewayHTTP

/// A body of events, parsed to its end, as one value.
struct WholeBody {
    var isBatch: Bool
    var events: [AgentEvent] = []
    /// With their indexes in the whole body.
    var refused: [EventBatch.Rejection] = []
    /// The number of events of each piece.
    var pieces: [Int] = []

    var count: Int { events.count + refused.count }

    init(_ bytes: [UInt8], _ format: EventFormat, now: Timestamp, reader: EventReader = EventReader()) throws(Problem) {
        var body = try reader.open(ByteBuffer(bytes: bytes), format: format, now: now)
        isBatch = body.isBatch
        while let piece = try body.next() {
            let before = count
            events += piece.events
            refused += piece.refused.map { .init(index: before + $0.index, id: $0.id, problem: $0.problem) }
            pieces.append(piece.count)
        }
    }
}

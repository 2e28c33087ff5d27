internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import PushPayloads
internal import ServiceLifecycle

/// Follows finished deliveries as server-sent events (SendingMessages page).
///
/// Its id is a position in the store's order of changes, which is that of commits: a reader that comes back with the last
/// one misses nothing and gets nothing twice. The store is asked for the next piece only when the reader has taken the
/// one before, so that a slow reader holds one piece in memory and nothing grows.
struct DeliveryTail: Sendable {
    /// Streams at once, in all and of one brand: each asks the store twice a second.
    static let limit = 64
    static let brandLimit = 16

    /// How long a change may take to be seen.
    private static let pollInterval = Duration.milliseconds(500)
    /// Between two signs of life on a quiet stream: well below what proxies allow (WHATWG HTML section 9.2.7 advises 15 s).
    static let heartbeatInterval = Duration.seconds(15)
    /// Deliveries that are written at once.
    private static let pieceSize = 100

    let store: any GatewayStore
    let query: DeliveryQuery
    let start: Int64
    /// Whether the reader may read still; asked before each piece.
    let mayRead: @Sendable () -> Bool
    /// Held as long as the stream runs.
    let slot: CallSlots.Slot
    /// Between two signs of life.
    var heartbeat = Self.heartbeatInterval

    /// The stream as the answer to a request.
    func response(to request: Request) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "text/event-stream"],
            body: ResponseBody { writer in
                // A reader that goes ends it at once, and not with the next write.
                try await request.body.consumeWithCancellationOnInboundClose { _ in try await run(&writer) }
            }
        )
    }

    /// Writes until the reader or the gateway ends it, or the reader may not read any more.
    @concurrent
    func run(_ writer: inout any ResponseBodyWriter) async throws {
        var query = query
        query.limit = Self.pieceSize
        var position = start
        // A reader that loses the connection before the first event knows where to go on, too.
        try await writer.write(ByteBuffer(string: "retry: 3000\nid: \(position)\n\n"))
        var lastWrite = ContinuousClock.now
        while !Task.isCancelled, !Task.isShuttingDownGracefully {
            // Whoever reads sees the end of the stream and comes back.
            guard let piece = try? await store.deliveryChanges(query, after: position), mayRead() else { break }
            if !piece.items.isEmpty {
                try await writer.write(Self.text(piece))
                lastWrite = .now
            } else if ContinuousClock.now - lastWrite >= heartbeat {
                try await writer.write(ByteBuffer(string: ": still here\nid: \(piece.position)\n\n"))
                lastWrite = .now
            }
            position = piece.position
            if piece.isEnd { try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.pollInterval) } }
        }
        try await writer.finish(nil)
    }

    private static func text(_ piece: DeliveryChanges) -> ByteBuffer {
        var writer = JSONWriter(capacity: piece.items.count * 512)
        for item in piece.items {
            writer.literal("id: ")
            writer.integer(item.position)
            // JSON text holds no line break.
            writer.literal("\nevent: delivery\ndata: {")
            writer.deliveryMembers(item.record)
            writer.literal("}\n\n")
        }
        return ByteBuffer(bytes: writer.bytes)
    }
}

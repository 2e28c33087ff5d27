internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ServiceLifecycle
internal import TextFormats

/// Streams deliveries as server-sent events (SendingMessages page): finished ones, and unfinished ones if that is asked for.
///
/// An event's id is a position in the store's order of changes, which is the order of commits: a client that continues
/// from its last id misses nothing and gets nothing twice. The next piece is read from the store only when the client
/// has taken the previous one, so that a slow client holds one piece in memory. The event of an unfinished delivery has no
/// id, because the store does not number its changes.
struct DeliveryTail: Sendable {
    /// The maximum number of streams, in total and per brand: each reads from the store twice a second.
    static let limit = 64
    static let brandLimit = 16

    /// The longest time until a change is seen.
    private static let pollInterval = Duration.milliseconds(500)
    /// The interval of keep-alive comments on a quiet stream: well below proxies' timeouts (WHATWG HTML section 9.2.7
    /// advises 15 s).
    static let heartbeatInterval = Duration.seconds(15)
    /// The number of deliveries that are read at once, and that are written at once: their text stays in a cache.
    private static let (pieceSize, writeSize) = (1000, 200)

    let store: any DeliveryLogStore
    let query: DeliveryQuery
    let start: Int64
    /// Whether the caller may still read; called before each piece.
    let mayRead: @Sendable () async -> Bool
    /// The slot of the stream, held as long as it runs.
    let slot: CallSlots.Slot
    /// The number of the newest deliveries among which unfinished ones are looked for.
    private static let newestCount = 100
    /// The interval of keep-alive comments.
    var heartbeat = Self.heartbeatInterval
    /// Whether unfinished deliveries are included, those among the newest ones.
    var includesUnfinished = false

    /// Writes until the client or the gateway ends the stream, or the caller may not read any more.
    @concurrent
    func run(_ writer: inout any ResponseBodyWriter) async throws {
        var query = query
        query.limit = Self.pieceSize
        var newest = query
        newest.limit = Self.newestCount
        var position = start
        var unfinished = UnfinishedDeliveries()
        if includesUnfinished { _ = unfinished.changed(try await store.deliveries(newest).items) }
        // A client that loses the connection before the first event also has a position to continue from.
        try await writer.write(ByteBuffer(string: "retry: 3000\nid: \(position)\n\n"))
        var lastWrite = ContinuousClock.now
        while !Task.isCancelled, !Task.isShuttingDownGracefully {
            // The client sees the end of the stream and reconnects.
            guard let piece = try? await store.deliveryChanges(query, after: position), await mayRead() else { break }
            if !piece.items.isEmpty {
                for start in stride(from: 0, to: piece.items.count, by: Self.writeSize) {
                    try await writer.write(Self.text(piece.items.dropFirst(start).prefix(Self.writeSize)))
                }
                lastWrite = .now
            } else if ContinuousClock.now - lastWrite >= heartbeat {
                try await writer.write(ByteBuffer(string: ": still here\nid: \(piece.position)\n\n"))
                lastWrite = .now
            }
            position = piece.position
            // After the changes: what has finished is not reported as unfinished later.
            if includesUnfinished, piece.isEnd {
                guard let page = try? await store.deliveries(newest) else { break }
                let changed = unfinished.changed(page.items)
                if !changed.isEmpty {
                    try await writer.write(Self.text(changed))
                    lastWrite = .now
                }
            }
            if piece.isEnd { try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.pollInterval) } }
        }
        try await writer.finish(nil)
    }

    private static func text(_ items: ArraySlice<DeliveryChanges.Item>) -> ByteBuffer {
        var writer = JSONWriter(capacity: items.count * 512)
        for item in items {
            writer.literal("id: ")
            writer.integer(item.position)
            writer.literal("\n")
            writer.event(item.record)
        }
        return ByteBuffer(bytes: writer.bytes)
    }

    private static func text(_ records: [DeliveryRecord]) -> ByteBuffer {
        var writer = JSONWriter(capacity: records.count * 512)
        for record in records { writer.event(record) }
        return ByteBuffer(bytes: writer.bytes)
    }
}

/// The unfinished deliveries as they were seen last.
private struct UnfinishedDeliveries {
    private var seen: [DeliveryID: DeliveryRecord]?

    /// Takes over the newest deliveries; returns the unfinished ones that have changed since the last time, oldest first.
    mutating func changed(_ newest: [DeliveryRecord]) -> [DeliveryRecord] {
        let unfinished = newest.filter { !$0.state.isFinished }
        defer { seen = Dictionary(unfinished.map { ($0.id, $0) }) { $1 } }
        guard let seen else { return [] }
        return unfinished.reversed().filter { seen[$0.id] != $0 }
    }
}

extension JSONWriter {
    /// Appends the event of a delivery without its id.
    fileprivate mutating func event(_ record: DeliveryRecord) {
        // JSON text contains no line break.
        literal("event: delivery\ndata: {")
        deliveryMembers(record)
        literal("}\n\n")
    }
}

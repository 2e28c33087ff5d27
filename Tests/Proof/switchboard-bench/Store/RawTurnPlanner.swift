import GatewayModel
import GatewayStorage
import ProcessHarness

/// Computes the rows that an accepting turn writes, as the engine does, before the measurement.
struct RawTurnPlanner {
    private struct Conversation {
        var key: Int64
        var registration: Int64
        var lane: Int64
        var sequence: Int64
        var unread: Int64
        /// The key of its newest message.
        var message: Int64
    }

    /// As in the engine: the sequences between two messages that are stored by their position.
    private static let distance: Int64 = 64
    /// As in the engine: the number of event ids in one bucket.
    private static let idsPerBucket: Int64 = 16_384

    private var conversations: [String: Conversation] = [:]
    private var nextDelivery: Int64
    private let brand: Int64
    /// The current bucket of event ids, and its size.
    private var bucket: Int64
    private var idsInBucket: Int64

    /// Reads the state that the engine keeps in memory.
    ///
    /// - Parameter store: A file with one brand, whose consumers have one conversation and one device each.
    /// - Throws: ``HarnessError``.
    init(_ store: RawStore) throws {
        let rows = try store.rows(
            """
            SELECT c.id, c.key, r.id, r.lane, c.last_sequence, c.unread, c.last_message \
            FROM current_conversations c JOIN registrations r ON r.consumer = c.consumer
            """
        )
        for row in rows {
            let numbers = row.dropFirst().compactMap { Int64($0) }
            guard numbers.count == 6 else { throw HarnessError("the store is not as expected") }
            conversations[row[0]] = Conversation(
                key: numbers[0],
                registration: numbers[1],
                lane: numbers[2],
                sequence: numbers[3],
                unread: numbers[4],
                message: numbers[5]
            )
        }
        nextDelivery = try Self.number(store, "SELECT coalesce(max(id), 0) + 1 FROM outbox")
        brand = try Self.number(store, "SELECT key FROM brands")
        bucket = try Self.number(store, "SELECT max(day) FROM dedupe")
        idsInBucket = try Self.number(store, "SELECT count(*) FROM dedupe WHERE day = \(bucket)")
    }

    /// Returns the rows of a turn.
    ///
    /// - Parameter turn: A turn that only accepts agents' messages in known conversations, with a slot for each
    ///   delivery.
    /// - Returns: The rows in the engine's order: a conversation is written at most once, at the end.
    mutating func rows(of turn: WriterTurn) -> RawTurn {
        var raw = RawTurn()
        let now = turn.now.milliseconds
        var changed: Set<String> = []
        for request in turn.accepts {
            for posted in request.events {
                let (event, id) = (posted.event, posted.messageID)
                let name = event.conversation?.rawValue ?? ""
                guard var conversation = conversations[name] else { continue }
                let key = Int64(bitPattern: id.high)
                let previous = conversation.sequence > 0 ? conversation.message : 0
                conversation.sequence += 1
                conversation.unread += 1
                conversation.message = key
                conversations[name] = conversation
                changed.insert(name)
                if idsInBucket == Self.idsPerBucket { (bucket, idsInBucket) = (bucket + 1, 0) }
                idsInBucket += 1
                raw.add(
                    .dedupe,
                    [
                        .integer(bucket), .integer(brand), .text(Self.eventKey(key, number: idsInBucket)),
                        .integer(Int64(bitPattern: event.bodyHash)), .integer(key),
                    ]
                )
                let expiresAt = turn.now.adding(seconds: event.ttlSeconds ?? request.messageTtlSeconds).milliseconds
                let message = Self.message(event, id, conversation.key, conversation.sequence, now, expiresAt)
                raw.add(.message, message + [.integer(previous)])
                if conversation.sequence.isMultiple(of: Self.distance) {
                    let position = conversation.sequence / Self.distance
                    raw.add(.position, [.integer(conversation.key), .integer(position), .integer(key)])
                }
                raw.add(
                    .outbox,
                    [
                        .integer(nextDelivery), .integer(conversation.lane), .integer(conversation.registration),
                        .integer(conversation.key), .integer(conversation.sequence),
                        .integer(key), .integer(0), .integer(turn.incarnation.rawValue),
                        .integer(expiresAt), .integer(now), .text(event.collapseKey), .integer(0), .integer(nil),
                        .integer(0),
                    ]
                )
                nextDelivery += 1
            }
        }
        for name in changed {
            guard let conversation = conversations[name] else { continue }
            raw.add(
                .head,
                [
                    .integer(conversation.sequence), .integer(conversation.unread), .integer(conversation.message),
                    .integer(conversation.key),
                ]
            )
        }
        return raw
    }

    /// Returns 21 bytes in the order of the numbers, three more than the engine stores of an event's key.
    private static func eventKey(_ message: Int64, number: Int64) -> String {
        let mixed = UInt64(bitPattern: message) &* 0x9E37_79B9_7F4A_7C15 | 1 << 63
        return String(number | 0x1_0000, radix: 16) + String(mixed, radix: 16)
    }

    private static func message(
        _ event: AgentEvent,
        _ id: MessageID,
        _ conversation: Int64,
        _ sequence: Int64,
        _ now: Int64,
        _ expiresAt: Int64
    ) -> [RawValue] {
        [
            .integer(Int64(bitPattern: id.high)), .integer(Int64(bitPattern: id.low)), .integer(conversation),
            .integer(sequence), .integer(1), .text(event.kind.rawValue), .integer(event.sourceSequence),
            .text(event.dialog), .text(event.agentID), .text(event.agentNickname), .text(event.text),
            .text(event.title), .text(event.data?.text), .text(event.link.ios), .text(event.link.android),
            .text(event.link.web), .text(event.priority.rawValue), .text(event.collapseKey), .text(event.category),
            .text(event.sound), .integer(0), .integer(now), .integer(now), .integer(expiresAt), .integer(nil),
            .text(event.campaign),
        ]
    }

    private static func number(_ store: RawStore, _ sql: String) throws -> Int64 {
        guard let number = try store.rows(sql).first?.first.flatMap({ Int64($0) }) else {
            throw HarnessError("no number: \(sql)")
        }
        return number
    }
}

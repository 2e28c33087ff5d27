import GatewayModel
import TurnRules

/// Messages and conversations of consumers.
extension Writer {
    func firstArrival(_ request: ClientRequest, hours: Int64) throws -> FirstArrival? {
        try find(Replay(request), hours: hours)
    }

    func remember(_ request: ClientRequest, message: Int64) throws {
        try store(Replay(request), hash: 0, message: message)
    }

    func written(_ message: Int64) throws -> StoredConsumerMessage? {
        let row = try db.prepare(
            """
            SELECT m.low, m.sequence, c.id, m.text, m.data FROM messages m JOIN conversations c ON c.key = m.conversation \
            WHERE m.key = ?
            """
        ).int(message)
        guard try row.next() else { return nil }
        defer { row.end() }
        return StoredConsumerMessage(
            id: MessageID(high: UInt64(bitPattern: message), low: UInt64(bitPattern: row.int64(0))),
            sequence: row.int64(1),
            conversation: ConversationID(trusted: row.string(2)),
            text: row.string(3),
            data: row.optionalString(4)
        )
    }
}

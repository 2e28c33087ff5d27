import GatewayModel
import GatewayStorage
import SQLStorage
import TurnRules

/// Resolved conversations without messages, of which only the counters are kept.
extension Writer {
    /// Removes a conversation without messages.
    ///
    /// The counters stay when a back-end named it: it may name it again and expects its sequences to continue.
    func archive(_ conversation: Int64) throws {
        try db.prepare(
            """
            INSERT INTO resting_conversations (brand, id, consumer, last_sequence, read_sequence) \
            SELECT c.brand, c.id, c.consumer, h.last_sequence, c.read_sequence FROM conversations c \
            JOIN conversation_heads h ON h.conversation = c.key WHERE c.key = ? AND c.own = 0
            """
        ).int(conversation).run()
        try removeConversation(conversation)
    }

    /// Restores a consumer's resting conversation unchanged, and returns whether there was one.
    func restoreArchived(_ name: BrandedName, of consumer: Int64) throws -> Bool {
        let row = try db.prepare(
            """
            DELETE FROM resting_conversations WHERE brand = ? AND consumer = ? AND id = ? \
            RETURNING last_sequence, read_sequence
            """
        ).int(name.brand).int(consumer).text(name.id)
        guard try row.next() else { return false }
        let (last, read) = (row.int64(0), row.int64(1))
        row.end()
        try db.prepare(
            "INSERT INTO conversations (brand, id, consumer, read_sequence, resolved) VALUES (?, ?, ?, ?, 1)"
        ).int(name.brand).text(name.id).int(consumer).int(read).run()
        try insertHead(of: db.lastInsertedRow, sequence: last, message: 0)
        return true
    }
}

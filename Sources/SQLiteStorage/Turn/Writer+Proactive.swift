import GatewayModel
import GatewayStorage

/// Proactive messages that are pending (R115); a table of their own, so that agents' messages pay nothing for it.
extension Writer {
    /// A proactive message came.
    func notePending(_ message: Int64, in conversation: Int64) throws {
        try db.prepare("INSERT INTO pending_proactive (conversation, message) VALUES (?, ?)")
            .int(conversation).int(message).run()
    }

    /// A message was tapped or removed.
    func forgetPending(_ message: Int64, in conversation: Int64) throws {
        try db.prepare("DELETE FROM pending_proactive WHERE conversation = ? AND message = ?")
            .int(conversation).int(message).run()
    }

    /// None of a consumer's messages is pending any more, and those whose pushes still wait are not pushed.
    func clearPending(of consumer: Int64, _ context: inout TurnContext) throws {
        let rows = try db.prepare(
            """
            SELECT p.conversation, p.message FROM conversations c CROSS JOIN pending_proactive p ON p.conversation = c.key \
            WHERE c.consumer = ?
            """
        ).int(consumer)
        var pending: [(conversation: Int64, message: Int64)] = []
        while try rows.next() { pending.append((rows.int64(0), rows.int64(1))) }
        for (conversation, message) in pending {
            try forgetPending(message, in: conversation)
            try cancelCleared(message, of: consumer, &context)
        }
    }

    private func cancelCleared(_ message: Int64, of consumer: Int64, _ context: inout TurnContext) throws {
        let rows = try db.prepare(
            """
            SELECT o.id FROM registrations r CROSS JOIN outbox o INDEXED BY outbox_registration ON o.registration = r.id \
            WHERE r.consumer = ? AND o.message = ?
            """
        ).int(consumer).int(message)
        var deliveries: [Int64] = []
        while try rows.next() { deliveries.append(rows.int64(0)) }
        for delivery in deliveries { try withdraw(delivery, state: .cancelled, by: .read, &context) }
    }
}

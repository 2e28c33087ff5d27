import GatewayModel
import GatewayStorage
import TurnRules

/// Pending proactive messages (R115); in a separate table, so that agents' messages cost nothing more.
extension Writer {
    /// Adds a proactive message.
    func notePending(_ message: Int64, in conversation: Int64) throws {
        try db.prepare("INSERT INTO pending_proactive (conversation, message) VALUES (?, ?)")
            .int(conversation).int(message).run()
    }

    /// Removes a message that was tapped or deleted.
    func forgetPending(_ message: Int64, in conversation: Int64) throws {
        try db.prepare("DELETE FROM pending_proactive WHERE conversation = ? AND message = ?")
            .int(conversation).int(message).run()
    }

    /// Clears all of a consumer's pending messages, and cancels their waiting pushes.
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
        var outbox = self
        for delivery in deliveries { try outbox.withdraw(delivery, state: .cancelled, by: .read, &context) }
    }
}

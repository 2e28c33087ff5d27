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

    func pendingProactive(of consumer: Int64) throws -> [(conversation: Int64, message: Int64)] {
        let rows = try db.prepare(
            """
            SELECT p.conversation, p.message FROM conversations c CROSS JOIN pending_proactive p ON p.conversation = c.key \
            WHERE c.consumer = ?
            """
        ).int(consumer)
        var pending: [(conversation: Int64, message: Int64)] = []
        while try rows.next() { pending.append((rows.int64(0), rows.int64(1))) }
        return pending
    }

    func rows(of consumer: Int64, message: Int64) throws -> [Int64] {
        try ids(
            db.prepare(
                """
                SELECT o.id FROM registrations r CROSS JOIN outbox o INDEXED BY outbox_registration \
                ON o.registration = r.id WHERE r.consumer = ? AND o.message = ?
                """
            ).int(consumer).int(message)
        )
    }
}

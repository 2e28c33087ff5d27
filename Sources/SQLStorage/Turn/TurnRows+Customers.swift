package import GatewayModel
package import GatewayStorage
package import TurnRules

/// Properties, consents and inboxes of consumers.
extension TurnRows where Self: SQLTransaction {
    package func customer(_ consumer: Int64) throws -> CustomerData? {
        try db.prepare("SELECT data FROM customers WHERE consumer = ?").int(consumer)
            .first { CustomerData(stored: try $0.value(0)) } ?? nil
    }

    package func store(_ data: CustomerData, of consumer: Int64, at now: Timestamp) throws {
        try db.prepare(
            """
            INSERT INTO customers (consumer, data, changed_at) VALUES (?1, ?2, ?3) ON CONFLICT (consumer) \
            DO UPDATE SET data = ?2, changed_at = ?3
            """
        ).int(consumer).text(data.stored).time(now).run()
    }

    package func rowsWithConsent(of consumer: Int64) throws -> [(id: Int64, category: String)] {
        try db.prepare(
            """
            SELECT o.id, m.consent FROM registrations r JOIN outbox o ON o.registration = r.id \
            JOIN messages m ON m.key = o.message WHERE r.consumer = ? AND m.consent IS NOT NULL ORDER BY o.id
            """
        ).int(consumer).all { row in (id: try row.value(0), category: try row.value(1)) }
    }
}

extension SQLTransaction {
    /// Moves the inbox of a consumer behind that of another, and deletes its other data; of two items with one id that
    /// of the other stays.
    func moveInbox(_ source: Int64, into consumer: Int64) throws {
        try db.prepare("DELETE FROM customers WHERE consumer = ?").int(source).run()
        guard let theirs = try db.inboxEnds(source) else { return }
        let own = try db.inboxEnds(consumer)
        let last = own?.last ?? 0
        try db.prepare(
            """
            UPDATE inbox_items SET consumer = ?1, change = change + ?3 WHERE consumer = ?2 \
            AND id NOT IN (SELECT id FROM inbox_items WHERE consumer = ?1)
            """
        ).int(consumer).int(source).int(last).run()
        try db.prepare("DELETE FROM inbox_items WHERE consumer = ?").int(source).run()
        try db.prepare("DELETE FROM inboxes WHERE consumer = ?").int(source).run()
        try store(inbox: consumer, last: last + theirs.last, deadBefore: own?.deadBefore ?? 0)
    }

    /// Stores the number of an inbox's last change, and that before which positions are dead.
    func store(inbox consumer: Int64, last: Int64, deadBefore: Int64) throws {
        try db.prepare(
            """
            INSERT INTO inboxes (consumer, last_change, dead_before) VALUES (?1, ?2, ?3) ON CONFLICT (consumer) \
            DO UPDATE SET last_change = ?2, dead_before = ?3
            """
        ).int(consumer).int(last).int(deadBefore).run()
    }

    /// Removes a consumer's data beside its own row.
    ///
    /// - Parameters:
    ///   - consumer: The consumer, which no lookup finds any more, or which is removed too.
    ///   - limit: At most this many rows, 1 or more.
    /// - Returns: The number of removed items of the inbox; less than the limit when nothing is left.
    /// - Throws: An error of the engine.
    package func removeCustomer(_ consumer: Int64, limit: Int) throws -> Int {
        let removed = try db.prepare(
            """
            DELETE FROM inbox_items WHERE consumer = ?1 AND change <= (SELECT max(change) FROM \
            (SELECT change FROM inbox_items WHERE consumer = ?1 ORDER BY change LIMIT ?2) AS first)
            """
        ).int(consumer).int(limit).runCounting()
        guard removed < limit else { return removed }
        try db.prepare("DELETE FROM inboxes WHERE consumer = ?").int(consumer).run()
        try db.prepare("DELETE FROM customers WHERE consumer = ?").int(consumer).run()
        return removed
    }

    /// Removes items of inboxes that have expired.
    ///
    /// - Parameter batch: The batch, with its time and limit.
    /// - Returns: The number of removed items, and where to continue; nil at the end of the pass.
    /// - Throws: An error of the engine.
    package func removeInboxItems(_ batch: HousekeepingBatch) throws -> (removed: Int, next: HousekeepingPosition?) {
        let removed = try db.prepare(
            """
            DELETE FROM inbox_items WHERE (consumer, change) IN (SELECT consumer, change FROM inbox_items \
            WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)
            """
        ).time(batch.now).int(batch.limit).runCounting()
        return (removed, removed == batch.limit ? HousekeepingPosition() : nil)
    }
}

extension SQLConnection {
    /// Returns the number of an inbox's last change, and that before which positions are dead; nil when it never had an
    /// item.
    func inboxEnds(_ consumer: Int64) throws -> (last: Int64, deadBefore: Int64)? {
        try prepare("SELECT last_change, dead_before FROM inboxes WHERE consumer = ?").int(consumer).first { row in
            let last: Int64 = try row.value(0)
            let deadBefore: Int64 = try row.value(1)
            return (last: last, deadBefore: deadBefore)
        }
    }
}

import GatewayModel
import GatewayStorage

/// The time until which a device's unowned rows wait: one line of `waiting` for each queue in which it has some.
///
/// A pause of a device applies to all of its queues.
///
/// Statements for single devices have no `RETURNING`, which builds a temporary table for each run and costs several
/// times as much as a second search.
extension Writer {
    /// Whether a new row of a device must wait in the store: behind others of its queue or of one before it, or because
    /// its device is paused.
    func mustWait(_ registration: Int64, _ queue: OutboxQueue, now: Timestamp) throws -> Bool {
        let row = try db.prepare(
            "SELECT 1 FROM waiting WHERE registration = ?1 AND (queue <= ?2 OR coalesce(due, not_before) > ?3) LIMIT 1"
        ).int(registration).int(queue.rawValue).int(now.milliseconds)
        defer { row.end() }
        return try row.next()
    }

    /// Adds unowned rows, or rows that are no longer held for a window, to those of their device and queue that wait;
    /// where none does, they are due, unless the device is paused.
    func addWaiting(
        _ count: Int64,
        _ queue: OutboxQueue,
        of registration: Int64,
        lane: Int64,
        _ context: inout TurnContext
    ) throws {
        let known = try db.prepare(
            "SELECT registration, lane, queue, due FROM waiting WHERE registration = ? AND queue = ?"
        ).int(registration).int(queue.rawValue)
        guard try noteWaiting(known, &context) == 0 else {
            return try db.prepare("UPDATE waiting SET rows = rows + ? WHERE registration = ? AND queue = ?").int(count)
                .int(registration).int(queue.rawValue).run()
        }
        let others = try db.prepare(
            "SELECT coalesce(max(due), 0), coalesce(max(not_before), 0) FROM waiting WHERE registration = ?"
        ).int(registration)
        _ = try others.next()
        let notBefore = others.int64(1)
        let due = max(context.turn.now.milliseconds, others.int64(0), notBefore)
        others.end()
        try db.prepare(
            "INSERT INTO waiting (registration, queue, lane, due, not_before, rows) VALUES (?, ?, ?, ?, ?, ?)"
        ).int(registration).int(queue.rawValue).int(lane).int(due).int(notBefore).int(count).run()
        context.noteWaiting(registration, lane: lane, queue: queue, due: due)
    }

    /// Stores requeued rows: no row of their device is due before they are.
    func storeRequeuedRows(_ context: inout TurnContext) throws {
        guard !context.requeuedRows.isEmpty else { return }
        for (registration, back) in context.requeuedRows {
            for (queue, rows) in back.rows {
                try db.prepare(
                    """
                    INSERT INTO waiting (registration, queue, lane, due, not_before, rows) \
                    SELECT id, ?2, lane, ?3, 0, ?4 FROM registrations WHERE id = ?1 \
                    ON CONFLICT (registration, queue) DO UPDATE SET rows = rows + excluded.rows
                    """
                ).int(registration).int(queue.rawValue).int(back.due).int(rows).run()
            }
            try db.prepare(
                """
                UPDATE waiting SET due = max(coalesce(due, ?2), ?2), not_before = max(not_before, ?3) \
                WHERE registration = ?1
                """
            ).int(registration).int(back.due).int(back.notBefore).run()
            let rows = try db.prepare("SELECT registration, lane, queue, due FROM waiting WHERE registration = ?")
                .int(registration)
            _ = try noteWaiting(rows, &context)
        }
        context.requeuedRows.removeAll(keepingCapacity: true)
    }

    /// Removes an unowned row from the counts.
    func removeWaiting(of registration: Int64, _ queue: OutboxQueue, _ context: inout TurnContext) throws {
        try db.prepare("UPDATE waiting SET rows = rows - 1 WHERE registration = ? AND queue = ?").int(registration)
            .int(queue.rawValue).run()
        try db.prepare("DELETE FROM waiting WHERE registration = ? AND queue = ? AND rows <= 0").int(registration)
            .int(queue.rawValue).run()
        if db.changedRows > 0 { context.noteNoneWaiting(registration, queue) }
    }

    /// Makes a device's remaining rows due, unless they wait for another reason by now.
    func recall(_ registration: RegistrationID, _ context: inout TurnContext) throws {
        let rows = try db.prepare(
            "SELECT registration, lane, queue, max(?2, not_before) FROM waiting WHERE registration = ?1 AND due IS NULL"
        ).int(registration.rawValue).int(context.turn.now.milliseconds)
        guard try noteWaiting(rows, &context) > 0 else { return }
        try db.prepare("UPDATE waiting SET due = max(?2, not_before) WHERE registration = ?1 AND due IS NULL")
            .int(registration.rawValue).int(context.turn.now.milliseconds).run()
    }

    /// Records `registration`, `lane`, `queue` and `due` of a statement's rows; returns their number.
    func noteWaiting(_ rows: Statement, _ context: inout TurnContext) throws -> Int {
        var count = 0
        while try rows.next() {
            let queue = OutboxQueue(rawValue: rows.int64(2))
            context.noteWaiting(rows.int64(0), lane: rows.int64(1), queue: queue, due: rows.optionalInt64(3))
            count += 1
        }
        return count
    }
}

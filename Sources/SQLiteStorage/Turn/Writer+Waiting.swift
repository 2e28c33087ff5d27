import GatewayModel
import GatewayStorage
import TurnRules

/// The time until which a device's unowned rows wait: one line of `waiting` for each queue in which it has some.
///
/// Statements for single devices have no `RETURNING`, which builds a temporary table for each run and costs several
/// times as much as a second search.
extension Writer {
    func waits(of registration: Int64) throws -> [WaitingRows] {
        var found: [WaitingRows] = []
        let rows = try db.prepare("SELECT queue, lane, due, not_before, rows FROM waiting WHERE registration = ?")
            .int(registration)
        while try rows.next() {
            found.append(
                WaitingRows(
                    queue: OutboxQueue(rawValue: rows.int64(0)),
                    lane: rows.int64(1),
                    due: rows.optionalInt64(2),
                    notBefore: rows.int64(3),
                    rows: rows.int64(4)
                )
            )
        }
        return found
    }

    func store(_ wait: WaitingRows, of registration: Int64) throws {
        try db.prepare(
            """
            INSERT INTO waiting (registration, queue, lane, due, not_before, rows) VALUES (?, ?, ?, ?, ?, ?) \
            ON CONFLICT (registration, queue) DO UPDATE SET due = excluded.due, not_before = excluded.not_before, \
            rows = excluded.rows
            """
        ).int(registration).int(wait.queue.rawValue).int(wait.lane).int(wait.due).int(wait.notBefore).int(wait.rows)
            .run()
    }

    /// Stores a number of rows without the index of the due times, which it is not part of.
    func store(rows: Int64, of registration: Int64, _ queue: OutboxQueue) throws {
        try db.prepare("UPDATE waiting SET rows = ? WHERE registration = ? AND queue = ?").int(rows).int(registration)
            .int(queue.rawValue).run()
    }

    func setAside(rows: Int64, of registration: Int64, _ queue: OutboxQueue) throws {
        try db.prepare("UPDATE waiting SET rows = ?, due = NULL WHERE registration = ? AND queue = ?").int(rows)
            .int(registration).int(queue.rawValue).run()
    }

    /// Makes devices due by one statement, however many they are.
    func makeDue(
        _ queue: OutboxQueue,
        of lane: LaneID,
        limit: Int,
        at now: Timestamp
    ) throws -> [(registration: Int64, due: Int64)] {
        var found: [(registration: Int64, due: Int64)] = []
        let rows = try db.prepare(
            """
            UPDATE waiting SET due = max(?2, not_before) WHERE queue = ?4 AND registration IN ( \
            SELECT registration FROM waiting WHERE lane = ?1 AND queue = ?4 AND due > ?2 AND due > not_before \
            ORDER BY due, registration LIMIT ?3) RETURNING registration, due
            """
        ).int(lane.rawValue).int(now.milliseconds).int(limit).int(queue.rawValue)
        while try rows.next() { found.append((rows.int64(0), rows.int64(1))) }
        return found
    }

    func removeWait(of registration: Int64, _ queue: OutboxQueue) throws {
        try db.prepare("DELETE FROM waiting WHERE registration = ? AND queue = ?").int(registration)
            .int(queue.rawValue).run()
    }

    func lane(of registration: Int64) throws -> Int64? {
        let row = try db.prepare("SELECT lane FROM registrations WHERE id = ?").int(registration)
        defer { row.end() }
        return try row.next() ? row.int64(0) : nil
    }
}

import GatewayModel
import GatewayStorage

/// Until when the rows of a device wait that nobody owns: one line of `waiting` for each registration that has some.
extension Writer {
    /// Until when a device's rows wait, and how many they are.
    struct Wait {
        /// Nil while its lane has as many of its rows in memory as it may.
        var due: Int64?
        /// Until then a provider wants none.
        var notBefore: Int64
        var rows: Int64
    }

    /// For what a device's rows wait; nil when none does.
    func wait(of registration: Int64) throws -> Wait? {
        let row = try db.prepare("SELECT due, not_before, rows FROM waiting WHERE registration = ?").int(registration)
        guard try row.next() else { return nil }
        defer { row.end() }
        return Wait(due: row.optionalInt64(0), notBefore: row.int64(1), rows: row.int64(2))
    }

    /// Rows that nobody owns, or no longer for a window, wait with those of their device that do; where none does, they are due.
    func addWaiting(_ count: Int64, of registration: Int64, lane: Int64, _ context: inout TurnContext) throws {
        let row = try db.prepare(
            """
            INSERT INTO waiting (registration, lane, due, not_before, rows) VALUES (?1, ?2, ?3, 0, ?4) \
            ON CONFLICT (registration) DO UPDATE SET rows = rows + excluded.rows RETURNING due
            """
        ).int(registration).int(lane).int(context.turn.now.milliseconds).int(count)
        defer { row.end() }
        guard try row.next() else { return }
        context.noteWaiting(registration, lane: lane, due: row.optionalInt64(0))
    }

    /// Rows went back to the store: no row of their device is due before they are.
    func storeGivenBack(_ context: inout TurnContext) throws {
        guard !context.givenBack.isEmpty else { return }
        for (registration, back) in context.givenBack {
            try db.prepare(
                """
                INSERT INTO waiting (registration, lane, due, not_before, rows) \
                SELECT id, lane, ?2, ?3, ?4 FROM registrations WHERE id = ?1 ON CONFLICT (registration) DO UPDATE SET \
                rows = rows + excluded.rows, due = max(coalesce(due, excluded.due), excluded.due), \
                not_before = max(not_before, excluded.not_before)
                """
            ).int(registration).int(back.due).int(back.notBefore).int(back.rows).run()
        }
        context.givenBack.removeAll(keepingCapacity: true)
    }

    /// A row that nobody owned is gone.
    func removeWaiting(of registration: Int64, _ context: inout TurnContext) throws {
        try db.prepare("UPDATE waiting SET rows = rows - 1 WHERE registration = ?").int(registration).run()
        try db.prepare("DELETE FROM waiting WHERE registration = ? AND rows <= 0").int(registration).run()
        guard db.changedRows > 0 else { return }
        context.waiting.remove(registration)
    }

    /// What is left of a device waits until its lane asks for it again.
    func putBehind(_ registration: Int64) throws {
        try db.prepare("UPDATE waiting SET due = NULL WHERE registration = ?").int(registration).run()
    }

    /// What was left of a device is due, if it does not wait for another reason by now.
    func recall(_ registration: RegistrationID, _ context: inout TurnContext) throws {
        let row = try db.prepare(
            "UPDATE waiting SET due = max(?2, not_before) WHERE registration = ?1 AND due IS NULL RETURNING lane, due"
        ).int(registration.rawValue).int(context.turn.now.milliseconds)
        defer { row.end() }
        guard try row.next() else { return }
        context.noteWaiting(registration.rawValue, lane: row.int64(0), due: row.int64(1))
    }
}

import GatewayModel
import GatewayStorage
import TurnRules

/// Rows of the outbox that end without a provider's response, and those that a window no longer holds.
extension Writer {
    /// Moves a row to the log with the facts of its last try, if it had one.
    func moveToLog(
        _ id: Int64,
        state: DeliveryState,
        by suppressedBy: SuppressedBy?,
        at now: Timestamp
    ) throws -> MovedRow? {
        let change = try nextChange()
        // A tap or a receipt shows that the push was made, whatever ends the row.
        try db.prepare(
            """
            INSERT OR FAIL INTO delivery_log (id, brand, app, device, consumer, push_type, message, state, suppressed_by, attempts, \
            status, reason, queued_at, sent_at, latency, delivered_at, tapped_at, finished_at, change, campaign, \
            displayed_at, dismissed_at, message_low) \
            SELECT o.id, r.brand, r.app, r.device, r.consumer, r.push_type, o.message, \
            CASE WHEN o.tapped_at IS NOT NULL THEN 'tapped' WHEN o.delivered_at IS NOT NULL THEN 'delivered' ELSE ?2 END, \
            CASE WHEN o.tapped_at IS NULL AND o.delivered_at IS NULL THEN ?3 END, o.attempts, \
            a.status, a.reason, o.queued_at, a.sent_at, a.latency, o.delivered_at, o.tapped_at, ?4, ?5, \
            o.campaign, o.displayed_at, o.dismissed_at, \
            CASE WHEN o.again THEN (SELECT low FROM messages WHERE key = o.message) END \
            FROM outbox o JOIN registrations r ON r.id = o.registration \
            LEFT JOIN attempts a ON a.delivery = o.id AND a.number = o.attempts WHERE o.id = ?1
            """
        ).int(id).text(state.rawValue).text(suppressedBy?.rawValue).int(now.milliseconds).int(change).run()
        guard db.changedRows == 1 else { return nil }
        noteFinished(id, change: change)
        try noteLogged(id, at: change)
        let row = try db.prepare("SELECT registration, owner IS NULL, queue FROM outbox WHERE id = ?").int(id)
        guard try row.next() else { return nil }
        let moved = MovedRow(
            registration: row.int64(0),
            queue: OutboxQueue(rawValue: row.int64(2)),
            isWaiting: row.int64(1) != 0
        )
        row.end()
        try db.prepare("DELETE FROM outbox WHERE id = ?").int(id).run()
        return moved
    }

    func rows(_ part: RegistrationRows, of registration: Int64) throws -> [Int64] {
        try ids(
            db.prepare(
                """
                SELECT o.id FROM outbox o LEFT JOIN messages m ON m.key = o.message \
                WHERE o.registration = ?1 AND (?2 = 0 OR ?2 = 1 AND (o.kind = 1 OR m.kind = 'agent') \
                OR ?2 = 2 AND m.kind IN ('proactive', 'c2m')) ORDER BY o.id
                """
            ).int(registration).int(part.rawValue)
        )
    }

    /// Returns the rows of a conversation's messages up to a sequence, of all registrations of a consumer.
    func rows(
        of consumer: Int64,
        conversation: Int64,
        upTo sequence: Int64
    ) throws -> [(id: Int64, isHeld: Bool)] {
        let registrations = try ids(db.prepare("SELECT id FROM registrations WHERE consumer = ?").int(consumer))
        var found: [(id: Int64, isHeld: Bool)] = []
        for registration in registrations {
            let rows = try db.prepare(
                "SELECT id, held FROM outbox WHERE registration = ? AND conversation = ? AND sequence <= ?"
            ).int(registration).int(conversation).int(sequence)
            while try rows.next() { found.append((rows.int64(0), rows.int64(1) != 0)) }
        }
        return found
    }

    /// Returns the older rows of a registration that a new one replaces, whether a lane has them or not.
    func rowsReplaced(by new: TurnContext.NewRow) throws -> [Int64] {
        switch new.kind {
        case .badge:
            // Only the newest badge matters.
            return try ids(
                db.prepare("SELECT id FROM outbox WHERE registration = ? AND queue = 1 AND id < ?")
                    .int(new.registration.id).int(new.id)
            )
        case .message:
            guard let key = new.message?.collapseKey else { return [] }
            return try ids(
                db.prepare("SELECT id FROM outbox WHERE registration = ? AND collapse = ? AND id < ? ORDER BY id")
                    .int(new.registration.id).text(key).int(new.id)
            )
        }
    }

    /// Makes the rows of a registration that are held for windows unowned, and returns their number.
    func releaseHeld(of registration: Int64) throws -> Int {
        try db.prepare("UPDATE outbox SET owner = NULL, held = 0, untimed = 1 WHERE registration = ? AND held = 1")
            .int(registration).run()
        return db.changedRows
    }

    func ids(_ rows: Statement) throws -> [Int64] {
        var ids: [Int64] = []
        while try rows.next() { ids.append(rows.int64(0)) }
        return ids
    }
}

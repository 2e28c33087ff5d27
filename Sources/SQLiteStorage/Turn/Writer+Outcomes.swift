import GatewayModel
import GatewayStorage
import TurnRules

extension Writer {
    func expiry(of id: Int64) throws -> Timestamp? {
        let row = try db.prepare("SELECT expires_at FROM outbox WHERE id = ?").int(id)
        defer { row.end() }
        return try row.next() ? Timestamp(milliseconds: row.int64(0)) : nil
    }

    // MARK: With a response

    /// Copies rows to the log by one statement: to open the log and its indexes costs as much as a row.
    func copyToLog(_ pushes: [FinishedPush]) throws -> Bool {
        let first = try nextChange(count: pushes.count)
        try insertFinished(pushes, firstChange: first)
        guard db.changedRows == pushes.count else {
            if pushes.count > 1 {
                for push in pushes {
                    try db.prepare(
                        "DELETE FROM delivery_log WHERE id = ?1 AND EXISTS (SELECT 1 FROM outbox WHERE id = ?1)"
                    ).int(push.id).run()
                }
            }
            return false
        }
        for (index, push) in pushes.enumerated() { noteFinished(push.id, change: first + Int64(index)) }
        try noteLogged(pushes, first: first)
        return true
    }

    func removeRow(of push: FinishedPush) throws -> MovedRow? {
        try db.prepare("DELETE FROM outbox WHERE id = ? AND owner IS NOT NULL").int(push.id).run()
        let waiting = try db.changedRows == 0 ? removeWaitingRow(push.id) : nil
        if push.earlierTries != 0 { try keepLastAttempt(push.id, push.response) }
        return waiting
    }

    /// Deletes a row that has no owner.
    private func removeWaitingRow(_ id: Int64) throws -> MovedRow? {
        let row = try db.prepare("SELECT registration, queue FROM outbox WHERE id = ?").int(id)
        guard try row.next() else { return nil }
        let queue = OutboxQueue(rawValue: row.int64(1))
        let waiting = MovedRow(registration: row.int64(0), queue: queue, isWaiting: true)
        row.end()
        try db.prepare("DELETE FROM outbox WHERE id = ?").int(id).run()
        return waiting
    }

    /// Inserts the rows among these that are in the outbox into the log.
    private func insertFinished(_ rows: [FinishedPush], firstChange: Int64) throws {
        let statement = try db.prepare(
            """
            INSERT OR FAIL INTO delivery_log (id, brand, app, device, consumer, push_type, message, state, suppressed_by, \
            attempts, provider_id, status, reason, queued_at, sent_at, latency, delivered_at, tapped_at, badge, change, \
            campaign, displayed_at, dismissed_at, message_low) \
            SELECT o.id, r.brand, r.app, r.device, r.consumer, r.push_type, o.message, \
            CASE WHEN o.tapped_at IS NOT NULL THEN 'tapped' WHEN o.delivered_at IS NOT NULL THEN 'delivered' \
            ELSE f.column2 END, f.column3, o.attempts + 1, f.column4, f.column5, f.column6, o.queued_at, f.column7, \
            f.column8, o.delivered_at, o.tapped_at, f.column9, f.column10, o.campaign, o.displayed_at, o.dismissed_at, \
            CASE WHEN o.again THEN (SELECT low FROM messages WHERE key = o.message) END \
            FROM (VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?, ?, ?, ?), \
            (?, ?, ?, ?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?, ?, ?, ?), \
            (?, ?, ?, ?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)) f \
            CROSS JOIN outbox o ON o.id = f.column1 CROSS JOIN registrations r ON r.id = o.registration
            """
        )
        for (index, row) in rows.enumerated() {
            statement.int(row.id).text(row.state.rawValue).text(row.suppressedBy?.rawValue).text(row.providerID)
                .int(row.response.status).text(row.response.reason).int(row.response.sentAt.milliseconds)
                .int(row.response.latencyMilliseconds).int(row.response.badge).int(firstChange + Int64(index))
        }
        // No row has null as its id.
        statement.nulls(10 * (FinishedPush.most - rows.count))
        try statement.run()
    }

    private func keepLastAttempt(_ id: Int64, _ response: PushResponse) throws {
        try db.prepare(
            """
            INSERT OR FAIL INTO attempts (delivery, number, sent_at, status, reason, latency) \
            SELECT id, attempts, ?2, ?3, ?4, ?5 FROM delivery_log WHERE id = ?1 AND attempts > 1
            """
        )
        .int(id).int(response.sentAt.milliseconds).int(response.status).text(response.reason).int(
            response.latencyMilliseconds
        )
        .run()
    }

    func recordLate(_ id: Int64, _ response: PushResponse, isAccepted: Bool, providerID: String?) throws {
        let before = try logFacts(id)
        try db.prepare(
            """
            UPDATE delivery_log SET change = ?9, attempts = attempts + 1, provider_id = coalesce(?2, provider_id), status = ?3, \
            reason = ?4, sent_at = ?5, latency = ?6, badge = ?7, \
            suppressed_by = CASE WHEN state = 'cancelled' AND ?8 THEN NULL ELSE suppressed_by END, \
            state = CASE WHEN state = 'cancelled' AND ?8 THEN 'accepted' ELSE state END WHERE id = ?1
            """
        )
        .int(id).text(providerID).int(response.status).text(response.reason).int(response.sentAt.milliseconds)
        .int(response.latencyMilliseconds).int(response.badge).int(isAccepted ? 1 : 0).int(try nextChange()).run()
        try noteChanged(id, before)
        try keepLastAttempt(id, response)
    }

    func storeAttempt(of id: Int64, _ response: PushResponse) throws -> Bool {
        try db.prepare(
            """
            INSERT OR FAIL INTO attempts (delivery, number, sent_at, status, reason, latency) \
            SELECT id, attempts + 1, ?2, ?3, ?4, ?5 FROM outbox WHERE id = ?1
            """
        )
        .int(id).int(response.sentAt.milliseconds).int(response.status).text(response.reason)
        .int(response.latencyMilliseconds).run()
        return db.changedRows > 0
    }

    func disown(_ id: Int64, attempts: Int) throws -> MovedRow? {
        let row = try db.prepare("SELECT registration, queue, owner IS NULL FROM outbox WHERE id = ?").int(id)
        guard try row.next() else { return nil }
        noteMarked { [id] }
        let queue = OutboxQueue(rawValue: row.int64(1))
        let disowned = MovedRow(registration: row.int64(0), queue: queue, isWaiting: row.int64(2) != 0)
        row.end()
        try db.prepare("UPDATE outbox SET owner = NULL, attempts = attempts + ? WHERE id = ?").int(attempts).int(id)
            .run()
        return disowned
    }
}

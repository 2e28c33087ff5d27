import GatewayModel
import GatewayStorage

/// Rows that end without a provider's response.
extension Writer {
    /// Moves a row to the log with the facts of its last try, if it had one; does nothing when it is there already.
    func withdraw(
        _ id: Int64,
        state: DeliveryState,
        by suppressedBy: SuppressedBy?,
        _ context: inout TurnContext
    ) throws {
        let change = try nextChange()
        // A tap or a receipt shows that the push was made, whatever ends the row.
        try db.prepare(
            """
            INSERT OR FAIL INTO delivery_log (id, brand, app, device, consumer, push_type, message, state, suppressed_by, attempts, \
            status, reason, queued_at, sent_at, latency, delivered_at, tapped_at, finished_at, change, campaign, \
            displayed_at, dismissed_at) \
            SELECT o.id, r.brand, r.app, r.device, r.consumer, r.push_type, o.message, \
            CASE WHEN o.tapped_at IS NOT NULL THEN 'tapped' WHEN o.delivered_at IS NOT NULL THEN 'delivered' ELSE ?2 END, \
            CASE WHEN o.tapped_at IS NULL AND o.delivered_at IS NULL THEN ?3 END, o.attempts, \
            a.status, a.reason, o.queued_at, a.sent_at, a.latency, o.delivered_at, o.tapped_at, ?4, ?5, \
            o.campaign, o.displayed_at, o.dismissed_at \
            FROM outbox o JOIN registrations r ON r.id = o.registration \
            LEFT JOIN attempts a ON a.delivery = o.id AND a.number = o.attempts WHERE o.id = ?1
            """
        ).int(id).text(state.rawValue).text(suppressedBy?.rawValue).int(context.turn.now.milliseconds).int(change).run()
        guard db.changedRows == 1 else { return }
        noteFinished(id, change: change)
        let row = try db.prepare("SELECT registration, owner IS NULL, queue FROM outbox WHERE id = ?").int(id)
        guard try row.next() else { return }
        let (registration, isWaiting) = (row.int64(0), row.int64(1) != 0)
        let queue = OutboxQueue(rawValue: row.int64(2))
        row.end()
        try db.prepare("DELETE FROM outbox WHERE id = ?").int(id).run()
        context.noteWithdrawn(id, of: registration)
        if isWaiting { try removeWaiting(of: registration, queue, &context) }
        if state == .failed || state == .expired { try publishFailed(id, at: context.turn.now) }
    }

    /// Withdraws rows of a registration.
    func withdrawAll(
        of registration: Int64,
        state: DeliveryState,
        by suppressedBy: SuppressedBy?,
        _ part: RegistrationRows,
        _ context: inout TurnContext
    ) throws {
        let rows = try db.prepare(
            """
            SELECT o.id FROM outbox o LEFT JOIN messages m ON m.key = o.message \
            WHERE o.registration = ?1 AND (?2 = 0 OR ?2 = 1 AND (o.kind = 1 OR m.kind = 'agent') \
            OR ?2 = 2 AND m.kind IN ('proactive', 'c2m')) ORDER BY o.id
            """
        ).int(registration).int(part.rawValue)
        try withdraw(rows, state: state, by: suppressedBy, &context)
    }

    /// Ends the rows of a conversation's messages up to a sequence: those that wait for a window as shown there, the
    /// others as cancelled.
    func cancelRead(
        registration: Int64,
        conversation: Int64,
        upTo sequence: Int64,
        _ context: inout TurnContext
    ) throws {
        let rows = try db.prepare(
            "SELECT id, held FROM outbox WHERE registration = ? AND conversation = ? AND sequence <= ?"
        ).int(registration).int(conversation).int(sequence)
        var found: [(id: Int64, isHeld: Bool)] = []
        while try rows.next() { found.append((rows.int64(0), rows.int64(1) != 0)) }
        for row in found {
            try withdraw(
                row.id,
                state: row.isHeld ? .suppressed : .cancelled,
                by: row.isHeld ? .windowOpen : .read,
                &context
            )
            if row.isHeld { context.held.suppressed += 1 }
        }
    }

    /// Ends the older rows of a registration that a new one, which is in the outbox already, replaces; whether a lane
    /// has them or not.
    func collapse(before new: TurnContext.NewRow, _ context: inout TurnContext) throws {
        let rows: Statement
        switch new.kind {
        case .badge:
            // Only the newest badge matters.
            rows = try db.prepare("SELECT id FROM outbox WHERE registration = ? AND queue = 1 AND id < ?")
                .int(new.registration.id).int(new.id)
        case .message:
            guard let key = new.message?.collapseKey else { return }
            rows = try db.prepare(
                "SELECT id FROM outbox WHERE registration = ? AND collapse = ? AND id < ? ORDER BY id"
            )
            .int(new.registration.id).text(key).int(new.id)
        }
        for id in try ids(rows) {
            try withdraw(id, state: .cancelled, by: .collapsed, &context)
        }
    }

    private func withdraw(
        _ rows: Statement,
        state: DeliveryState,
        by suppressedBy: SuppressedBy?,
        _ context: inout TurnContext
    ) throws {
        for id in try ids(rows) { try withdraw(id, state: state, by: suppressedBy, &context) }
    }

    private func ids(_ rows: Statement) throws -> [Int64] {
        var ids: [Int64] = []
        while try rows.next() { ids.append(rows.int64(0)) }
        return ids
    }
}

/// The selected rows of a registration.
enum RegistrationRows: Int64 {
    case all
    /// Agents' messages, and the badges that follow them.
    case agent
    /// Proactive messages.
    case proactive
}

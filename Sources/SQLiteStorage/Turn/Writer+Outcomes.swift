import GatewayModel
import GatewayStorage
import TurnRules

extension Writer {
    /// Records outcomes in their order; those that do no more than move a row to the log are moved together.
    func record(_ outcomes: [OutcomeRecord], _ context: inout TurnContext) throws -> [OutcomeEffect] {
        var effects: [OutcomeEffect] = []
        effects.reserveCapacity(outcomes.count)
        var finished: [Finished] = []
        var rows = self
        for outcome in outcomes {
            let next: Finished? = if case .none = outcome.token { Finished(outcome) } else { nil }
            if next == nil || finished.count == Finished.most || finished.contains(where: { $0.id == next?.id }) {
                try finish(finished, &context)
                finished.removeAll(keepingCapacity: true)
            }
            if let next {
                finished.append(next)
                effects.append(OutcomeEffect())
            } else {
                effects.append(try rows.record(outcome, &context))
            }
        }
        try finish(finished, &context)
        return effects
    }

    func expiry(of id: Int64) throws -> Timestamp? {
        let row = try db.prepare("SELECT expires_at FROM outbox WHERE id = ?").int(id)
        defer { row.end() }
        return try row.next() ? Timestamp(milliseconds: row.int64(0)) : nil
    }

    // MARK: With a response

    /// A row that ended with a response.
    private struct Finished {
        /// The upper bound of the rows that one statement moves.
        static let most = 8

        let id: Int64
        let state: DeliveryState
        let suppressedBy: SuppressedBy?
        let response: PushResponse
        let earlierTries: Int?

        /// Creates it; nil when the row did not end, or ended without a response.
        init?(_ outcome: OutcomeRecord) {
            guard case .finished(let state, let suppressedBy) = outcome.disposition, let response = outcome.response
            else { return nil }
            id = outcome.delivery.rawValue
            self.state = state
            self.suppressedBy = suppressedBy
            self.response = response
            earlierTries = outcome.earlierTries
        }

        var providerID: String? { if case .accepted(let id) = response.outcome { id } else { nil } }
    }

    func finish(_ outcome: OutcomeRecord, _ context: inout TurnContext) throws {
        if let finished = Finished(outcome) { try finish([finished], &context) }
    }

    /// Moves different rows to the log, at most ``Finished/most``: to open the log and its indexes costs as much as a
    /// row.
    ///
    /// A row that was cancelled meanwhile is in the log already.
    private func finish(_ rows: [Finished], _ context: inout TurnContext) throws {
        guard let first = rows.first else { return }
        let changes = try rows.map { _ in try nextChange() }
        try insertFinished(rows, changes)
        guard db.changedRows == rows.count else {
            if rows.count == 1 {
                return try recordLate(
                    first.id,
                    isAccepted: first.state == .accepted,
                    response: first.response,
                    providerID: first.providerID
                )
            }
            // Not all were in the outbox: each alone, in their order.
            for row in rows {
                try db.prepare("DELETE FROM delivery_log WHERE id = ?1 AND EXISTS (SELECT 1 FROM outbox WHERE id = ?1)")
                    .int(row.id).run()
            }
            for row in rows { try finish([row], &context) }
            return
        }
        for (row, change) in zip(rows, changes) {
            noteFinished(row.id, change: change)
            try db.prepare("DELETE FROM outbox WHERE id = ? AND owner IS NOT NULL").int(row.id).run()
            if db.changedRows == 0 { try deleteWaiting(row.id, &context) }
            // The last attempt of a delivery that needed several is stored like the others.
            if row.earlierTries != 0 { try keepLastAttempt(row.id, row.response) }
            if row.state == .failed || row.state == .expired { try publishFailed(row.id, at: context.turn.now) }
        }
    }

    /// Deletes a row that was queued again while its push was in flight: one of those that wait.
    private func deleteWaiting(_ id: Int64, _ context: inout TurnContext) throws {
        let row = try db.prepare("SELECT registration, queue FROM outbox WHERE id = ?").int(id)
        guard try row.next() else { return }
        let (registration, queue) = (row.int64(0), OutboxQueue(rawValue: row.int64(1)))
        row.end()
        try db.prepare("DELETE FROM outbox WHERE id = ?").int(id).run()
        var rows = self
        try rows.removeWaiting(of: registration, queue, &context)
    }

    /// Inserts the rows among these that are in the outbox into the log.
    private func insertFinished(_ rows: [Finished], _ changes: [Int64]) throws {
        let statement = try db.prepare(
            """
            INSERT OR FAIL INTO delivery_log (id, brand, app, device, consumer, push_type, message, state, suppressed_by, \
            attempts, provider_id, status, reason, queued_at, sent_at, latency, delivered_at, tapped_at, badge, change, \
            campaign, displayed_at, dismissed_at) \
            SELECT o.id, r.brand, r.app, r.device, r.consumer, r.push_type, o.message, \
            CASE WHEN o.tapped_at IS NOT NULL THEN 'tapped' WHEN o.delivered_at IS NOT NULL THEN 'delivered' \
            ELSE f.column2 END, f.column3, o.attempts + 1, f.column4, f.column5, f.column6, o.queued_at, f.column7, \
            f.column8, o.delivered_at, o.tapped_at, f.column9, f.column10, o.campaign, o.displayed_at, o.dismissed_at \
            FROM (VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?, ?, ?, ?), \
            (?, ?, ?, ?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?, ?, ?, ?), \
            (?, ?, ?, ?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)) f \
            CROSS JOIN outbox o ON o.id = f.column1 CROSS JOIN registrations r ON r.id = o.registration
            """
        )
        for (row, change) in zip(rows, changes) {
            statement.int(row.id).text(row.state.rawValue).text(row.suppressedBy?.rawValue).text(row.providerID)
                .int(row.response.status).text(row.response.reason).int(row.response.sentAt.milliseconds)
                .int(row.response.latencyMilliseconds).int(row.response.badge).int(change)
        }
        // No row has null as its id.
        statement.nulls(10 * (Finished.most - rows.count))
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

    /// Records in the log that the push of a row that was cancelled in flight was sent.
    ///
    /// A tap or receipt that came before is never lowered.
    private func recordLate(
        _ id: Int64,
        isAccepted: Bool,
        response: PushResponse,
        providerID: String?
    ) throws {
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

    func storeAttempt(of outcome: OutcomeRecord) throws -> Bool {
        guard let response = outcome.response else { return true }
        let id = outcome.delivery.rawValue
        try db.prepare(
            """
            INSERT OR FAIL INTO attempts (delivery, number, sent_at, status, reason, latency) \
            SELECT id, attempts + 1, ?2, ?3, ?4, ?5 FROM outbox WHERE id = ?1
            """
        )
        .int(id).int(response.sentAt.milliseconds).int(response.status).text(response.reason)
        .int(response.latencyMilliseconds).run()
        guard db.changedRows == 0 else { return true }
        try recordLate(id, isAccepted: false, response: response, providerID: nil)
        return false
    }

    func disown(_ id: Int64, attempts: Int) throws -> MovedRow? {
        let row = try db.prepare("SELECT registration, queue, owner IS NULL FROM outbox WHERE id = ?").int(id)
        guard try row.next() else { return nil }
        let queue = OutboxQueue(rawValue: row.int64(1))
        let disowned = MovedRow(registration: row.int64(0), queue: queue, isWaiting: row.int64(2) != 0)
        row.end()
        try db.prepare("UPDATE outbox SET owner = NULL, attempts = attempts + ? WHERE id = ?").int(attempts).int(id)
            .run()
        return disowned
    }
}

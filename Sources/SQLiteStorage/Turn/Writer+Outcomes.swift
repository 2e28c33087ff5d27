import GatewayModel
import GatewayStorage

extension Writer {
    func record(_ outcome: OutcomeRecord, _ context: inout TurnContext) throws -> OutcomeEffect {
        let id = outcome.delivery.rawValue
        var expiresAt: Int64?
        if case .drop = outcome.token { expiresAt = try expiry(of: id) }
        switch outcome.disposition {
        case .finished(let state, let suppressedBy):
            if let response = outcome.response {
                try finish(id, state: state, by: suppressedBy, response, earlierTries: outcome.earlierTries, &context)
            } else {
                try withdraw(id, state: state, by: suppressedBy, &context)
            }
        case .retry(let due):
            if let response = outcome.response, try !addAttempt(id, response) {
                try recordLate(id, isAccepted: false, response: response, providerID: nil, &context)
            } else {
                try requeue(id, of: outcome.registration, due: due, isAsked: true, tries: 1, &context)
            }
        case .release(let due, let isAsked):
            try requeue(id, of: outcome.registration, due: due, isAsked: isAsked, tries: 0, &context)
        }
        if case .none = outcome.token { return OutcomeEffect(ended: []) }
        try storeRequeuedRows(&context)
        return OutcomeEffect(ended: try applyTokenEffect(outcome, expiresAt.map { (id, $0) }, &context))
    }

    /// Returns the expiry of a row in the outbox.
    private func expiry(of id: Int64) throws -> Int64? {
        let row = try db.prepare("SELECT expires_at FROM outbox WHERE id = ?").int(id)
        defer { row.end() }
        return try row.next() ? row.int64(0) : nil
    }

    // MARK: With a response

    /// Moves a row to the log; a row that was cancelled meanwhile is in the log already.
    private func finish(
        _ id: Int64,
        state: DeliveryState,
        by suppressedBy: SuppressedBy?,
        _ response: PushResponse,
        earlierTries: Int?,
        _ context: inout TurnContext
    ) throws {
        let change = try nextChange()
        let providerID: String? = if case .accepted(let providerID) = response.outcome { providerID } else { nil }
        try db.prepare(
            """
            INSERT OR FAIL INTO delivery_log (id, brand, app, device, consumer, push_type, message, state, suppressed_by, attempts, \
            provider_id, status, reason, queued_at, sent_at, latency, delivered_at, tapped_at, badge, change, campaign, \
            displayed_at, dismissed_at) \
            SELECT o.id, r.brand, r.app, r.device, r.consumer, r.push_type, o.message, \
            CASE WHEN o.tapped_at IS NOT NULL THEN 'tapped' WHEN o.delivered_at IS NOT NULL THEN 'delivered' ELSE ?2 END, \
            ?3, o.attempts + 1, ?4, ?5, ?6, o.queued_at, ?7, ?8, o.delivered_at, o.tapped_at, ?9, ?10, \
            o.campaign, o.displayed_at, o.dismissed_at \
            FROM outbox o JOIN registrations r ON r.id = o.registration WHERE o.id = ?1
            """
        )
        .int(id).text(state.rawValue).text(suppressedBy?.rawValue).text(providerID).int(response.status)
        .text(response.reason).int(response.sentAt.milliseconds).int(response.latencyMilliseconds).int(response.badge)
        .int(change).run()
        guard db.changedRows == 1 else {
            return try recordLate(
                id,
                isAccepted: state == .accepted,
                response: response,
                providerID: providerID,
                &context
            )
        }
        noteFinished(id, change: change)
        try db.prepare("DELETE FROM outbox WHERE id = ?").int(id).run()
        // The last attempt of a delivery that needed several is stored like the others.
        if earlierTries != 0 { try keepLastAttempt(id, response) }
        if state == .failed || state == .expired { try publishFailed(id, at: context.turn.now) }
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
        providerID: String?,
        _ context: inout TurnContext
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
        try noteChanged(id, before, &context)
        try keepLastAttempt(id, response)
    }

    /// Stores an attempt that will be followed by another; false when the row is no longer in the outbox.
    private func addAttempt(_ id: Int64, _ response: PushResponse) throws -> Bool {
        try db.prepare(
            """
            INSERT OR FAIL INTO attempts (delivery, number, sent_at, status, reason, latency) \
            SELECT id, attempts + 1, ?2, ?3, ?4, ?5 FROM outbox WHERE id = ?1
            """
        )
        .int(id).int(response.sentAt.milliseconds).int(response.status).text(response.reason).int(
            response.latencyMilliseconds
        )
        .run()
        return db.changedRows == 1
    }

    /// Requeues a row; its device's rows are not due before this time.
    private func requeue(
        _ id: Int64,
        of registration: RegistrationID,
        due: Timestamp,
        isAsked: Bool,
        tries: Int,
        _ context: inout TurnContext
    ) throws {
        let row = try db.prepare(
            "UPDATE outbox SET owner = NULL, attempts = attempts + ?2 WHERE id = ?1 AND owner IS NOT NULL RETURNING queue"
        ).int(id).int(tries)
        guard try row.next() else { return }
        let queue = OutboxQueue(rawValue: row.int64(0))
        row.end()
        context.requeue(registration.rawValue, queue: queue, due: due.milliseconds, isAsked: isAsked)
    }

    /// Compare and clear: a registration that has another token by now, or was registered again since, is unchanged.
    private func applyTokenEffect(
        _ outcome: OutcomeRecord,
        _ refused: (id: Int64, expiresAt: Int64)?,
        _ context: inout TurnContext
    ) throws -> [RegistrationID] {
        let registration = outcome.registration.rawValue
        let consumer: Int64
        switch outcome.token {
        case .none: return []
        case .drop(let token, let since):
            guard let limit = since ?? outcome.response?.sentAt else { return [] }
            let row = try db.prepare(
                """
                SELECT consumer, lane FROM registrations WHERE id = ? AND token = ? AND registered_at <= ? \
                AND state <> 'invalid'
                """
            ).int(registration).text(token).int(limit.milliseconds)
            guard try row.next() else { return [] }
            consumer = row.int64(0)
            let lane = row.int64(1)
            row.end()
            try stop(registration, lane: lane, refused, &context)
        case .quarantine(let token):
            let row = try db.prepare(
                "SELECT consumer FROM registrations WHERE id = ? AND token = ? AND state <> 'invalid'"
            )
            .int(registration).text(token)
            guard try row.next() else { return [] }
            consumer = row.int64(0)
            row.end()
            try db.prepare("UPDATE registrations SET state = 'quarantined' WHERE id = ?").int(registration).run()
            try withdrawAll(of: registration, state: .failed, by: nil, .all, &context)
        }
        memory.registrations.remove(consumer)
        return [outcome.registration]
    }
}

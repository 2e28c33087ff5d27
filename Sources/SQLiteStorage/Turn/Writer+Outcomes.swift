import GatewayModel
import GatewayStorage

extension Writer {
    func record(_ outcome: OutcomeRecord, now: Timestamp) throws -> OutcomeEffect {
        let id = outcome.delivery.rawValue
        switch outcome.disposition {
        case .finished(let state, let suppressedBy):
            try finish(id, state: state, suppressedBy: suppressedBy, answer: outcome.answer)
        case .retry(let due):
            if let answer = outcome.answer { try addAttempt(id, answer) }
            try giveBack(id, due: due, tries: 1)
        case .release(let due):
            try giveBack(id, due: due, tries: 0)
        }
        return OutcomeEffect(ended: try applyTokenEffect(outcome))
    }

    /// Moves a row to the log; a row that was cancelled meanwhile is in the log already.
    private func finish(_ id: Int64, state: DeliveryState, suppressedBy: SuppressedBy?, answer: PushAnswer?) throws {
        let providerID: String? = if case .accepted(let providerID) = answer?.outcome { providerID } else { nil }
        try db.prepare(
            """
            INSERT INTO delivery_log (id, brand, app, device, consumer, push_type, message, state, suppressed_by, attempts, \
            provider_id, status, reason, queued_at, sent_at, latency, delivered_at, tapped_at, badge) \
            SELECT o.id, r.brand, r.app, r.device, o.consumer, r.push_type, o.message, \
            CASE WHEN o.tapped_at IS NOT NULL THEN 'tapped' WHEN o.delivered_at IS NOT NULL THEN 'delivered' ELSE ?2 END, \
            ?3, o.attempts + ?4, ?5, ?6, ?7, o.queued_at, ?8, ?9, o.delivered_at, o.tapped_at, ?10 \
            FROM outbox o JOIN registrations r ON r.id = o.registration WHERE o.id = ?1
            """
        )
        .int(id).text(state.rawValue).text(suppressedBy?.rawValue).int(answer == nil ? 0 : 1).text(providerID)
        .int(answer?.status).text(answer?.reason).int(answer?.sentAt.milliseconds).int(answer?.latencyMilliseconds)
        .int(answer?.badge).run()
        if db.changedRows == 1 {
            try db.prepare("DELETE FROM outbox WHERE id = ?").int(id).run()
            // The last try of a delivery that needed several.
            if let answer { try addAttempt(id, answer, onlyIfRetried: true) }
        } else if let answer {
            try recordLate(id, state: state, answer: answer, providerID: providerID)
        }
    }

    /// The push of a row that was cancelled while it was on its way did leave: the log says so. A tap or receipt that
    /// came before is never lowered.
    private func recordLate(_ id: Int64, state: DeliveryState, answer: PushAnswer, providerID: String?) throws {
        try db.prepare(
            """
            UPDATE delivery_log SET attempts = attempts + 1, provider_id = coalesce(?2, provider_id), status = ?3, \
            reason = ?4, sent_at = ?5, latency = ?6, badge = ?7, \
            suppressed_by = CASE WHEN state = 'cancelled' AND ?8 = 'accepted' THEN NULL ELSE suppressed_by END, \
            state = CASE WHEN state = 'cancelled' AND ?8 = 'accepted' THEN 'accepted' ELSE state END WHERE id = ?1
            """
        )
        .int(id).text(providerID).int(answer.status).text(answer.reason).int(answer.sentAt.milliseconds)
        .int(answer.latencyMilliseconds).int(answer.badge).text(state.rawValue).run()
    }

    /// Back to the store, due then; younger rows of the registration that wait there follow.
    private func giveBack(_ id: Int64, due: Timestamp, tries: Int) throws {
        try db.prepare("UPDATE outbox SET owner = NULL, due = ?2, attempts = attempts + ?3 WHERE id = ?1")
            .int(id).int(due.milliseconds).int(tries).run()
        try db.prepare(
            """
            UPDATE outbox SET due = ?2 WHERE registration = (SELECT registration FROM outbox WHERE id = ?1) \
            AND id > ?1 AND owner IS NULL AND due < ?2
            """
        ).int(id).int(due.milliseconds).run()
    }

    private func addAttempt(_ id: Int64, _ answer: PushAnswer, onlyIfRetried: Bool = false) throws {
        let number = try db.prepare("SELECT count(*) FROM attempts WHERE delivery = ?").int(id)
        _ = try number.next()
        let earlier = number.int64(0)
        number.end()
        guard earlier > 0 || !onlyIfRetried else { return }
        try db.prepare(
            "INSERT INTO attempts (delivery, number, sent_at, status, reason, latency) VALUES (?, ?, ?, ?, ?, ?)"
        )
        .int(id).int(earlier + 1).int(answer.sentAt.milliseconds).int(answer.status).text(answer.reason)
        .int(answer.latencyMilliseconds).run()
    }

    /// Compare and clear: a registration that has another token by now, or registered again since, is left alone.
    private func applyTokenEffect(_ outcome: OutcomeRecord) throws -> [RegistrationID] {
        let registration = outcome.registration.rawValue
        switch outcome.token {
        case .none: return []
        case .drop(let token, let since):
            guard let limit = since ?? outcome.answer?.sentAt else { return [] }
            let row = try db.prepare("SELECT 1 FROM registrations WHERE id = ? AND token = ? AND registered_at <= ?")
                .int(registration).text(token).int(limit.milliseconds)
            guard try row.next() else { return [] }
            row.end()
            try cancelRows(of: registration, state: .cancelled, by: .unregistered)
            try db.prepare("DELETE FROM registrations WHERE id = ?").int(registration).run()
        case .quarantine(let token):
            try db.prepare("UPDATE registrations SET state = 'quarantined' WHERE id = ? AND token = ?")
                .int(registration).text(token).run()
            guard db.changedRows == 1 else { return [] }
            try cancelRows(of: registration, state: .failed, by: nil)
        }
        return [outcome.registration]
    }

    // MARK: Ending rows without an answer

    /// Finishes the rows of a registration; all of them, or those of one kind of message.
    func cancelRows(
        of registration: Int64,
        state: DeliveryState,
        by suppressedBy: SuppressedBy?,
        onlyAgent: Bool = false
    ) throws {
        var ids: [Int64] = []
        let rows = try db.prepare(
            """
            SELECT o.id FROM outbox o LEFT JOIN messages m ON m.key = o.message \
            WHERE o.registration = ?1 AND (?2 = 0 OR m.kind = 'agent')
            """
        ).int(registration).int(onlyAgent ? 1 : 0)
        while try rows.next() { ids.append(rows.int64(0)) }
        for id in ids { try finish(id, state: state, suppressedBy: suppressedBy, answer: nil) }
    }

    /// Finishes the rows of a conversation's messages up to a sequence.
    func cancelRead(registration: Int64, conversation: Int64, upTo sequence: Int64) throws {
        var ids: [Int64] = []
        let rows = try db.prepare("SELECT id FROM outbox WHERE registration = ? AND conversation = ? AND sequence <= ?")
            .int(registration).int(conversation).int(sequence)
        while try rows.next() { ids.append(rows.int64(0)) }
        for id in ids { try finish(id, state: .cancelled, suppressedBy: .read, answer: nil) }
    }

    /// Finishes a device's older badge rows that wait: the newest badge is the only one that matters.
    func collapseBadges(registration: Int64) throws {
        var ids: [Int64] = []
        let rows = try db.prepare("SELECT id FROM outbox WHERE registration = ? AND kind = 1 AND owner IS NULL")
            .int(registration)
        while try rows.next() { ids.append(rows.int64(0)) }
        for id in ids { try finish(id, state: .cancelled, suppressedBy: .collapsed, answer: nil) }
    }
}

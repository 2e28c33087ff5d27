import GatewayModel
import GatewayStorage
import TurnRules

/// Retries of failed or expired deliveries.
extension Writer {
    /// A row of the log that is to be retried.
    private struct Failed {
        var id: Int64
        var brand: Int64
        var app: String
        var device: String
        /// Its present consumer.
        var consumer: Int64
        var message: Int64?
        var attempts: Int64
        /// The number of the message's campaign.
        var campaign: Int64?
    }

    func retry(_ request: RetryRequest, _ context: inout TurnContext) throws -> StoreChangeResult {
        guard let brand = try brandKey(request.brand) else { return .notFound }
        let id = request.delivery.rawValue
        guard let (failed, state, _) = try logged(id), failed.brand == brand else {
            return try unfinishedState(id, brand: brand)
        }
        guard state == .failed || state == .expired else { return .notRetried(.state(state)) }
        guard let registration = try self.registration(of: failed) else { return .notRetried(.registrationGone) }
        guard let known = try registrations(of: failed.consumer).first(where: { $0.id == registration }) else {
            return .notRetried(.registrationQuarantined)
        }
        let expiresAt = context.turn.now.adding(seconds: request.ttlSeconds)
        if let rejection = try requeueFailed(failed, known, until: expiresAt, &context) {
            return .notRetried(rejection)
        }
        try write(request.audit)
        return .retried
    }

    /// Moves a delivery back to the outbox that ended because its device was stopped; does nothing when it cannot be
    /// sent any more.
    ///
    /// - Parameters:
    ///   - id: The delivery.
    ///   - registration: The device's registration.
    ///   - expiresAt: When it expires.
    ///   - context: The turn.
    /// - Throws: An error of SQLite.
    func reopen(
        _ id: Int64,
        for registration: KnownRegistration,
        until expiresAt: Timestamp,
        _ context: inout TurnContext
    ) throws {
        guard let (failed, state, suppressedBy) = try logged(id),
            state == .failed || state == .cancelled && suppressedBy == .unregistered
        else { return }
        _ = try requeueFailed(failed, registration, until: expiresAt, &context)
    }

    /// Returns a row of the log and how it ended; nil when its consumer was erased.
    private func logged(_ id: Int64) throws -> (failed: Failed, state: DeliveryState, by: SuppressedBy?)? {
        let row = try db.prepare(
            """
            SELECT app, device, (SELECT coalesce(merged_into, key) FROM consumers WHERE key = consumer), message, state, \
            attempts, campaign, brand, suppressed_by FROM delivery_log WHERE id = ?
            """
        ).int(id)
        guard try row.next() else { return nil }
        defer { row.end() }
        guard let consumer = row.optionalInt64(2) else { return nil }
        let failed = Failed(
            id: id,
            brand: row.int64(7),
            app: row.string(0),
            device: row.string(1),
            consumer: consumer,
            message: row.optionalInt64(3),
            attempts: row.int64(5),
            campaign: row.optionalInt64(6)
        )
        let state = DeliveryState(rawValue: row.string(4)) ?? .cancelled
        return (failed, state, row.optionalString(8).flatMap(SuppressedBy.init(rawValue:)))
    }

    private func unfinishedState(_ id: Int64, brand: Int64) throws -> StoreChangeResult {
        let row = try db.prepare(
            """
            SELECT CASE WHEN o.held THEN 2 ELSE o.owner IS NOT NULL END, o.attempts FROM outbox o JOIN registrations r ON r.id = o.registration \
            WHERE o.id = ? AND r.brand = ?
            """
        ).int(id).int(brand)
        guard try row.next() else { return .notFound }
        defer { row.end() }
        return .notRetried(.state(.unfinished(place: row.int64(0), attempts: row.int64(1))))
    }

    private func registration(of failed: Failed) throws -> Int64? {
        let row = try db.prepare(
            """
            SELECT id FROM registrations WHERE brand = ? AND app = ? AND device = ? AND consumer = ? \
            AND state <> 'invalid' AND lane IN (SELECT id FROM lanes)
            """
        ).int(failed.brand).text(failed.app).text(failed.device).int(failed.consumer)
        guard try row.next() else { return nil }
        defer { row.end() }
        return row.int64(0)
    }

    private func requeueFailed(
        _ failed: Failed,
        _ registration: KnownRegistration,
        until expiresAt: Timestamp,
        _ context: inout TurnContext
    ) throws -> RetryRejection? {
        // The file must show how far its conversation has been read.
        try flush(&context)
        var conversation: Int64?
        var sequence: Int64?
        var collapse: String?
        // A badge counts agents' messages.
        var wanted = Receives.agent
        var queue = OutboxQueue.badge
        if let message = failed.message {
            let row = try db.prepare(
                """
                SELECT m.conversation, m.sequence, m.collapse_key, m.sequence <= c.read_sequence, m.kind FROM messages m \
                JOIN conversations c ON c.key = m.conversation WHERE m.key = ?
                """
            ).int(message)
            guard try row.next() else { return .messageGone }
            (conversation, sequence, collapse) = (row.int64(0), row.int64(1), row.optionalString(2))
            let isRead = row.int64(3) != 0
            let kind = MessageKind(rawValue: row.string(4)) ?? .agent
            if kind != .agent { wanted = .proactive }
            queue = OutboxQueue(message: kind, campaign: failed.campaign)
            row.end()
            if isRead { return .read }
        }
        guard registration.receives.contains(wanted) else { return .notReceived }
        let kind: DeliveryKind = failed.message == nil ? .badge : .message
        if try hasNewer(failed.id, of: registration.id, kind: kind, collapse: collapse) { return .collapsed }
        if let collapse, try isReplaced(failed, collapse) { return .collapsed }
        try keepTry(of: failed)
        try db.prepare(
            """
            INSERT INTO outbox (id, lane, registration, conversation, sequence, message, kind, owner, attempts, \
            expires_at, queued_at, delivered_at, tapped_at, collapse, campaign, displayed_at, dismissed_at, queue) \
            SELECT id, ?2, ?3, ?4, ?5, message, ?6, NULL, attempts, ?7, queued_at, delivered_at, tapped_at, ?8, \
            campaign, displayed_at, dismissed_at, ?9 \
            FROM delivery_log WHERE id = ?1
            """
        )
        .int(failed.id).int(registration.lane).int(registration.id).int(conversation).int(sequence).int(kind.rawValue)
        .int(expiresAt.milliseconds).text(collapse).int(queue.rawValue).run()
        try keepLastChange()
        _ = try removeFromLog(failed.id, isForgotten: false, &counts)
        var rows = self
        try rows.addWaiting(1, queue, of: registration.id, lane: registration.lane, &context)
        return nil
    }

    /// Whether a newer row of the registration waits, or is in flight, that would have replaced this one.
    private func hasNewer(_ id: Int64, of registration: Int64, kind: DeliveryKind, collapse: String?) throws -> Bool {
        let row =
            switch kind {
            case .badge:
                try db.prepare("SELECT 1 FROM outbox WHERE registration = ? AND id > ? AND queue = 1 LIMIT 1")
                    .int(registration).int(id)
            case .message:
                try db.prepare("SELECT 1 FROM outbox WHERE registration = ? AND id > ? AND collapse = ? LIMIT 1")
                    .int(registration).int(id).text(collapse)
            }
        defer { row.end() }
        return try row.next()
    }

    /// Whether the device got a newer one with the same collapse key, which this one would replace on its screen.
    private func isReplaced(_ failed: Failed, _ collapse: String) throws -> Bool {
        guard let message = failed.message else { return false }
        var heads: [MessageChains.Head] = []
        let rows = try db.prepare(
            "SELECT key, last_message FROM current_conversations WHERE consumer = ? AND last_message > ?"
        ).int(failed.consumer).int(message)
        while try rows.next() {
            heads.append(MessageChains.Head(conversation: rows.int64(0), last: rows.int64(1)))
        }
        let chains = try chains
        var isReplaced = false
        for head in heads where !isReplaced {
            try chains.visit(from: head.last, in: head.conversation) { link in
                guard link.key > message else { return false }
                if let other = link.collapseKey, other.utf8.elementsEqual(collapse.utf8) {
                    isReplaced = try isShown(link.key, insteadOf: failed)
                }
                return !isReplaced
            }
        }
        return isReplaced
    }

    /// Whether the device of a failed delivery got a later one of a message.
    private func isShown(_ message: Int64, insteadOf failed: Failed) throws -> Bool {
        // A device that another consumer has meanwhile has another registration.
        let row = try db.prepare(
            """
            SELECT 1 FROM delivery_log INDEXED BY delivery_log_message WHERE message = ? AND id > ? AND app = ? \
            AND device = ? AND state IN ('accepted', 'delivered', 'tapped') LIMIT 1
            """
        ).int(message).int(failed.id).text(failed.app).text(failed.device)
        defer { row.end() }
        return try row.next()
    }

    /// Stores the only attempt of a delivery, which is in its own row of the log, before that row is removed.
    private func keepTry(of failed: Failed) throws {
        try db.prepare(
            """
            INSERT OR IGNORE INTO attempts (delivery, number, sent_at, status, reason, latency) \
            SELECT id, attempts, sent_at, status, reason, latency FROM delivery_log \
            WHERE id = ? AND attempts > 0 AND sent_at IS NOT NULL AND status IS NOT NULL AND latency IS NOT NULL
            """
        ).int(failed.id).run()
    }
}

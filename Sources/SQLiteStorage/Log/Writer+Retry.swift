import GatewayModel
import GatewayStorage
import SQLStorage
import TurnRules

/// Deliveries that are sent again.
extension Writer {
    func storedDelivery(_ id: Int64) throws -> StoredDelivery? {
        // One in the log, whose consumer may have been merged since, or in the outbox.
        let row = try db.prepare(
            """
            SELECT brand, app, device, (SELECT coalesce(merged_into, key) FROM consumers WHERE key = consumer), message, \
            campaign, state, suppressed_by, NULL, attempts FROM delivery_log WHERE id = ?1 UNION ALL \
            SELECT r.brand, r.app, r.device, r.consumer, o.message, o.campaign, NULL, NULL, \
            CASE WHEN o.held THEN 2 ELSE o.owner IS NOT NULL END, o.attempts \
            FROM outbox o JOIN registrations r ON r.id = o.registration WHERE o.id = ?1
            """
        ).int(id)
        guard try row.next() else { return nil }
        defer { row.end() }
        guard let consumer = row.optionalInt64(3) else { return nil }
        let unfinished = row.optionalInt64(8).map { DeliveryState.unfinished(place: $0, attempts: row.int64(9)) }
        return (
            row.int64(0),
            AppID(trusted: row.string(1)),
            DeviceID(trusted: row.string(2)),
            consumer,
            row.optionalInt64(4),
            row.optionalInt64(5),
            unfinished ?? DeliveryState(rawValue: row.string(6)) ?? .cancelled,
            row.optionalString(7).flatMap(SuppressedBy.init(rawValue:))
        )
    }

    func message(
        _ key: Int64
    ) throws -> (kind: MessageKind, collapseKey: String?, consentCategory: String?, isRead: Bool)? {
        let row = try db.prepare(
            """
            SELECT m.kind, m.collapse_key, m.sequence <= c.read_sequence, m.consent FROM messages m \
            JOIN conversations c ON c.key = m.conversation WHERE m.key = ?
            """
        ).int(key)
        guard try row.next() else { return nil }
        defer { row.end() }
        let kind = MessageKind(rawValue: row.string(0)) ?? .agent
        return (kind, row.optionalString(1), row.optionalString(3), row.int64(2) != 0)
    }

    func reopen(_ id: Int64, for registration: KnownRegistration, _ queue: OutboxQueue, until end: Timestamp) throws {
        try keepTry(of: id)
        try db.prepare(
            """
            INSERT INTO outbox (id, lane, registration, conversation, sequence, message, kind, owner, attempts, \
            expires_at, queued_at, delivered_at, tapped_at, collapse, campaign, displayed_at, dismissed_at, queue, again, \
            untimed) \
            SELECT d.id, ?2, ?3, m.conversation, m.sequence, d.message, d.message IS NULL, NULL, d.attempts, ?4, \
            d.queued_at, d.delivered_at, d.tapped_at, m.collapse_key, d.campaign, d.displayed_at, d.dismissed_at, ?5, \
            d.message_low IS NOT NULL, 1 \
            FROM delivery_log d LEFT JOIN messages m ON m.key = d.message WHERE d.id = ?1
            """
        )
        .int(id).int(registration.lane).int(registration.id).int(end.milliseconds).int(queue.rawValue).run()
        try keepLastChange()
        _ = try removeFromLog(id, isForgotten: false, &counts)
    }

    func isReplaced(_ id: Int64, message: Int64?, _ collapseKey: String?, on registration: Int64) throws -> Bool {
        // A newer row waits, or is in flight.
        let newer =
            if message == nil {
                try db.prepare("SELECT 1 FROM outbox WHERE registration = ? AND id > ? AND queue = 1 LIMIT 1")
                    .int(registration).int(id)
            } else {
                try db.prepare("SELECT 1 FROM outbox WHERE registration = ? AND id > ? AND collapse = ? LIMIT 1")
                    .int(registration).int(id).text(collapseKey)
            }
        defer { newer.end() }
        if try newer.next() { return true }
        guard let message, let collapseKey, let found = try storedRegistrations(.id(registration)).first
        else { return false }
        return try isReplaced(id, message, collapseKey, on: found)
    }

    /// Whether a device got a newer one with the same collapse key, which this one would replace on its screen.
    private func isReplaced(
        _ id: Int64,
        _ message: Int64,
        _ collapseKey: String,
        on registration: StoredRegistration
    ) throws -> Bool {
        var heads: [MessageChains.Head] = []
        let rows = try db.prepare(
            "SELECT key, last_message FROM current_conversations WHERE consumer = ? AND last_message > ?"
        ).int(registration.consumer).int(message)
        while try rows.next() {
            heads.append(MessageChains.Head(conversation: rows.int64(0), last: rows.int64(1)))
        }
        let chains = try chains
        var isReplaced = false
        for head in heads where !isReplaced {
            try chains.visit(from: head.last, in: head.conversation) { link in
                guard link.key > message else { return false }
                searchedMessages += 1
                if let other = link.collapseKey, other.utf8.elementsEqual(collapseKey.utf8) {
                    isReplaced = try isShown(link.key, insteadOf: id, on: registration)
                }
                return !isReplaced
            }
        }
        return isReplaced
    }

    /// Whether the device of a failed delivery got a later one of a message.
    private func isShown(_ message: Int64, insteadOf id: Int64, on registration: StoredRegistration) throws -> Bool {
        // A device that another consumer has meanwhile has another registration.
        let row = try db.prepare(
            """
            SELECT 1 FROM delivery_log INDEXED BY delivery_log_message WHERE message = ? AND id > ? AND app = ? \
            AND device = ? AND state IN ('accepted', 'delivered', 'tapped') LIMIT 1
            """
        ).int(message).int(id).text(registration.app.rawValue).text(registration.device.rawValue)
        defer { row.end() }
        return try row.next()
    }

    /// The number of messages after which a rehearsal ends: about 10 ms.
    private static let maxSearchedMessages = 4000

    /// Returns the results of retries, of as many as hold the writer only for a short time, in a transaction that is
    /// rolled back; the memory is then wrong, and the writer must not be used again.
    func rehearse(_ requests: [RetryRequest], now: Timestamp) throws -> [StoreChangeResult] {
        try db.prepare("BEGIN IMMEDIATE").run()
        defer {
            db.endAll()
            // Full disks and IO errors roll back by themselves; then there is nothing left to roll back.
            try? db.prepare("ROLLBACK").run()
        }
        var rows = self
        var results: [StoreChangeResult] = []
        for request in requests where searchedMessages < Self.maxSearchedMessages {
            // No owner is checked: nothing is stored.
            var turn = WriterTurn(now: now, incarnation: IncarnationID(0))
            turn.changes = [.retry(request)]
            results += try rows.run(turn).changes
        }
        return results
    }

    /// Stores the only attempt of a delivery, which is in its own row of the log, before that row is removed.
    private func keepTry(of id: Int64) throws {
        try db.prepare(
            """
            INSERT OR IGNORE INTO attempts (delivery, number, sent_at, status, reason, latency) \
            SELECT id, attempts, sent_at, status, reason, latency FROM delivery_log \
            WHERE id = ? AND attempts > 0 AND sent_at IS NOT NULL AND status IS NOT NULL AND latency IS NOT NULL
            """
        ).int(id).run()
    }
}

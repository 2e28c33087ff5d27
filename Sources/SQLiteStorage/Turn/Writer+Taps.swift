import GatewayModel
import GatewayStorage
import TurnRules

/// Reports of devices about pushes.
extension Writer {
    func firstTap(of message: Int64) throws -> Timestamp? {
        let row = try db.prepare("SELECT tapped_at FROM taps WHERE message = ?").int(message)
        defer { row.end() }
        return try row.next() ? Timestamp(milliseconds: row.int64(0)) : nil
    }

    func store(_ tap: TapRequest, of consumer: Int64) throws {
        let key = Int64(bitPattern: tap.message.high)
        try db.prepare("INSERT INTO taps (message, device, tapped_at, action) VALUES (?, ?, ?, ?)")
            .int(key).text(tap.device.rawValue).int(tap.tappedAt.milliseconds).text(tap.action).run()
        try db.prepare(
            """
            UPDATE outbox SET tapped_at = ?1 WHERE message = ?2 \
            AND registration IN (SELECT id FROM registrations WHERE consumer = ?3 AND device = ?4)
            """
        )
        .int(tap.tappedAt.milliseconds).int(key).int(consumer).text(tap.device.rawValue).run()
        if db.changedRows > 0 { try noteMarked { try rows(of: key, consumer, tap.device) } }
    }

    /// Returns the rows of the outbox of a message to a device.
    private func rows(of message: Int64, _ consumer: Int64, _ device: DeviceID) throws -> [Int64] {
        try ids(
            db.prepare(
                """
                SELECT id FROM outbox WHERE message = ? \
                AND registration IN (SELECT id FROM registrations WHERE consumer = ? AND device = ?)
                """
            ).int(message).int(consumer).text(device.rawValue)
        )
    }

    func storeInLog(_ tap: TapRequest) throws {
        for id in try logRows(message: Int64(bitPattern: tap.message.high), device: tap.device.rawValue) {
            let before = try logFacts(id)
            try db.prepare(
                """
                UPDATE delivery_log SET change = ?1, tapped_at = ?2, state = 'tapped', suppressed_by = NULL WHERE id = ?3
                """
            ).int(try nextChange()).int(tap.tappedAt.milliseconds).int(id).run()
            try noteChanged(id, before)
        }
    }

    func message(
        _ id: MessageID,
        of consumer: Int64,
        named name: ConsumerName
    ) throws -> (message: Message, conversation: Int64)? {
        let row = try db.prepare(
            """
            SELECT c.id, c.key, m.key, m.low, m.sequence, m.kind, m.source_sequence, m.dialog, m.agent_id, m.agent_nickname, \
            m.text, m.title, m.data, m.link_ios, m.link_android, m.link_web, m.priority, m.collapse_key, m.category, m.sound, \
            m.silent, m.accepted_at, m.sent_at, m.expires_at, m.look_back_until, m.campaign FROM messages m \
            JOIN conversations c ON c.key = m.conversation WHERE m.key = ? AND m.low = ? AND c.consumer = ?
            """
        )
        .int(Int64(bitPattern: id.high)).int(Int64(bitPattern: id.low)).int(consumer)
        guard try row.next() else { return nil }
        defer { row.end() }
        let message = MessageColumns.message(
            row,
            from: 2,
            brand: name.brand,
            consumer: name.consumer,
            conversation: ConversationID(trusted: row.string(0))
        )
        return (message, row.int64(1))
    }

    func record(_ receipt: DeviceReceipt, of consumer: Int64) throws -> Bool {
        let message = Int64(bitPattern: receipt.message.high)
        guard try low(of: message) == Int64(bitPattern: receipt.message.low) else { return false }
        try db.prepare(
            """
            UPDATE outbox SET delivered_at = coalesce(delivered_at, max(?1, queued_at)), \
            displayed_at = CASE WHEN ?5 = 'displayed' THEN coalesce(displayed_at, max(?1, queued_at)) ELSE displayed_at END, \
            dismissed_at = CASE WHEN ?5 = 'dismissed' THEN coalesce(dismissed_at, max(?1, queued_at)) ELSE dismissed_at END \
            WHERE message = ?3 AND registration IN (SELECT id FROM registrations WHERE consumer = ?2 AND device = ?4)
            """
        )
        .int(receipt.at.milliseconds).int(consumer).int(message).text(receipt.device.rawValue)
        .text(receipt.state.rawValue).run()
        var found = db.changedRows
        if found > 0 { try noteMarked { try rows(of: message, consumer, receipt.device) } }
        for id in try logRows(message: message, device: receipt.device.rawValue, consumer: consumer) {
            found += 1
            let before = try logFacts(id)
            // The rank only rises: a tap stays a tap. A repeated receipt is no change.
            try db.prepare(
                """
                UPDATE delivery_log SET change = ?1, suppressed_by = NULL, \
                state = CASE state WHEN 'tapped' THEN 'tapped' ELSE 'delivered' END, \
                delivered_at = coalesce(delivered_at, max(?2, queued_at)), displayed_at = CASE WHEN ?4 = 'displayed' \
                THEN coalesce(displayed_at, max(?2, queued_at)) ELSE displayed_at END, \
                dismissed_at = CASE WHEN ?4 = 'dismissed' \
                THEN coalesce(dismissed_at, max(?2, queued_at)) ELSE dismissed_at END \
                WHERE id = ?3 AND (delivered_at IS NULL OR (?4 = 'displayed' AND displayed_at IS NULL) \
                OR (?4 = 'dismissed' AND dismissed_at IS NULL))
                """
            )
            .int(try nextChange()).int(receipt.at.milliseconds).int(id).text(receipt.state.rawValue).run()
            if db.changedRows > 0 { try noteChanged(id, before) }
        }
        return found > 0
    }

    /// Returns the second half of a message's id, as long as the message or a delivery of it is stored.
    private func low(of message: Int64) throws -> Int64? {
        let row = try db.prepare(
            """
            SELECT coalesce((SELECT low FROM messages WHERE key = ?1), (SELECT message_low FROM delivery_log \
            INDEXED BY delivery_log_message WHERE message = ?1 AND message_low IS NOT NULL LIMIT 1))
            """
        ).int(message)
        defer { row.end() }
        return try row.next() ? row.optionalInt64(0) : nil
    }
}

import GatewayModel
import GatewayStorage

extension Writer {
    func claim(_ request: ClaimRequest, _ context: inout TurnContext) throws -> ClaimResult {
        let now = context.turn.now
        var ids: [Int64] = []
        let due = try db.prepare(
            "SELECT id FROM outbox WHERE lane = ? AND owner IS NULL AND due <= ? ORDER BY due, id LIMIT ?"
        ).int(request.lane.rawValue).int(now.milliseconds).int(request.limit)
        while try due.next() { ids.append(due.int64(0)) }
        var rows: [OutboxRow] = []
        rows.reserveCapacity(ids.count)
        for id in ids {
            try db.prepare("UPDATE OR FAIL outbox SET owner = ? WHERE id = ?").int(context.turn.incarnation.rawValue)
                .int(id)
                .run()
            if let row = try outboxRow(id) { rows.append(row) }
        }
        try addReadMarks(to: &rows, now: now)
        let next = try db.prepare("SELECT min(due) FROM outbox WHERE lane = ? AND owner IS NULL").int(
            request.lane.rawValue
        )
        _ = try next.next()
        defer { next.end() }
        return ClaimResult(
            lane: request.lane,
            rows: rows,
            nextDue: next.optionalInt64(0).map(Timestamp.init(milliseconds:))
        )
    }

    private func outboxRow(_ id: Int64) throws -> OutboxRow? {
        let row = try db.prepare(
            """
            SELECT o.lane, o.registration, r.token, r.platform, r.consumer, \
            (SELECT coalesce(sum(s.unread), 0) FROM conversations s WHERE s.consumer = r.consumer), o.kind, o.conversation, o.attempts, \
            o.expires_at, o.queued_at, b.id, u.id, c.id, \
            m.key, m.low, m.sequence, m.kind, m.source_sequence, m.dialog, m.agent_id, m.agent_nickname, m.text, m.title, \
            m.data, m.link_ios, m.link_android, m.link_web, m.priority, m.collapse_key, m.category, m.sound, m.silent, \
            m.accepted_at, m.sent_at, m.expires_at, m.look_back_until, m.campaign \
            FROM outbox o JOIN registrations r ON r.id = o.registration JOIN consumers u ON u.key = r.consumer \
            JOIN brands b ON b.key = r.brand LEFT JOIN messages m ON m.key = o.message \
            LEFT JOIN conversations c ON c.key = o.conversation WHERE o.id = ?
            """
        ).int(id)
        guard try row.next() else { return nil }
        defer { row.end() }
        let message =
            row.isNull(14)
            ? nil
            : MessageColumns.message(
                row,
                from: 14,
                brand: BrandID(trusted: row.string(11)),
                consumer: ConsumerID(trusted: row.string(12)),
                conversation: ConversationID(trusted: row.string(13))
            )
        return OutboxRow(
            id: DeliveryID(id),
            lane: LaneID(row.int64(0)),
            registration: RegistrationID(row.int64(1)),
            token: row.string(2),
            platform: DevicePlatform(rawValue: row.string(3)) ?? .ios,
            consumer: ConsumerKey(row.int64(4)),
            unread: row.int64(5),
            kind: DeliveryKind(rawValue: Int(row.int64(6))) ?? .message,
            conversation: row.optionalInt64(7).map(ConversationKey.init),
            message: message,
            attempts: Int(row.int64(8)),
            expiresAt: Timestamp(milliseconds: row.int64(9)),
            queuedAt: Timestamp(milliseconds: row.int64(10))
        )
    }
}

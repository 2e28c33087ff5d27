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
        if let most = request.deviceLimit {
            ids = try wholeDevices(ids, limit: request.limit, most: most, now: now)
        }
        var rows: [OutboxRow] = []
        var unread: [Int64: Int64] = [:]
        rows.reserveCapacity(ids.count)
        for id in ids {
            try db.prepare("UPDATE OR FAIL outbox SET owner = ? WHERE id = ?").int(context.turn.incarnation.rawValue)
                .int(id)
                .run()
            if let row = try outboxRow(id, &unread) { rows.append(row) }
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

    /// What is handed out in place of the rows that are due first: all due rows of their devices.
    ///
    /// A device whose rows do not fit any more waits for a later claim, and so do those behind it.
    private func wholeDevices(_ ids: [Int64], limit: Int, most: Int, now: Timestamp) throws -> [Int64] {
        var whole: [Int64] = []
        var seen: Set<Int64> = []
        for id in ids {
            let row = try db.prepare("SELECT registration FROM outbox WHERE id = ?").int(id)
            guard try row.next() else { continue }
            let registration = row.int64(0)
            row.end()
            guard seen.insert(registration).inserted else { continue }
            let room =
                whole.isEmpty
                ? try self.room(for: registration, limit: limit, most: most, now: now) : limit - whole.count
            guard room > 0 else { break }
            let rows = try db.prepare(
                "SELECT id FROM outbox WHERE registration = ? AND owner IS NULL AND due <= ? ORDER BY id LIMIT ?"
            ).int(registration).int(now.milliseconds).int(room + 1)
            var all: [Int64] = []
            while try rows.next() { all.append(rows.int64(0)) }
            if all.count > room, !whole.isEmpty { break }
            whole += all.prefix(room)
        }
        return whole
    }

    /// How many rows of a device are handed out at most: more than others' only when so many may become one push.
    private func room(for registration: Int64, limit: Int, most: Int, now: Timestamp) throws -> Int {
        guard most > limit else { return limit }
        let row = try db.prepare(
            """
            SELECT count(*) FROM (SELECT 1 FROM outbox o JOIN messages m ON m.key = o.message \
            WHERE o.registration = ?1 AND o.owner IS NULL AND o.due <= ?2 AND m.kind = 'agent' AND m.silent = 0 LIMIT ?3)
            """
        ).int(registration).int(now.milliseconds).int(limit + 1)
        defer { row.end() }
        return try row.next() && row.int64(0) > Int64(limit) ? most : limit
    }

    /// A consumer's count, added up once for all of its rows in a claim.
    private func unread(of consumer: Int64, _ known: inout [Int64: Int64]) throws -> Int64 {
        if let count = known[consumer] { return count }
        let row = try db.prepare("SELECT coalesce(sum(unread), 0) FROM conversations WHERE consumer = ?").int(consumer)
        defer { row.end() }
        guard try row.next() else { return 0 }
        known[consumer] = row.int64(0)
        return row.int64(0)
    }

    private func outboxRow(_ id: Int64, _ unread: inout [Int64: Int64]) throws -> OutboxRow? {
        let row = try db.prepare(
            """
            SELECT o.lane, o.registration, r.token, r.platform, r.consumer, 0, o.kind, o.conversation, o.attempts, \
            o.expires_at, o.queued_at, b.id, u.id, c.id, \
            m.key, m.low, m.sequence, m.kind, m.source_sequence, m.dialog, m.agent_id, m.agent_nickname, m.text, m.title, \
            m.data, m.link_ios, m.link_android, m.link_web, m.priority, m.collapse_key, m.category, m.sound, m.silent, \
            m.accepted_at, m.sent_at, m.expires_at, m.look_back_until, m.campaign, r.locale, r.time_zone, \
            u.quiet_hours \
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
            traits: DeviceTraits(
                locale: row.optionalString(38),
                timeZone: row.optionalString(39),
                quietHours: row.optionalString(40).flatMap(QuietHours.init(stored:))
            ),
            consumer: ConsumerKey(row.int64(4)),
            unread: try self.unread(of: row.int64(4), &unread),
            kind: DeliveryKind(rawValue: Int(row.int64(6))) ?? .message,
            conversation: row.optionalInt64(7).map(ConversationKey.init),
            message: message,
            attempts: Int(row.int64(8)),
            expiresAt: Timestamp(milliseconds: row.int64(9)),
            queuedAt: Timestamp(milliseconds: row.int64(10))
        )
    }
}

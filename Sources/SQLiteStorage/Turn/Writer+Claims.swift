import GatewayModel
import GatewayStorage

extension Writer {
    func claim(_ request: ClaimRequest, _ context: inout TurnContext) throws -> ClaimResult {
        let (lane, queue) = (request.lane.rawValue, request.queue.rawValue)
        let now = context.turn.now
        var devices: [(registration: Int64, rows: Int)] = []
        let due = try db.prepare(
            """
            SELECT registration, rows FROM waiting WHERE lane = ? AND queue = ? AND due <= ? \
            ORDER BY due, registration LIMIT ?
            """
        ).int(lane).int(queue).int(now.milliseconds).int(request.limit)
        while try due.next() { devices.append((due.int64(0), Int(due.int64(1)))) }
        var rows: [OutboxRow] = []
        var behind: [RegistrationID] = []
        var known = Known()
        for device in devices where rows.count < request.limit {
            let claimed = rows.count
            guard let room = try room(for: device, request, claimed: claimed, context) else { break }
            let isWhole = try claim(device, request.queue, room, into: &rows, &known, context)
            if rows.count > claimed { context.noteOwned(rows.count - claimed, of: device.registration) }
            if !isWhole, case .limited = request.deviceRows {
                try putBehind(device.registration, request.queue)
                behind.append(RegistrationID(device.registration))
            }
        }
        try addReadMarks(to: &rows, now: now)
        let next = try db.prepare("SELECT min(due) FROM waiting WHERE lane = ? AND queue = ? AND due IS NOT NULL").int(
            lane
        )
        .int(queue)
        _ = try next.next()
        defer { next.end() }
        return ClaimResult(
            lane: request.lane,
            queue: request.queue,
            rows: rows,
            nextDue: next.optionalInt64(0).map(Timestamp.init(milliseconds:)),
            behind: behind
        )
    }

    /// Returns the upper bound of the rows of a device to hand out; nil when it waits for a later claim, and those
    /// behind it.
    private func room(
        for device: (registration: Int64, rows: Int),
        _ request: ClaimRequest,
        claimed: Int,
        _ context: TurnContext
    ) throws -> Int? {
        let left = request.limit - claimed
        switch request.deviceRows {
        case .any: return left
        case .limited(let limit):
            let most = limit.most(request.queue.pushClass)
            return max(min(left, most - context.rowsInMemory(of: device.registration)), 0)
        case .whole(let most):
            guard device.rows > left else { return left }
            guard claimed == 0 else { return nil }
            return try hasMoreToSum(than: left, device.registration) ? most : left
        }
    }

    /// Whether more than this many rows of a device may become one push.
    private func hasMoreToSum(than limit: Int, _ registration: Int64) throws -> Bool {
        let row = try db.prepare(
            """
            SELECT count(*) FROM (SELECT 1 FROM outbox o JOIN messages m ON m.key = o.message \
            WHERE o.registration = ?1 AND o.queue = 0 AND o.owner IS NULL AND m.silent = 0 LIMIT ?2)
            """
        ).int(registration).int(limit + 1)
        defer { row.end() }
        return try row.next() && row.int64(0) > Int64(limit)
    }

    /// Claims the oldest rows of a device in a queue; returns whether these are all.
    private func claim(
        _ device: (registration: Int64, rows: Int),
        _ queue: OutboxQueue,
        _ room: Int,
        into rows: inout [OutboxRow],
        _ known: inout Known,
        _ context: TurnContext
    ) throws -> Bool {
        let registration = device.registration
        var ids: [Int64] = []
        let found = try db.prepare(
            "SELECT id FROM outbox WHERE registration = ? AND queue = ? AND owner IS NULL ORDER BY id LIMIT ?"
        ).int(registration).int(queue.rawValue).int(room)
        while try found.next() { ids.append(found.int64(0)) }
        if let last = ids.last {
            try db.prepare(
                """
                UPDATE OR FAIL outbox SET owner = ? WHERE registration = ? AND queue = ? AND owner IS NULL AND id <= ?
                """
            ).int(context.turn.incarnation.rawValue).int(registration).int(queue.rawValue).int(last).run()
        }
        for id in ids { if let row = try outboxRow(id, &known) { rows.append(row) } }
        guard ids.count < device.rows else {
            try db.prepare("DELETE FROM waiting WHERE registration = ? AND queue = ?").int(registration)
                .int(queue.rawValue).run()
            return true
        }
        if !ids.isEmpty {
            try db.prepare("UPDATE waiting SET rows = rows - ? WHERE registration = ? AND queue = ?").int(ids.count)
                .int(registration).int(queue.rawValue).run()
        }
        return false
    }

    /// Data that rows of a claim share, looked up once.
    private struct Known {
        /// Consumers' counts of unread messages.
        var unread: [Int64: Int64] = [:]
        /// The brand of the lane.
        var brand: (key: Int64, id: BrandID)?
    }

    /// Returns a consumer's count, summed once for all of its rows in a claim.
    private func unread(of consumer: Int64, _ known: inout Known) throws -> Int64 {
        if let count = known.unread[consumer] { return count }
        let count = try self.unread(of: consumer)
        known.unread[consumer] = count
        return count
    }

    /// Returns the id of a brand; nil when it is deleted.
    private func brand(_ key: Int64, _ known: inout Known) throws -> BrandID? {
        if let brand = known.brand, brand.key == key { return brand.id }
        let row = try db.prepare("SELECT id FROM brands WHERE key = ?").int(key)
        guard try row.next() else { return nil }
        defer { row.end() }
        let id = BrandID(trusted: row.string(0))
        known.brand = (key, id)
        return id
    }

    private func outboxRow(_ id: Int64, _ known: inout Known) throws -> OutboxRow? {
        let row = try db.prepare(
            """
            SELECT o.lane, o.registration, r.token, r.platform, r.consumer, 0, o.kind, o.conversation, o.attempts, \
            o.expires_at, o.queued_at, r.brand, u.id, c.id, \
            m.key, m.low, m.sequence, m.kind, m.source_sequence, m.dialog, m.agent_id, m.agent_nickname, m.text, m.title, \
            m.data, m.link_ios, m.link_android, m.link_web, m.priority, m.collapse_key, m.category, m.sound, m.silent, \
            m.accepted_at, m.sent_at, m.expires_at, m.look_back_until, m.campaign, r.locale, r.time_zone, \
            u.quiet_hours, o.queue \
            FROM outbox o JOIN registrations r ON r.id = o.registration JOIN consumers u ON u.key = r.consumer \
            LEFT JOIN messages m ON m.key = o.message LEFT JOIN conversations c ON c.key = o.conversation WHERE o.id = ?
            """
        ).int(id)
        guard try row.next() else { return nil }
        defer { row.end() }
        guard let brand = try brand(row.int64(11), &known) else { return nil }
        let message =
            row.isNull(14)
            ? nil
            : MessageColumns.message(
                row,
                from: 14,
                brand: brand,
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
            unread: try self.unread(of: row.int64(4), &known),
            kind: DeliveryKind(rawValue: Int(row.int64(6))) ?? .message,
            queue: OutboxQueue(rawValue: row.int64(41)),
            conversation: row.optionalInt64(7).map(ConversationKey.init),
            message: message,
            attempts: Int(row.int64(8)),
            expiresAt: Timestamp(milliseconds: row.int64(9)),
            queuedAt: Timestamp(milliseconds: row.int64(10))
        )
    }
}

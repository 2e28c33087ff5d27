import GatewayModel
import GatewayStorage
import SQLStorage
import TurnRules

extension Writer {
    func dueDevices(_ request: ClaimRequest, at now: Timestamp) throws -> [(registration: Int64, rows: Int)] {
        var devices: [(registration: Int64, rows: Int)] = []
        let due = try db.prepare(
            """
            SELECT registration, rows FROM waiting WHERE lane = ? AND queue = ? AND due <= ? \
            ORDER BY due, registration LIMIT ?
            """
        ).int(request.lane.rawValue).int(request.queue.rawValue).int(now.milliseconds).int(request.limit)
        while try due.next() { devices.append((due.int64(0), Int(due.int64(1)))) }
        return devices
    }

    func nextDue(of lane: LaneID, _ queue: OutboxQueue) throws -> Timestamp? {
        let next = try db.prepare("SELECT min(due) FROM waiting WHERE lane = ? AND queue = ? AND due IS NOT NULL")
            .int(lane.rawValue).int(queue.rawValue)
        defer { next.end() }
        return try next.next() ? next.optionalInt64(0).map(Timestamp.init(milliseconds:)) : nil
    }

    func hasMoreToSum(than limit: Int, _ registration: Int64, _ queue: OutboxQueue) throws -> Bool {
        let row = try db.prepare(
            """
            SELECT count(*) FROM (SELECT 1 FROM outbox o JOIN messages m ON m.key = o.message \
            WHERE o.registration = ? AND o.queue = ? AND o.owner IS NULL AND m.counts = 1 LIMIT ?)
            """
        ).int(registration).int(queue.rawValue).int(limit + 1)
        defer { row.end() }
        return try row.next() && row.int64(0) > Int64(limit)
    }

    func claim(
        upTo limit: Int,
        of registration: Int64,
        _ queue: OutboxQueue,
        for owner: IncarnationID,
        into rows: inout [OutboxRow]
    ) throws -> Int {
        let device = try device(registration)
        var count = 0
        var last: Int64 = 0
        let found = try db.prepare(
            """
            SELECT o.id, o.lane, o.kind, o.conversation, o.attempts, o.expires_at, o.queued_at, c.id, \
            m.key, m.low, m.sequence, m.kind, m.source_sequence, m.dialog, m.agent_id, m.agent_nickname, m.text, m.title, \
            m.data, m.link_ios, m.link_android, m.link_web, m.priority, m.collapse_key, m.category, m.sound, m.silent, \
            m.accepted_at, m.sent_at, m.expires_at, m.look_back_until, m.campaign, m.consent, o.untimed, \
            o.attempts = 0 AND o.delivered_at IS NULL AND o.tapped_at IS NULL \
            FROM outbox o LEFT JOIN messages m ON m.key = o.message LEFT JOIN conversations c ON c.key = o.conversation \
            WHERE o.registration = ? AND o.queue = ? AND o.owner IS NULL ORDER BY o.id LIMIT ?
            """
        ).int(registration).int(queue.rawValue).int(limit)
        while try found.next() {
            count += 1
            last = found.int64(0)
            guard let device else { continue }
            let row = outboxRow(found, of: device, queue)
            rows.append(row)
            guard found.int64(34) != 0 else { continue }
            let consumer = BrandedName(brand: device.brandKey, id: device.consumerID.rawValue)
            try noteUnderway(
                last,
                row.lane.rawValue,
                row.message?.id,
                of: consumer,
                on: device.name,
                queuedAt: row.queuedAt
            )
        }
        if count > 0 {
            try db.prepare(
                """
                UPDATE OR FAIL outbox SET owner = ? WHERE registration = ? AND queue = ? AND owner IS NULL AND id <= ?
                """
            ).int(owner.rawValue).int(registration).int(queue.rawValue).int(last).run()
        }
        return count
    }

    /// The facts of a device that its rows share.
    private struct Device {
        var id: RegistrationID
        /// The app's id of the installation.
        var name: String
        var token: String
        var platform: DevicePlatform
        var traits: DeviceTraits?
        var brand: BrandID
        var brandKey: Int64
        var consumer: ConsumerKey
        var consumerID: ConsumerID
        /// The consumer's unread count.
        var unread: Int64
        var receivesAgents: Bool
        var isImported: Bool
    }

    /// Returns a device whose rows are handed out; nil when its brand is deleted.
    private func device(_ registration: Int64) throws -> Device? {
        let row = try db.prepare(
            """
            SELECT r.token, r.platform, r.locale, r.time_zone, u.quiet_hours, r.brand, u.key, u.id, \
            (SELECT coalesce(sum(c.unread), 0) FROM unread_conversations c WHERE c.consumer = u.key), r.receives, \
            r.imported, r.device \
            FROM registrations r JOIN consumers u ON u.key = r.consumer WHERE r.id = ?
            """
        ).int(registration)
        guard try row.next() else { return nil }
        defer { row.end() }
        guard let brand = try brand(row.int64(5)) else { return nil }
        return Device(
            id: RegistrationID(registration),
            name: row.string(11),
            token: row.string(0),
            platform: DevicePlatform(rawValue: row.string(1)) ?? .ios,
            traits: DeviceTraits(
                locale: row.optionalString(2),
                timeZone: row.optionalString(3),
                quietHours: row.optionalString(4).flatMap(QuietHours.init(stored:))
            ),
            brand: brand,
            brandKey: row.int64(5),
            consumer: ConsumerKey(row.int64(6)),
            consumerID: ConsumerID(trusted: row.string(7)),
            unread: row.int64(8),
            receivesAgents: Receives(rawValue: Int(row.int64(9))).contains(.agent),
            isImported: row.int64(10) != 0
        )
    }

    /// Returns the id of a brand, looked up once for a claim, whose rows are of one brand; nil when it is deleted.
    private func brand(_ key: Int64) throws -> BrandID? {
        if let known = memory.lastBrand, known.key == key { return known.id }
        let row = try db.prepare("SELECT id FROM brands WHERE key = ?").int(key)
        guard try row.next() else { return nil }
        defer { row.end() }
        let id = BrandID(trusted: row.string(0))
        memory.lastBrand = (key, id)
        return id
    }

    private func outboxRow(_ row: Statement, of device: Device, _ queue: OutboxQueue) -> OutboxRow {
        let message =
            row.isNull(8)
            ? nil
            : MessageColumns.message(
                row,
                from: 8,
                brand: device.brand,
                consumer: device.consumerID,
                conversation: ConversationID(trusted: row.string(7))
            )
        var claimed = OutboxRow(
            id: DeliveryID(row.int64(0)),
            lane: LaneID(row.int64(1)),
            registration: device.id,
            token: device.token,
            platform: device.platform,
            traits: device.traits,
            consumer: device.consumer,
            unread: device.unread,
            kind: DeliveryKind(rawValue: Int(row.int64(2))) ?? .message,
            queue: queue,
            conversation: row.optionalInt64(3).map(ConversationKey.init),
            message: message,
            attempts: Int(row.int64(4)),
            expiresAt: Timestamp(milliseconds: row.int64(5)),
            queuedAt: Timestamp(milliseconds: row.int64(6))
        )
        claimed.receivesAgents = device.receivesAgents
        claimed.isImported = device.isImported
        claimed.isTimed = row.int64(33) == 0
        return claimed
    }
}

import GatewayModel
import GatewayStorage

/// Reads deliveries by their numbers; on a reader, whose snapshot its statements keep.
final class DeliveryRows {
    private let db: ReadConnection
    private var finishedRows: Statement?
    private var changedRows: Statement?
    private var unfinishedRows: Statement?

    init(_ db: ReadConnection) { self.db = db }

    /// Returns the delivery, of any brand; nil when there is none.
    func record(_ id: Int64) throws -> DeliveryRecord? {
        if let record = try finished(id) { return record }
        return try unfinished(id)
    }

    /// The columns of a finished delivery, of `delivery_log d` and ``joins``.
    static let columns = """
        d.id, d.message, coalesce(d.message_low, m.low), \
        CASE WHEN n.merged_into IS NULL THEN n.id ELSE (SELECT u.id FROM consumers u WHERE u.key = n.merged_into) END, \
        d.device, d.app, d.push_type, d.attempts, d.queued_at, d.tapped_at, d.status, d.reason, d.sent_at, d.latency, \
        d.state, d.suppressed_by, d.provider_id, d.badge, d.delivered_at, d.finished_at, d.displayed_at, d.dismissed_at
        """
    /// The number of ``columns``.
    static let columnCount: Int32 = 22
    /// Joins a delivery's consumer and message; ``columns`` have the consumer's name after a merge.
    static let joins = """
        CROSS JOIN consumers n ON n.key = d.consumer LEFT JOIN messages m ON m.key = d.message
        """

    /// Returns a finished delivery whose newest change has this position; nil when it has changed again or is gone.
    func finished(_ id: Int64, at position: Int64) throws -> DeliveryRecord? {
        let statement =
            try changedRows
            ?? db.prepare(
                composed: "SELECT \(Self.columns) FROM delivery_log d \(Self.joins) WHERE d.id = ? AND d.change = ?"
            )
        changedRows = statement
        let row = statement.start().int(id).int(position)
        guard try row.next() else { return nil }
        defer { row.end() }
        return Self.record(row)
    }

    private func finished(_ id: Int64) throws -> DeliveryRecord? {
        let statement =
            try finishedRows
            ?? db.prepare(
                composed: "SELECT \(Self.columns) FROM delivery_log d \(Self.joins) WHERE d.id = ?"
            )
        finishedRows = statement
        let row = statement.start().int(id)
        guard try row.next() else { return nil }
        defer { row.end() }
        return Self.record(row)
    }

    /// Reads the ``columns`` of a row, the first ones of its statement; nil when they have words that this version does
    /// not know.
    static func record(_ row: Statement) -> DeliveryRecord? {
        guard let state = DeliveryState(rawValue: row.string(14)), var record = self.record(row, state: state) else {
            return nil
        }
        record.suppressedBy = row.optionalString(15).flatMap(SuppressedBy.init(rawValue:))
        record.providerID = row.optionalString(16)
        record.badge = row.optionalInt64(17)
        record.deliveredAt = row.optionalInt64(18).map(Timestamp.init(milliseconds:))
        record.finishedAt = row.optionalInt64(19).map(Timestamp.init(milliseconds:))
        record.displayedAt = row.optionalInt64(20).map(Timestamp.init(milliseconds:))
        record.dismissedAt = row.optionalInt64(21).map(Timestamp.init(milliseconds:))
        return record
    }

    private func unfinished(_ id: Int64) throws -> DeliveryRecord? {
        let statement =
            try unfinishedRows
            ?? db.prepare(
                """
                SELECT o.id, o.message, (SELECT low FROM messages WHERE key = o.message), u.id, r.device, r.app, r.push_type, \
                o.attempts, o.queued_at, o.tapped_at, a.status, a.reason, a.sent_at, a.latency, \
                CASE WHEN o.held THEN 2 ELSE o.owner IS NOT NULL END, o.delivered_at, o.displayed_at, o.dismissed_at \
                FROM outbox o JOIN registrations r ON r.id = o.registration JOIN consumers u ON u.key = r.consumer \
                LEFT JOIN attempts a ON a.delivery = o.id AND a.number = o.attempts WHERE o.id = ?
                """
            )
        unfinishedRows = statement
        let row = statement.start().int(id)
        guard try row.next() else { return nil }
        defer { row.end() }
        var record = Self.record(row, state: .unfinished(place: row.int64(14), attempts: row.int64(7)))
        record?.deliveredAt = row.optionalInt64(15).map(Timestamp.init(milliseconds:))
        record?.displayedAt = row.optionalInt64(16).map(Timestamp.init(milliseconds:))
        record?.dismissedAt = row.optionalInt64(17).map(Timestamp.init(milliseconds:))
        return record
    }

    /// Reads the columns with which both statements begin.
    private static func record(_ row: Statement, state: DeliveryState) -> DeliveryRecord? {
        guard let provider = PushType(rawValue: row.string(6)) else { return nil }
        let high = row.optionalInt64(1)
        let low = row.optionalInt64(2)
        var record = DeliveryRecord(
            id: DeliveryID(row.int64(0)),
            messageID: high.flatMap { high in
                low.map { MessageID(high: UInt64(bitPattern: high), low: UInt64(bitPattern: $0)) }
            },
            consumer: ConsumerID(trusted: row.string(3)),
            device: DeviceID(trusted: row.string(4)),
            app: AppID(trusted: row.string(5)),
            provider: provider,
            state: state,
            attempts: Int(row.int64(7)),
            queuedAt: Timestamp(milliseconds: row.int64(8))
        )
        record.tappedAt = row.optionalInt64(9).map(Timestamp.init(milliseconds:))
        record.status = row.optionalInt64(10).map { Int($0) }
        record.reason = row.optionalString(11)
        record.sentAt = row.optionalInt64(12).map(Timestamp.init(milliseconds:))
        record.latencyMilliseconds = row.optionalInt64(13)
        return record
    }

    /// Returns the brand of a delivery; nil when there is none.
    func brand(_ id: Int64) throws -> Int64? {
        let row = try db.prepare(
            """
            SELECT brand FROM delivery_log WHERE id = ?1 UNION ALL \
            SELECT r.brand FROM outbox o JOIN registrations r ON r.id = o.registration WHERE o.id = ?1 LIMIT 1
            """
        ).int(id)
        return try row.next() ? row.int64(0) : nil
    }

    /// Returns every attempt of a delivery that needed more than one, oldest first.
    func attempts(_ id: Int64) throws -> [DeliveryAttempt] {
        let rows = try db.prepare(
            "SELECT number, sent_at, status, reason, latency FROM attempts WHERE delivery = ? ORDER BY number"
        ).int(id)
        var attempts: [DeliveryAttempt] = []
        while try rows.next() {
            attempts.append(
                DeliveryAttempt(
                    number: Int(rows.int64(0)),
                    sentAt: Timestamp(milliseconds: rows.int64(1)),
                    status: Int(rows.int64(2)),
                    reason: rows.optionalString(3),
                    latencyMilliseconds: rows.int64(4)
                )
            )
        }
        return attempts
    }
}

extension DeliveryState {
    /// Returns the state of an outbox row from its place: 0 when nobody owns it, 1 when a lane does, 2 when it waits
    /// for a window.
    static func unfinished(place: Int64, attempts: Int64) -> DeliveryState {
        switch place {
        case 0: attempts > 0 ? .retrying : .pending
        case 2: .held
        default: .sending
        }
    }
}

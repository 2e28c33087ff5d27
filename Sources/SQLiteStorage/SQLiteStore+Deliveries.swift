import GRDB
package import GatewayModel
package import GatewayStorage

extension SQLiteStore {
    package func deliveries(_ query: DeliveryQuery) async throws(StorageError) -> DeliveryPage {
        try await read { db in
            // One row more than asked says whether there is a next page.
            var records = try Self.unfinished(query, only: nil, db) + Self.finished(query, only: nil, db)
            records.sort { $0.id > $1.id }
            let next = records.count > query.limit ? records[query.limit - 1].id : nil
            return DeliveryPage(items: Array(records.prefix(query.limit)), next: next)
        }
    }

    package func delivery(brand: BrandID, id: DeliveryID) async throws(StorageError) -> DeliveryDetail? {
        try await read { db in
            let query = DeliveryQuery(brand: brand, limit: 1)
            let found = try Self.unfinished(query, only: id, db).first ?? Self.finished(query, only: id, db).first
            guard let record = found else { return nil }
            var attempts = try Row.fetchAll(
                db,
                sql: "SELECT number, sent_at, status, reason, latency FROM attempts WHERE delivery = ? ORDER BY number",
                arguments: [id.rawValue]
            ).map {
                try DeliveryAttempt(
                    number: $0.value(0),
                    sentAt: Timestamp(milliseconds: $0.value(1)),
                    status: $0.value(2),
                    reason: $0.value(3),
                    latencyMilliseconds: $0.value(4)
                )
            }
            // A delivery that was tried once has its only attempt in its own row.
            if attempts.isEmpty, let sentAt = record.sentAt, let status = record.status {
                attempts = [
                    DeliveryAttempt(
                        number: 1,
                        sentAt: sentAt,
                        status: status,
                        reason: record.reason,
                        latencyMilliseconds: record.latencyMilliseconds ?? 0
                    )
                ]
            }
            return DeliveryDetail(record: record, attempts: attempts)
        }
    }

    /// Conditions that outbox and log share; their columns have the same names in both statements.
    private static func conditions(
        _ query: DeliveryQuery,
        only id: DeliveryID?,
        low: String
    ) -> (sql: String, arguments: StatementArguments) {
        var sql: [String] = ["b.id = ?"]
        var arguments: StatementArguments = [query.brand.rawValue]
        func add(_ condition: String, _ value: (any DatabaseValueConvertible)?) {
            guard let value else { return }
            sql.append(condition)
            arguments += [value]
        }
        add("d.id = ?", id?.rawValue)
        add("u.id = ?", query.consumer?.rawValue)
        add("d.message = ?", query.message.map { Int64(bitPattern: $0.high) })
        add("\(low) = ?", query.message.map { Int64(bitPattern: $0.low) })
        add("d.id < ?", query.before?.rawValue)
        add("d.queued_at >= ?", query.since?.milliseconds)
        add("d.queued_at < ?", query.until?.milliseconds)
        return (sql.joined(separator: " AND "), arguments)
    }

    private static func unfinished(
        _ query: DeliveryQuery,
        only id: DeliveryID?,
        _ db: Database
    ) throws -> [DeliveryRecord] {
        var (condition, arguments) = conditions(query, only: id, low: "m.low")
        if let reason = query.reason {
            condition += " AND a.reason = ?"
            arguments += [reason]
        }
        if let device = query.device {
            condition += " AND r.device = ?"
            arguments += [device.rawValue]
        }
        if let provider = query.provider {
            condition += " AND r.push_type = ?"
            arguments += [provider.rawValue]
        }
        switch query.state {
        case nil: break
        case .sending: condition += " AND d.owner IS NOT NULL"
        case .retrying: condition += " AND d.owner IS NULL AND d.attempts > 0"
        case .pending: condition += " AND d.owner IS NULL AND d.attempts = 0"
        default: return []
        }
        arguments += [query.limit + 1]
        return try Row.fetchAll(
            db,
            sql: """
                SELECT d.id, d.message, m.low, u.id AS consumer_id, r.device, r.app, r.push_type, d.owner, d.attempts,
                d.queued_at, d.tapped_at, a.status, a.reason, a.sent_at, a.latency
                FROM outbox d JOIN registrations r ON r.id = d.registration JOIN brands b ON b.key = r.brand
                JOIN consumers u ON u.key = d.consumer LEFT JOIN messages m ON m.key = d.message
                LEFT JOIN attempts a ON a.delivery = d.id AND a.number = d.attempts
                WHERE \(condition) ORDER BY d.id DESC LIMIT ?
                """,
            arguments: arguments
        ).compactMap { row in
            let isOwned = (try row.value("owner") as Int64?) != nil
            let attempts: Int = try row.value("attempts")
            return try record(row, state: isOwned ? .sending : attempts > 0 ? .retrying : .pending, attempts: attempts)
        }
    }

    private static func finished(
        _ query: DeliveryQuery,
        only id: DeliveryID?,
        _ db: Database
    ) throws -> [DeliveryRecord] {
        // The message may be gone before its delivery.
        let low = "coalesce(m.low, d.message_low)"
        var (condition, arguments) = conditions(query, only: id, low: low)
        func add(_ sql: String, _ value: String?) {
            guard let value else { return }
            condition += " AND \(sql) = ?"
            arguments += [value]
        }
        add("d.device", query.device?.rawValue)
        add("d.push_type", query.provider?.rawValue)
        add("d.reason", query.reason)
        if let state = query.state {
            guard state.isFinished else { return [] }
            add("d.state", state.rawValue)
        }
        arguments += [query.limit + 1]
        return try Row.fetchAll(
            db,
            sql: """
                SELECT d.*, u.id AS consumer_id, \(low) AS low FROM delivery_log d JOIN brands b ON b.key = d.brand
                JOIN consumers u ON u.key = d.consumer LEFT JOIN messages m ON m.key = d.message
                WHERE \(condition) ORDER BY d.id DESC LIMIT ?
                """,
            arguments: arguments
        ).compactMap { row in
            guard let state = DeliveryState(rawValue: try row.value("state")),
                var record = try record(row, state: state, attempts: row.value("attempts"))
            else { return nil }
            let suppressedBy: String? = try row.value("suppressed_by")
            record.providerID = try row.value("provider_id")
            record.badge = try row.value("badge")
            record.suppressedBy = suppressedBy.flatMap(SuppressedBy.init(rawValue:))
            return record
        }
    }

    private static func record(_ row: Row, state: DeliveryState, attempts: Int) throws -> DeliveryRecord? {
        guard let provider = PushType(rawValue: try row.value("push_type")) else { return nil }
        let message: Int64? = try row.value("message")
        let low: Int64? = try row.value("low")
        let tappedAt: Int64? = try row.value("tapped_at")
        let sentAt: Int64? = try row.value("sent_at")
        var record = try DeliveryRecord(
            id: DeliveryID(row.value("id")),
            messageID: message.flatMap { high in
                low.map { MessageID(high: UInt64(bitPattern: high), low: UInt64(bitPattern: $0)) }
            },
            consumer: ConsumerID(trusted: row.value("consumer_id")),
            device: DeviceID(trusted: row.value("device")),
            app: AppID(trusted: row.value("app")),
            provider: provider,
            state: state,
            attempts: attempts,
            queuedAt: Timestamp(milliseconds: row.value("queued_at"))
        )
        record.status = try row.value("status")
        record.reason = try row.value("reason")
        record.sentAt = sentAt.map(Timestamp.init(milliseconds:))
        record.latencyMilliseconds = try row.value("latency")
        record.tappedAt = tappedAt.map(Timestamp.init(milliseconds:))
        return record
    }
}

import GatewayModel
import GatewayStorage
import SQLStorage

/// A query's filter in the keys of the database.
struct DeliveryFilter {
    /// One condition on the log.
    struct Condition {
        /// Its index, without rows that are not indexed, except the message's; nil where there is none.
        var index: String?
        /// The SQL, with one parameter for each value.
        var sql: String
        var values: [Value]
    }

    enum Value {
        case int(Int64)
        case text(String)
    }

    /// The number of merged consumers under whose keys a consumer's log is searched besides its own, the youngest: each
    /// costs an index lookup, and a consumer logs in again a few times within the log's retention.
    private static let mergedLimit: Int64 = 100
    /// The number of present and former owners of a device whose logs are searched, present and latest ones first.
    private static let holdersLimit: Int64 = 1000

    let brand: Int64
    let query: DeliveryQuery
    let message: Int64?
    /// The consumer's key, followed by the earlier keys that the log still has for it; nil means any consumer.
    private(set) var consumers: [Int64]?

    var consumer: Int64? { consumers?.first }

    /// The present and former owners of the device that the query names without a consumer, as stored in the log.
    private let holders: [Int64]?
    /// The consumers whose messages the deliveries belong to.
    let owners: [Int64]
    /// Whether it selects only deliveries without a stored message.
    private var isWithoutMessage = false

    /// Whether its conditions have one of few texts: with several consumers there is a text for each number of them.
    var isOfFewShapes: Bool { consumers?.count ?? 0 <= 1 }

    /// Whether deliveries are searched by consumer: the query names one or a device, but no message.
    var isOfSome: Bool { message == nil && (consumers != nil || holders != nil) }

    /// The same filter for each of the consumer's keys, or of the device's owners: for deliveries without a stored
    /// message.
    var byKey: [DeliveryFilter] {
        (consumers ?? holders ?? []).map { key in
            var filter = self
            filter.consumers = [key]
            filter.isWithoutMessage = true
            return filter
        }
    }

    /// Nil when nothing can match: the brand or the consumer is unknown.
    init?(_ query: DeliveryQuery, _ db: ReadConnection) throws {
        guard let key = try db.brandKey(query.brand) else { return nil }
        brand = key
        self.query = query
        message = query.message.map { Int64(bitPattern: $0.high) }
        guard let id = query.consumer else {
            holders = try query.device.map { try Self.holders(of: $0, brand: key, db) }
            owners = try Self.owners(holders ?? [], db)
            return
        }
        holders = nil
        let row = try db.prepare("SELECT coalesce(merged_into, key) FROM consumers WHERE brand = ? AND id = ?")
            .int(self.brand).text(id.rawValue)
        guard try row.next() else { return nil }
        var keys = [row.int64(0)]
        let merged = try db.prepare(
            "SELECT key FROM consumers WHERE merged_into = ? ORDER BY key DESC LIMIT ?"
        ).int(keys[0]).int(query.reachesAllMerged ? -1 : Self.mergedLimit)
        while try merged.next() { keys.append(merged.int64(0)) }
        consumers = keys
        owners = [keys[0]]
    }

    /// Returns the consumers to which keys of the log lead, each once.
    private static func owners(_ keys: [Int64], _ db: ReadConnection) throws -> [Int64] {
        var owners: [Int64] = []
        let row = try db.prepare("SELECT coalesce(merged_into, key) FROM consumers WHERE key = ?")
        for key in keys {
            guard try row.start().int(key).next() else { continue }
            if !owners.contains(row.int64(0)) { owners.append(row.int64(0)) }
        }
        return owners
    }

    private static func holders(of device: DeviceID, brand: Int64, _ db: ReadConnection) throws -> [Int64] {
        var keys: [Int64] = []
        let rows = try db.prepare(
            """
            SELECT r.consumer, 9223372036854775807 AS last FROM apps a CROSS JOIN registrations r \
            ON r.brand = a.brand AND r.app = a.id AND r.device = ?2 WHERE a.brand = ?1 \
            UNION ALL SELECT consumer, last_delivery FROM former_devices WHERE brand = ?1 AND device = ?2 \
            ORDER BY last DESC LIMIT ?3
            """
        ).int(brand).text(device.rawValue).int(holdersLimit)
        while try rows.next() { if !keys.contains(rows.int64(0)) { keys.append(rows.int64(0)) } }
        return keys
    }

    /// The conditions on rows of the log except times and numbers, the most selective ones first.
    var conditions: [Condition] {
        var conditions: [Condition] = []
        if let message, let low = query.message?.low {
            conditions.append(
                Condition(
                    index: "delivery_log_message",
                    sql: """
                        d.message = ? AND coalesce(d.message_low, (SELECT low FROM messages WHERE key = d.message)) = ?
                        """,
                    values: [.int(message), .int(Int64(bitPattern: low))]
                )
            )
        }
        if let consumers {
            let places = Array(repeating: "?", count: consumers.count).joined(separator: ", ")
            conditions.append(
                Condition(
                    index: isWithoutMessage ? "delivery_log_alone" : nil,
                    sql: isWithoutMessage
                        ? "(d.message IS NULL OR d.message_low IS NOT NULL) AND d.consumer = ?"
                        : "d.consumer IN (\(places))",
                    values: consumers.map { .int($0) }
                )
            )
        }
        if let reason = query.reason { conditions.append(of("delivery_log_reason", "d.reason = ?", .text(reason))) }
        if let state = query.state {
            conditions.append(of("delivery_log_state", "d.state = ?", .text(state.rawValue)))
        }
        if let provider = query.provider {
            conditions.append(of("delivery_log_provider", "d.push_type = ?", .text(provider.rawValue)))
        }
        if let device = query.device { conditions.append(of(nil, "d.device = ?", .text(device.rawValue))) }
        return conditions
    }

    private func of(_ index: String?, _ sql: String, _ value: Value) -> Condition {
        Condition(index: index, sql: sql, values: [value])
    }
}

extension Statement {
    func bind(_ values: [DeliveryFilter.Value]) -> Statement {
        for value in values {
            switch value {
            case .int(let value): int(value)
            case .text(let value): text(value)
            }
        }
        return self
    }
}

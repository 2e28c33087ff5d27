import GatewayModel
import GatewayStorage

/// A query's filter in the numbers that the file uses.
struct DeliveryFilter {
    /// One condition on the log.
    struct Condition {
        /// Its index, with rows that are not indexed left out but for the message's.
        var index: String
        /// With one parameter for each value.
        var sql: String
        var values: [Value]
    }

    enum Value {
        case int(Int64)
        case text(String)
    }

    /// A consumer's log is looked for under its own key and those of so many that were merged into it, the youngest: each
    /// costs a look into the index, and a consumer logs in anew a few times while the log is kept.
    private static let mergedLimit: Int64 = 100

    let brand: Int64
    let query: DeliveryQuery
    let message: Int64?
    /// The consumer's key, and those that the log still has for it behind; nil is any consumer.
    private(set) var consumers: [Int64]?

    var consumer: Int64? { consumers?.first }

    /// The same filter for each of the consumer's keys.
    var byKey: [DeliveryFilter] {
        guard let consumers else { return [self] }
        return consumers.map { key in
            var filter = self
            filter.consumers = [key]
            return filter
        }
    }

    /// Nil when nothing can match: the brand or the consumer is unknown.
    init?(_ query: DeliveryQuery, _ db: OpaquePointer) throws {
        let brand = try Statement(db, "SELECT key FROM brands WHERE id = ?").text(query.brand.rawValue)
        guard try brand.next() else { return nil }
        self.brand = brand.int64(0)
        self.query = query
        message = query.message.map { Int64(bitPattern: $0.high) }
        guard let id = query.consumer else { return }
        let row = try Statement(db, "SELECT coalesce(merged_into, key) FROM consumers WHERE brand = ? AND id = ?")
            .int(self.brand).text(id.rawValue)
        guard try row.next() else { return nil }
        var keys = [row.int64(0)]
        let merged = try Statement(
            db,
            "SELECT key FROM consumers WHERE merged_into = ? ORDER BY key DESC LIMIT ?"
        ).int(keys[0]).int(query.reachesAllMerged ? -1 : Self.mergedLimit)
        while try merged.next() { keys.append(merged.int64(0)) }
        consumers = keys
    }

    /// The conditions on rows of the log but for times and numbers, those that usually leave the fewest rows first.
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
        if let device = query.device {
            conditions.append(of("delivery_log_device", "d.device = ?", .text(device.rawValue)))
        }
        if let consumers {
            let places = Array(repeating: "?", count: consumers.count).joined(separator: ", ")
            conditions.append(
                Condition(
                    index: "delivery_log_consumer",
                    sql: consumers.count == 1 ? "d.consumer = ?" : "d.consumer IN (\(places))",
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
        return conditions
    }

    private func of(_ index: String, _ sql: String, _ value: Value) -> Condition {
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

import GRDB
package import GatewayModel
package import GatewayStorage
import Synchronization

extension SQLiteStore {
    package func onOutbound(_ listener: @escaping @Sendable (BrandID, Int) -> Void) {
        outboundListeners.withLock { $0.append(listener) }
    }

    package func openSubscription(
        brand id: BrandID,
        _ subscription: SubscriptionID,
        fromStart: Bool,
        now: Timestamp
    ) async throws(StorageError) -> SubscriptionOpening {
        try await write { writer in
            guard let brand = try writer.brandKey(id) else { return .unknownBrand }
            return try writer.openSubscription(brand: brand, subscription, fromStart: fromStart, now: now)
        }
    }

    package func subscriptions(brand: BrandID) async throws(StorageError) -> OutboundOverview {
        try await read { db in
            guard let ends = try Self.ends(db, brand) else {
                return OutboundOverview(subscriptions: [], end: 0, removedThrough: 0)
            }
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT name, mark, created_at, acknowledged_at FROM subscriptions WHERE brand = ? ORDER BY name
                    """,
                arguments: [ends.key]
            )
            let subscriptions = try rows.map { row in
                let acknowledgedAt: Int64? = try row.value(3)
                return try OutboundSubscription(
                    id: SubscriptionID(trusted: row.value(0)),
                    mark: row.value(1),
                    createdAt: Timestamp(milliseconds: row.value(2)),
                    acknowledgedAt: acknowledgedAt.map(Timestamp.init(milliseconds:))
                )
            }
            return OutboundOverview(subscriptions: subscriptions, end: ends.end, removedThrough: ends.removed)
        }
    }

    package func acknowledge(
        brand: BrandID,
        _ subscription: SubscriptionID,
        upTo: Int64,
        now: Timestamp
    ) async throws(StorageError) -> SubscriptionAck {
        try await write { writer in
            guard let brand = try writer.brandKey(brand) else { return .unknown }
            return try writer.acknowledge(brand: brand, subscription, upTo: upTo, now: now)
        }
    }

    package func deleteSubscription(
        brand: BrandID,
        _ subscription: SubscriptionID
    ) async throws(StorageError) -> Bool {
        try await write { writer in
            guard let brand = try writer.brandKey(brand) else { return false }
            return try writer.deleteSubscription(brand: brand, subscription)
        }
    }

    /// One snapshot: positions are given by the one writer, so that nothing below the last can come later.
    package func outbound(_ query: OutboundQuery) async throws(StorageError) -> OutboundPage {
        try await read { db in
            guard let ends = try Self.ends(db, query.brand) else {
                return OutboundPage(items: [], nextAfter: query.after, end: 0, removedThrough: 0, isWhole: true)
            }
            var page = OutboundPage(
                items: [],
                nextAfter: query.after,
                end: ends.end,
                removedThrough: ends.removed,
                isWhole: false
            )
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT position, type, time, data FROM outbound WHERE brand = ? AND position > ? AND position <= ?
                    ORDER BY position LIMIT ?
                    """,
                arguments: [ends.key, query.after, query.through ?? .max, OutboundLimits.scannedRows]
            )
            var bytes = 0
            var looked = 0
            while page.items.count < query.limit {
                guard let row = try rows.next() else {
                    page.isWhole = looked < OutboundLimits.scannedRows
                    break
                }
                looked += 1
                let position: Int64 = try row.value(0)
                let type = OutboundType(rawValue: try row.value(1))
                if let type, query.types?.contains(type) ?? true {
                    let data: String = try row.value(3)
                    bytes += data.utf8.count
                    guard bytes <= query.maxBytes || page.items.isEmpty else { break }
                    page.items.append(
                        try OutboundItem(
                            position: position,
                            type: type,
                            time: Timestamp(milliseconds: row.value(2)),
                            data: JSONText(trusted: data)
                        )
                    )
                }
                page.nextAfter = position
            }
            return page
        }
    }

    package func webhookState(brand: BrandID) async throws(StorageError) -> WebhookState? {
        // On the writer, whose statements these are; a webhook asks once a batch.
        try await write { writer in try writer.brandKey(brand).flatMap { try writer.webhookState(brand: $0) } }
    }

    package func putWebhookState(_ state: WebhookState, brand: BrandID) async throws(StorageError) -> Bool {
        try await write { writer in
            guard let brand = try writer.brandKey(brand) else { return false }
            return try writer.put(state, brand: brand)
        }
    }

    package func replayWebhook(brand: BrandID, after: Int64) async throws(StorageError) -> WebhookState? {
        try await write { writer in
            try writer.brandKey(brand).flatMap { try writer.replayWebhook(brand: $0, after: after) }
        }
    }

    private static func ends(
        _ db: Database,
        _ brand: BrandID
    ) throws -> (key: Int64, end: Int64, removed: Int64)? {
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT b.key, coalesce((SELECT max(position) FROM outbound WHERE brand = b.key), 0),
                coalesce((SELECT removed FROM outbound_marks WHERE brand = b.key), 0) FROM brands b WHERE b.id = ?
                """,
            arguments: [brand.rawValue]
        )
        guard let row else { return nil }
        let last: Int64 = try row.value(1)
        let removed: Int64 = try row.value(2)
        return (try row.value(0), max(last, removed), removed)
    }
}

import GRDB
package import GatewayModel
package import GatewayStorage
import SQLStorage
import Synchronization

extension SQLiteStore {
    package func onOutbound(_ listener: @escaping @Sendable (BrandID, Int) -> Void) {
        outboundListeners.withLock { $0.append(listener) }
    }

    package func openSubscription(
        brand id: BrandID,
        _ subscription: SubscriptionID,
        fromStart: Bool,
        owner: String?,
        formerOwner: String?,
        now: Timestamp
    ) async throws(StorageError) -> SubscriptionOpening {
        try await write { writer in
            guard let brand = try writer.brandKey(id) else { return .unknownBrand }
            return try writer.openSubscription(
                brand: brand,
                subscription,
                fromStart: fromStart,
                owner: owner,
                formerOwner: formerOwner,
                now: now
            )
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
                    SELECT name, mark, created_at, acknowledged_at, owner FROM subscriptions WHERE brand = ? ORDER BY name
                    """,
                arguments: [ends.key]
            )
            let subscriptions = try rows.map { row in
                let acknowledgedAt: Int64? = try row.value(3)
                return try OutboundSubscription(
                    id: SubscriptionID(trusted: row.value(0)),
                    mark: row.value(1),
                    createdAt: Timestamp(milliseconds: row.value(2)),
                    acknowledgedAt: acknowledgedAt.map(Timestamp.init(milliseconds:)),
                    owner: row.value(4)
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
        _ subscription: SubscriptionID,
        audit: AuditEntry?
    ) async throws(StorageError) -> Bool {
        try await write { writer in
            guard let brand = try writer.brandKey(brand), try writer.deleteSubscription(brand: brand, subscription)
            else {
                return false
            }
            try writer.write(audit)
            return true
        }
    }

    /// One snapshot: only the writer assigns positions, so that nothing below the last can appear later.
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
        try await read { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT w.revision, w.mark, w.batch_through, w.attempts, w.next_try, w.last_tried_at, w.last_status,
                    w.last_error, w.switched_off FROM webhook_states w JOIN brands b ON b.key = w.brand WHERE b.id = ?
                    """,
                arguments: [brand.rawValue]
            )
            guard let row else { return nil }
            var state = try WebhookState(mark: row.value(1), revision: row.value(0))
            state.batchThrough = try row.value(2)
            state.attempts = try row.value(3)
            let nextTry: Int64? = try row.value(4)
            state.nextTry = nextTry.map(Timestamp.init(milliseconds:))
            let lastTriedAt: Int64? = try row.value(5)
            state.lastTriedAt = lastTriedAt.map(Timestamp.init(milliseconds:))
            state.lastStatus = try row.value(6)
            state.lastError = try row.value(7)
            let switchedOff: Int64 = try row.value(8)
            state.isSwitchedOff = switchedOff != 0
            return state
        }
    }

    package func putWebhookState(_ state: WebhookState, brand: BrandID) async throws(StorageError) -> Bool {
        try await write { writer in
            guard let brand = try writer.brandKey(brand) else { return false }
            return try writer.put(state, brand: brand)
        }
    }

    package func replayWebhook(
        brand: BrandID,
        after: Int64,
        audit: AuditEntry?
    ) async throws(StorageError) -> WebhookState? {
        let isFound = try await write { writer in
            guard let key = try writer.brandKey(brand), try writer.replayWebhook(brand: key, after: after) else {
                return false
            }
            try writer.write(audit)
            return true
        }
        return isFound ? try await webhookState(brand: brand) : nil
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

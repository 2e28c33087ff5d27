package import GatewayModel
package import GatewayStorage

extension SQLiteStore {
    /// The upper bound of the changes that one read visits: about 2 ms.
    private static let changesPerRead = 1000

    package func deliveryChanges(
        _ query: DeliveryQuery,
        after position: Int64
    ) async throws(StorageError) -> DeliveryChanges {
        let limit = min(query.limit, Self.changesPerRead)
        if query.hasNoFilter, let found = recent.changes(of: query.brand, after: position, limit: limit) {
            return try await changes(found)
        }
        return try await read { reader in
            guard let filter = try DeliveryFilter(query, reader) else {
                return DeliveryChanges(items: [], position: position, isEnd: true)
            }
            let conditions = filter.conditions
            // Where most rows are wanted, one statement finds and reads them.
            let readsAll = conditions.isEmpty
            let sql = """
                SELECT \(readsAll ? DeliveryRows.columns : "d.id"), d.change, d.queued_at >= ?3 AND d.queued_at < ?4 \
                \(conditions.map { "AND " + $0.sql }.joined(separator: " ")) FROM delivery_log d \
                INDEXED BY delivery_log_change \(readsAll ? DeliveryRows.joins : "") \
                WHERE d.brand = ?1 AND d.change > ?2 ORDER BY d.change LIMIT \(Self.changesPerRead)
                """
            let rows = try (filter.isOfFewShapes ? reader.prepare(composed: sql) : reader.prepare(once: sql))
                .int(filter.brand).int(position).int(query.since?.milliseconds ?? .min)
                .int(query.until?.milliseconds ?? .max).bind(conditions.flatMap(\.values))
            let records = DeliveryRows(reader)
            let next = readsAll ? DeliveryRows.columnCount : 1
            var found = DeliveryChanges(items: [], position: position, isEnd: true)
            if readsAll { found.items.reserveCapacity(min(query.limit, Self.changesPerRead)) }
            var looked = 0
            defer { rows.end() }
            while try rows.next() {
                looked += 1
                let change = rows.int64(next)
                if rows.int64(next + 1) != 0,
                    let record = try readsAll ? DeliveryRows.record(rows) : records.record(rows.int64(0))
                {
                    found.items.append(DeliveryChanges.Item(position: change, record: record))
                }
                found.position = change
                if looked == Self.changesPerRead || found.items.count == query.limit {
                    found.isEnd = false
                    break
                }
            }
            return found
        }
    }

    /// Returns changes that are in memory, and reads those that are not.
    private func changes(_ found: RecentChanges.Found) async throws(StorageError) -> DeliveryChanges {
        var items: [DeliveryChanges.Item] = []
        items.reserveCapacity(found.changes.count)
        let unread = found.changes.filter { $0.followed == nil }
        let read: [Int64: DeliveryRecord] =
            unread.isEmpty
            ? [:]
            : try await self.read { db in
                let rows = DeliveryRows(db)
                var records: [Int64: DeliveryRecord] = [:]
                for change in unread {
                    records[change.position] = try rows.finished(change.delivery, at: change.position)
                }
                return records
            }
        for change in found.changes {
            guard let record = change.followed?.record ?? read[change.position] else { continue }
            items.append(DeliveryChanges.Item(position: change.position, record: record))
        }
        return DeliveryChanges(items: items, position: found.position, isEnd: found.isEnd)
    }

    package func lastDeliveryChange(brand: BrandID) async throws(StorageError) -> Int64 {
        try await read { reader in
            let row = try reader.prepare(
                """
                SELECT max(d.change) FROM brands b CROSS JOIN delivery_log d INDEXED BY delivery_log_change \
                ON d.brand = b.key WHERE b.id = ?
                """
            ).text(brand.rawValue)
            return try row.next() ? row.int64(0) : 0
        }
    }
}

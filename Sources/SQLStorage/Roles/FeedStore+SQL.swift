package import GatewayModel
package import GatewayStorage

extension FeedStore where Self: SQLStore {
    /// One snapshot: only the writer assigns positions, so that nothing below the last can appear later.
    package func outbound(_ query: OutboundQuery) async throws(StorageError) -> OutboundPage {
        try await inSnapshot { db in
            guard let brand = try db.brandKey(query.brand) else {
                return OutboundPage(items: [], nextAfter: query.after, end: 0, removedThrough: 0, isWhole: true)
            }
            let (end, removed) = try db.outboundEnds(brand)
            var page = OutboundPage(
                items: [],
                nextAfter: query.after,
                end: end,
                removedThrough: removed,
                isWhole: false
            )
            let rows = try db.prepare(
                """
                SELECT position, type, time, data FROM outbound WHERE brand = ? AND position > ? AND position <= ? \
                ORDER BY position LIMIT ?
                """
            ).int(brand).int(query.after).int(query.through ?? .max).int(OutboundLimits.scannedRows)
            defer { rows.end() }
            var bytes = 0
            var looked = 0
            while page.items.count < query.limit {
                guard try rows.next() else {
                    page.isWhole = looked < OutboundLimits.scannedRows
                    break
                }
                looked += 1
                let position: Int64 = try rows.value(0)
                let type = OutboundType(rawValue: try rows.value(1))
                if let type, query.types?.contains(type) ?? true {
                    let data: String = try rows.value(3)
                    bytes += data.utf8.count
                    guard bytes <= query.maxBytes || page.items.isEmpty else { break }
                    page.items.append(
                        OutboundItem(
                            position: position,
                            type: type,
                            time: try rows.value(2),
                            data: JSONText(trusted: data)
                        )
                    )
                }
                page.nextAfter = position
            }
            return page
        }
    }
}

extension SQLConnection {
    /// Returns the ends of a brand's feed.
    ///
    /// - Parameter brand: The brand's key.
    /// - Returns: The last position that was assigned, and the position up to which nothing is left.
    /// - Throws: An error of the engine.
    package func outboundEnds(_ brand: Int64) throws -> (end: Int64, removed: Int64) {
        let ends = try prepare(
            """
            SELECT coalesce((SELECT max(position) FROM outbound WHERE brand = ?1), 0), \
            coalesce((SELECT removed FROM outbound_marks WHERE brand = ?1), 0)
            """
        ).int(brand).first { row in
            let last: Int64 = try row.value(0)
            let removed: Int64 = try row.value(1)
            return (end: max(last, removed), removed: removed)
        }
        return ends ?? (0, 0)
    }
}

// MARK: Housekeeping

extension SQLTransaction {
    /// Removes the oldest items of brands: those past their retention, and those that every reader has acknowledged and
    /// that are past the time for a replay.
    ///
    /// - Parameters:
    ///   - batch: The batch, with its limit and the brand at which it begins.
    ///   - before: Items of a brand from before this moment are past their retention.
    ///   - acknowledgedBefore: Items from before this moment are past the time for a replay.
    /// - Returns: The number of removed items, and the brand at which to continue.
    /// - Throws: An error of the engine.
    package func removeOutbound(
        _ batch: HousekeepingBatch,
        before: [BrandID: Timestamp],
        acknowledgedBefore: Timestamp
    ) throws -> (removed: Int, next: HousekeepingPosition?) {
        var removed = 0
        let first = batch.position?.brand?.rawValue ?? ""
        for brand in before.keys.sorted() where brand.rawValue >= first {
            guard let key = try brandKey(brand), let limit = before[brand] else { continue }
            let acknowledged = try acknowledgedByAll(key)
            let rows = try db.prepare("SELECT position, time FROM outbound WHERE brand = ? ORDER BY position LIMIT ?")
                .int(key).int(batch.limit - removed)
            var through: Int64?
            var (seen, count) = (0, 0)
            while try rows.next() {
                let position: Int64 = try rows.value(0)
                let time: Timestamp = try rows.value(1)
                let isRead = position <= acknowledged && time < acknowledgedBefore
                seen += 1
                if time < limit || isRead {
                    (through, count) = (position, seen)
                    continue
                }
                // One from a time when the clock was ahead is removed with those behind it.
                if time <= batch.now { break }
            }
            rows.end()
            guard let through else { continue }
            try db.prepare("DELETE FROM outbound WHERE brand = ? AND position <= ?").int(key).int(through).run()
            try db.prepare(
                """
                INSERT INTO outbound_marks (brand, removed) VALUES (?1, ?2) ON CONFLICT (brand) \
                DO UPDATE SET removed = ?2
                """
            ).int(key).int(through).run()
            removed += count
            if removed == batch.limit { return (removed, HousekeepingPosition(brand: brand)) }
        }
        return (removed, nil)
    }

    private func acknowledgedByAll(_ brand: Int64) throws -> Int64 {
        let mark = try db.prepare(
            """
            SELECT (SELECT min(mark) FROM subscriptions WHERE brand = ?1), \
            (SELECT min(mark) FROM webhook_states WHERE brand = ?1)
            """
        ).int(brand).first { row in
            let subscription: Int64? = try row.value(0)
            let webhook: Int64? = try row.value(1)
            return min(subscription ?? .max, webhook ?? .max)
        }
        return mark ?? 0
    }

    /// Removes items of a deleted brand, oldest first.
    ///
    /// - Parameters:
    ///   - brand: The brand's former key.
    ///   - limit: At most this many.
    /// - Returns: The number of removed items.
    /// - Throws: An error of the engine.
    package func removeOutbound(ofDeleted brand: Int64, limit: Int) throws -> Int {
        try db.prepare(
            """
            DELETE FROM outbound WHERE brand = ?1 AND position <= (SELECT max(position) FROM \
            (SELECT position FROM outbound WHERE brand = ?1 ORDER BY position LIMIT ?2) AS oldest)
            """
        ).int(brand).int(limit).runCounting()
    }
}

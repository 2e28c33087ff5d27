import GatewayModel
import GatewayStorage
import SQLStorage

/// Searches for rows to be removed, on a reader: short reads of a range of keys, so that neither the writer nor the
/// checkpoints wait.
struct HousekeepingSearch {
    let db: ReadConnection

    init(_ db: ReadConnection) { self.db = db }

    /// Finds deliveries in the log, brand by brand in the order of their ids, which is that of time.
    func deliveries(_ batch: HousekeepingBatch, before: [BrandID: Timestamp]) throws -> HousekeepingFound {
        var found = HousekeepingFound()
        var seen = 0
        for (brand, limit, after) in batch.remaining(of: before) {
            guard let key = try db.brandKey(brand) else { continue }
            let rows = try db.prepare(
                """
                SELECT id, queued_at FROM delivery_log INDEXED BY delivery_log_brand \
                WHERE indexed = 1 AND brand = ?1 AND id > ?2 UNION ALL \
                SELECT id, queued_at FROM delivery_log INDEXED BY delivery_log_change \
                WHERE brand = ?1 AND change > coalesce((SELECT indexed FROM log_marks), 0) AND indexed = 0 AND id > ?2 \
                ORDER BY id
                """
            )
            .int(key).int(after)
            while try rows.next() {
                let queuedAt = rows.int64(1)
                if Self.isAfter(limit, queuedAt, now: batch.now) { break }
                seen += 1
                if queuedAt < limit.milliseconds { found.rows.append(rows.int64(0)) }
                if seen == HousekeepingFound.rowsPerRead || found.rows.count == batch.limit {
                    found.next = HousekeepingPosition(brand: brand, row: rows.int64(0))
                    return found
                }
            }
        }
        return found
    }

    /// Finds messages, brand by brand in the order of their keys, which is that of time.
    ///
    /// Messages have no index by brand, which would cost a write with every event: each pass begins at the brand's
    /// mark. The removal checks again that a message has no outbox row: a delivery may be retried.
    func messages(_ batch: HousekeepingBatch, before: [BrandID: Timestamp]) throws -> HousekeepingFound {
        for (brand, limit, after) in batch.remaining(of: before) {
            guard let key = try db.brandKey(brand) else { continue }
            var found = HousekeepingFound()
            let mark = try messageMark(key)
            let start = max(after, mark)
            var through = start
            var firstKept: Int64?
            var seen = 0
            let rows = try db.prepare(
                """
                SELECT m.key, m.accepted_at, CASE WHEN c.brand = ?2 THEN EXISTS (SELECT 1 FROM registrations r \
                JOIN outbox o ON o.registration = r.id WHERE r.consumer = c.consumer AND o.message = m.key) END \
                FROM messages m JOIN conversations c ON c.key = m.conversation WHERE m.key > ?1 ORDER BY m.key
                """
            ).int(start).int(key)
            while try rows.next() {
                let acceptedAt = rows.int64(1)
                if Self.isAfter(limit, acceptedAt, now: batch.now) { break }
                through = rows.int64(0)
                seen += 1
                if let isPending = rows.optionalInt64(2) {
                    if acceptedAt < limit.milliseconds, isPending == 0 {
                        found.rows.append(through)
                    } else if firstKept == nil {
                        firstKept = through
                    }
                }
                if seen == HousekeepingFound.rowsPerRead || found.rows.count == batch.limit {
                    found.next = HousekeepingPosition(brand: brand, row: through)
                    break
                }
            }
            // Only a read that began at the mark shows that no row lies between.
            let newMark = firstKept.map { $0 - 1 } ?? through
            if start == mark, newMark > mark, !found.rows.isEmpty || found.next != nil { found.mark = (key, newMark) }
            if !found.rows.isEmpty || found.next != nil {
                // The next brand is found by a batch of its own.
                found.next = found.next ?? HousekeepingPosition(brand: brand, row: through)
                return found
            }
        }
        return HousekeepingFound()
    }

    // MARK: Brands

    /// Whether a row ends the search: it is young, and not only because the clock was ahead when it was stored.
    private static func isAfter(_ limit: Timestamp, _ time: Int64, now: Timestamp) -> Bool {
        time >= limit.milliseconds && time <= now.milliseconds
    }

    private func messageMark(_ brand: Int64) throws -> Int64 {
        let row = try db.prepare("SELECT message FROM message_marks WHERE brand = ?").int(brand)
        return try row.next() ? row.int64(0) : .min
    }
}

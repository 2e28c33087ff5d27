import GRDB
import GatewayModel
import GatewayStorage

/// Searches for rows to be removed, on a reader: short reads of a range of keys, so that neither the writer nor the
/// checkpoints wait.
struct HousekeepingSearch {
    /// The result of a search.
    struct Found: Sendable {
        /// The keys of rows.
        var rows: [Int64] = []
        /// The position at which the next batch continues; nil at the end of the pass.
        var next: HousekeepingPosition?
        /// No older message of the brand is left; nil leaves the mark unchanged.
        var mark: (brand: Int64, message: Int64)?
        /// The brand of the rows, where a batch is of one brand.
        var brand: BrandID?
    }

    /// The upper bound of the rows of one read: about 10 ms.
    static let rowsPerRead = 10_000

    let db: OpaquePointer

    init(_ db: Database) throws {
        guard let handle = db.sqliteConnection else { throw StorageError.closed }
        self.db = handle
    }

    /// Finds outbox rows that are in no lane and past their expiry, the earliest expiry first.
    func expired(_ batch: HousekeepingBatch) throws -> Found {
        var found = Found()
        let rows = try Statement(
            db,
            """
            SELECT id FROM outbox INDEXED BY outbox_expiry WHERE (owner IS NULL OR held = 1) AND expires_at <= ? \
            ORDER BY expires_at, id LIMIT \(batch.limit)
            """
        ).int(batch.now.milliseconds)
        while try rows.next() { found.rows.append(rows.int64(0)) }
        // The found rows are removed by then, or in a lane.
        if found.rows.count == batch.limit { found.next = HousekeepingPosition(row: (batch.position?.row ?? 0) + 1) }
        return found
    }

    /// Finds deliveries in the log, brand by brand in the order of their ids, which is that of time.
    func deliveries(_ batch: HousekeepingBatch, before: [BrandID: Timestamp]) throws -> Found {
        var found = Found()
        var seen = 0
        for (brand, after) in Self.brands(batch, before.keys) {
            guard let key = try brandKey(brand), let limit = before[brand] else { continue }
            let rows = try Statement(
                db,
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
                if seen == Self.rowsPerRead || found.rows.count == batch.limit {
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
    func messages(_ batch: HousekeepingBatch, before: [BrandID: Timestamp]) throws -> Found {
        for (brand, after) in Self.brands(batch, before.keys) {
            guard let key = try brandKey(brand), let limit = before[brand] else { continue }
            var found = Found()
            let mark = try messageMark(key)
            let start = max(after, mark)
            var through = start
            var firstKept: Int64?
            var seen = 0
            let rows = try Statement(
                db,
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
                if seen == Self.rowsPerRead || found.rows.count == batch.limit {
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
        return Found()
    }

    /// Finds campaigns whose newest message is old enough, brand by brand.
    func campaigns(_ batch: HousekeepingBatch, before: [BrandID: Timestamp]) throws -> Found {
        for (brand, after) in Self.brands(batch, before.keys) {
            guard let key = try brandKey(brand), let limit = before[brand] else { continue }
            var found = Found(brand: brand)
            let rows = try Statement(
                db,
                "SELECT id FROM campaigns WHERE brand = ? AND id > ? AND last_at < ? ORDER BY id LIMIT \(batch.limit)"
            ).int(key).int(after).int(limit.milliseconds)
            while try rows.next() { found.rows.append(rows.int64(0)) }
            guard let last = found.rows.last else { continue }
            found.next = HousekeepingPosition(brand: brand, row: last)
            return found
        }
        return Found()
    }

    /// Finds resolved conversations without messages, brand by brand in the order in which they came to rest.
    ///
    /// Their keys hold times (RFC 9562 section 5.7).
    func conversations(_ batch: HousekeepingBatch, before: [BrandID: Timestamp]) throws -> Found {
        for (brand, after) in Self.brands(batch, before.keys) {
            guard let key = try brandKey(brand), let limit = before[brand] else { continue }
            var found = Found(brand: brand)
            var seen = 0
            var last: Int64?
            let rows = try Statement(
                db,
                """
                SELECT c.key, c.last_message, EXISTS (SELECT 1 FROM conversation_heads h WHERE h.conversation = c.key \
                AND (h.last_message >= ?3 \
                OR EXISTS (SELECT 1 FROM messages m WHERE m.key = h.last_message AND m.conversation = c.key))) \
                FROM conversations c INDEXED BY conversations_resolved WHERE c.brand = ?1 AND c.resolved = 1 \
                AND c.last_message > ?2 AND c.last_message < ?3 ORDER BY c.last_message
                """
            ).int(key).int(after).int(Self.firstKey(at: limit))
            while try rows.next() {
                seen += 1
                if rows.int64(2) == 0 { found.rows.append(rows.int64(0)) }
                if seen == Self.rowsPerRead || found.rows.count == batch.limit {
                    last = rows.int64(1)
                    break
                }
            }
            if let last {
                found.next = HousekeepingPosition(brand: brand, row: last)
            } else if !found.rows.isEmpty {
                // The next brand is found by a batch of its own.
                found.next = HousekeepingPosition(brand: brand, row: .max)
            } else {
                continue
            }
            return found
        }
        return Found()
    }

    /// The first half of the lowest message id of a time.
    static func firstKey(at time: Timestamp) -> Int64 {
        min(max(time.milliseconds, 0), Int64.max >> 16) << 16
    }

    // MARK: Brands

    /// Returns the remaining brands of a pass, each with the row after which it continues.
    private static func brands(
        _ batch: HousekeepingBatch,
        _ brands: Dictionary<BrandID, Timestamp>.Keys
    ) -> [(brand: BrandID, after: Int64)] {
        let sorted = brands.sorted { $0.rawValue < $1.rawValue }
        guard let position = batch.position, let current = position.brand else { return sorted.map { ($0, .min) } }
        return sorted.filter { $0.rawValue >= current.rawValue }.map { ($0, $0 == current ? position.row : .min) }
    }

    /// Whether a row ends the search: it is young, and not only because the clock was ahead when it was stored.
    private static func isAfter(_ limit: Timestamp, _ time: Int64, now: Timestamp) -> Bool {
        time >= limit.milliseconds && time <= now.milliseconds
    }

    private func brandKey(_ brand: BrandID) throws -> Int64? {
        let row = try Statement(db, "SELECT key FROM brands WHERE id = ?").text(brand.rawValue)
        return try row.next() ? row.int64(0) : nil
    }

    private func messageMark(_ brand: Int64) throws -> Int64 {
        let row = try Statement(db, "SELECT message FROM message_marks WHERE brand = ?").int(brand)
        return try row.next() ? row.int64(0) : .min
    }
}

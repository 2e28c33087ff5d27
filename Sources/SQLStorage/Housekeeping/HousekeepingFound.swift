package import GatewayModel
package import GatewayStorage

/// The rows that a search has found, to be removed.
///
/// Searches run on a reader, in short reads of a range of keys, so that neither the writer nor the checkpoints wait.
package struct HousekeepingFound: Sendable {
    /// The keys of rows.
    package var rows: [Int64] = []
    /// The position at which the next batch continues; nil at the end of the pass.
    package var next: HousekeepingPosition?
    /// No older message of the brand is left; nil leaves the mark unchanged.
    package var mark: (brand: Int64, message: Int64)?
    /// The moment before which the rows are old enough, where a batch is of one brand.
    package var before: Timestamp?

    /// The upper bound of the rows of one read: about 10 ms.
    package static let rowsPerRead = 10_000

    /// Creates the result of a search that has found nothing yet.
    package init(before: Timestamp? = nil) { self.before = before }
}

extension HousekeepingBatch {
    /// Returns the remaining brands of a pass, each with the row after which it continues.
    package func remaining(
        of brands: [BrandID: Timestamp]
    ) -> [(brand: BrandID, before: Timestamp, after: Int64)] {
        brands.filter { $0.key.rawValue >= position?.brand?.rawValue ?? "" }
            .sorted { $0.key.rawValue < $1.key.rawValue }
            .map { (brand: $0, before: $1, after: $0 == position?.brand ? position?.row ?? .min : .min) }
    }
}

extension SQLConnection {
    /// Finds outbox rows that are in no lane and past their expiry, the earliest expiry first.
    package func expired(_ batch: HousekeepingBatch) throws -> HousekeepingFound {
        var found = HousekeepingFound()
        found.rows = try prepare(
            """
            SELECT id FROM outbox WHERE (owner IS NULL OR held = 1) AND expires_at <= ? ORDER BY expires_at, id LIMIT ?
            """
        ).time(batch.now).int(batch.limit).integers()
        // The found rows are removed by then, or in a lane.
        if found.rows.count == batch.limit { found.next = HousekeepingPosition(row: (batch.position?.row ?? 0) + 1) }
        return found
    }

    /// Finds campaigns whose newest message is old enough, brand by brand.
    package func campaigns(
        _ batch: HousekeepingBatch,
        before: [BrandID: Timestamp]
    ) throws -> HousekeepingFound {
        for (brand, before, after) in batch.remaining(of: before) {
            guard let key = try brandKey(brand) else { continue }
            var found = HousekeepingFound(before: before)
            found.rows = try prepare(
                "SELECT id FROM campaigns WHERE brand = ? AND id > ? AND last_at < ? ORDER BY id LIMIT ?"
            ).int(key).int(after).time(before).int(batch.limit).integers()
            guard let last = found.rows.last else { continue }
            found.next = HousekeepingPosition(brand: brand, row: last)
            return found
        }
        return HousekeepingFound()
    }

    /// Finds resolved conversations without messages, brand by brand in the order in which they came to rest.
    ///
    /// Their keys hold times (RFC 9562 section 5.7).
    package func conversations(
        _ batch: HousekeepingBatch,
        before: [BrandID: Timestamp]
    ) throws -> HousekeepingFound {
        for (brand, before, after) in batch.remaining(of: before) {
            guard let key = try brandKey(brand) else { continue }
            var found = HousekeepingFound(before: before)
            var (seen, last) = (0, nil as Int64?)
            let rows = try prepare(
                """
                SELECT c.key, c.last_message, EXISTS (SELECT 1 FROM conversation_heads h WHERE h.conversation = c.key \
                AND (h.last_message >= ?3 \
                OR EXISTS (SELECT 1 FROM messages m WHERE m.key = h.last_message AND m.conversation = c.key))) \
                FROM conversations c WHERE c.brand = ?1 AND c.resolved = 1 \
                AND c.last_message > ?2 AND c.last_message < ?3 ORDER BY c.last_message
                """
            ).int(key).int(after).int(before.firstMessageKey)
            defer { rows.end() }
            while try rows.next() {
                seen += 1
                let isUsed: Bool = try rows.value(2)
                if !isUsed { found.rows.append(try rows.value(0)) }
                if seen == HousekeepingFound.rowsPerRead || found.rows.count == batch.limit {
                    last = try rows.value(1)
                    break
                }
            }
            guard last != nil || !found.rows.isEmpty else { continue }
            // After a whole brand the next one is found by a batch of its own.
            found.next = HousekeepingPosition(brand: brand, row: last ?? .max)
            return found
        }
        return HousekeepingFound()
    }
}

extension Timestamp {
    /// The first half of the lowest message id of a time.
    var firstMessageKey: Int64 { min(max(milliseconds, 0), Int64.max >> 16) << 16 }
}

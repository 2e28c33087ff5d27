import GatewayModel
import GatewayStorage
import SQLStorage
import TurnRules

extension HousekeepingSearch {
    /// Returns the first consumer that is being erased, with items of the outbound feed that name it.
    func erasure(limit: Int) throws -> ErasureWork? {
        let row = try db.prepare(
            """
            SELECT consumer, brand, id, outbound_next, outbound_through FROM erasures WHERE removed = 0 \
            ORDER BY consumer LIMIT 1
            """
        )
        guard try row.next() else { return nil }
        var work = ErasureWork(
            consumer: row.int64(0),
            brand: row.int64(1),
            outboundNext: row.int64(3),
            outboundThrough: row.int64(4)
        )
        let name = row.string(2)
        let rows = try db.prepare(
            once: """
                SELECT position FROM outbound INDEXED BY outbound_consumer WHERE brand = ?2 \
                AND json_extract(data, '$.consumer') = ?1 AND position > ?3 AND position <= ?4 ORDER BY position LIMIT \(limit)
                """
        ).text(name).int(work.brand).int(work.outboundNext).int(work.outboundThrough)
        while try rows.next() { work.items.append(rows.int64(0)) }
        work.outboundNext = work.items.count == limit ? work.items.last ?? work.outboundNext : work.outboundThrough
        return work
    }
}

extension HousekeepingSearch {
    /// Whether consumers were removed from the tables that the WAL may still contain.
    func isLogToBeCutOff() throws -> Bool {
        try db.prepare("SELECT 1 FROM erasures WHERE removed = 1 LIMIT 1").hasRow()
    }
}

extension Writer {
    /// Deletes the records of consumers of which nothing is left in any file.
    func removeErasures() throws {
        try db.prepare("DELETE FROM erasures WHERE removed = 1").run()
    }

    /// Returns its deliveries in the log without a stored message, and those that are not in the filter indexes yet.
    func loggedDeliveries(of consumer: Int64, brand: Int64, limit: Int) throws -> [Int64] {
        let indexed = try db.prepare(
            """
            SELECT id FROM delivery_log INDEXED BY delivery_log_alone WHERE indexed = 1 \
            AND (message IS NULL OR message_low IS NOT NULL) AND consumer = ? LIMIT ?
            """
        ).int(consumer).int(limit).integers()
        guard indexed.count < limit else { return indexed }
        let others = try db.prepare(
            """
            SELECT id FROM delivery_log INDEXED BY delivery_log_change WHERE brand = ? \
            AND change > coalesce((SELECT indexed FROM log_marks), 0) AND indexed = 0 AND consumer = ? LIMIT ?
            """
        ).int(brand).int(consumer).int(limit - indexed.count)
        return try indexed + others.integers()
    }

    func removeClientIDs(of consumer: Int64, brand: Int64, limit: Int) throws -> Int {
        try loadReplays()
        let keys = ClientRequest.keys(of: consumer)
        var removed = 0
        for bucket in replays.buckets where removed < limit {
            let count = try db.prepare(
                """
                DELETE FROM dedupe WHERE day = ?1 AND brand = ?2 AND event >= ?3 AND event <= (SELECT max(event) FROM \
                (SELECT event FROM dedupe WHERE day = ?1 AND brand = ?2 AND event >= ?3 AND event < ?5 \
                ORDER BY event LIMIT ?4))
                """
            ).int(bucket).int(brand).text(keys.lowerBound).int(limit - removed).text(keys.upperBound).runCounting()
            if count > 0 { try noteRemoved(from: bucket) }
            removed += count
        }
        return removed
    }
}

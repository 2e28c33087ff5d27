import GatewayModel
import GatewayStorage
import TurnRules

/// The remaining work for one erased consumer.
struct ErasureWork: Sendable {
    var consumer: Int64
    var brand: Int64
    /// Items of the outbound feed that name it.
    var items: [Int64] = []
    /// The position up to which the feed was searched.
    var outboundNext: Int64
    /// Items after this position belong to another consumer, which has its id since.
    var outboundThrough: Int64
}

extension HousekeepingSearch {
    /// Returns the first consumer that is being erased, with items of the outbound feed that name it.
    func erasure(limit: Int) throws -> ErasureWork? {
        let row = try Statement(
            db,
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
        let rows = try Statement(
            db,
            """
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
        let row = try Statement(db, "SELECT 1 FROM erasures WHERE removed = 1 LIMIT 1")
        return try row.next()
    }
}

extension Writer {
    /// Removes rows of an erased consumer, at most `limit`; when nothing is left, records it.
    ///
    /// Ids of back-ends' events stay for their retention: they name nobody, and without them a repeated event would
    /// create the consumer again.
    func removeErased(_ work: ErasureWork, limit: Int) throws -> Int {
        var room = limit
        for position in work.items {
            // The item stays, because positions are dense.
            try db.prepare("UPDATE outbound SET data = '{\"erased\":true}' WHERE brand = ? AND position = ?")
                .int(work.brand).int(position).run()
            room -= 1
        }
        try db.prepare("UPDATE erasures SET outbound_next = ? WHERE consumer = ?")
            .int(work.outboundNext).int(work.consumer).run()
        let deliveries = room > 0 ? try loggedDeliveries(of: work, limit: room) : []
        if !deliveries.isEmpty { room -= try removeDeliveries(deliveries) }
        try keepHighMark()
        while room > 0,
            let conversation = try first("SELECT key FROM conversations WHERE consumer = ? LIMIT 1", work.consumer)
        {
            for key in try newestMessages(in: conversation, limit: room) where room > 0 {
                let deliveries = try keys("SELECT id FROM delivery_log WHERE message = ? LIMIT ?", key, room)
                if !deliveries.isEmpty { room -= try removeDeliveries(deliveries) }
                guard room > 0 else { break }
                try removeMessage(key)
                room -= 1
            }
            guard room > 0 else { break }
            try removeConversation(conversation)
            room -= 1
        }
        if room > 0 { room -= try removeArchived(of: work, limit: room) }
        try loadReplays()
        for bucket in replays.buckets where room > 0 {
            room -= try removeClientIDs(of: work, bucket: bucket, limit: room)
        }
        if room > 0, work.outboundNext == work.outboundThrough {
            try db.prepare("UPDATE erasures SET removed = 1, id = '' WHERE consumer = ?").int(work.consumer).run()
        }
        return limit - room
    }

    /// Deletes the records of consumers of which nothing is left in any file.
    func removeErasures() throws {
        try db.prepare("DELETE FROM erasures WHERE removed = 1").run()
    }

    /// Returns its deliveries in the log without a stored message, and those that are not in the filter indexes yet.
    private func loggedDeliveries(of work: ErasureWork, limit: Int) throws -> [Int64] {
        let indexed = try keys(
            """
            SELECT id FROM delivery_log INDEXED BY delivery_log_alone WHERE indexed = 1 \
            AND (message IS NULL OR message_low IS NOT NULL) AND consumer = ? LIMIT ?
            """,
            work.consumer,
            limit
        )
        guard indexed.count < limit else { return indexed }
        var ids = indexed
        let rows = try db.prepare(
            """
            SELECT id FROM delivery_log INDEXED BY delivery_log_change WHERE brand = ? \
            AND change > coalesce((SELECT indexed FROM log_marks), 0) AND indexed = 0 AND consumer = ? LIMIT ?
            """
        ).int(work.brand).int(work.consumer).int(limit - indexed.count)
        while try rows.next() { ids.append(rows.int64(0)) }
        return ids
    }

    private func removeArchived(of work: ErasureWork, limit: Int) throws -> Int {
        try db.prepare(
            """
            DELETE FROM resting_conversations WHERE brand = ?1 AND consumer = ?2 AND id <= (SELECT max(id) FROM \
            (SELECT id FROM resting_conversations WHERE brand = ?1 AND consumer = ?2 ORDER BY id LIMIT ?3))
            """
        ).int(work.brand).int(work.consumer).int(limit).run()
        return db.changedRows
    }

    private func removeClientIDs(of work: ErasureWork, bucket: Int64, limit: Int) throws -> Int {
        let keys = ClientRequest.keys(of: work.consumer)
        try db.prepare(
            """
            DELETE FROM dedupe WHERE day = ?1 AND brand = ?2 AND event >= ?3 AND event <= (SELECT max(event) FROM \
            (SELECT event FROM dedupe WHERE day = ?1 AND brand = ?2 AND event >= ?3 AND event < ?5 \
            ORDER BY event LIMIT ?4))
            """
        ).int(bucket).int(work.brand).text(keys.lowerBound).int(limit).text(keys.upperBound)
            .run()
        let removed = db.changedRows
        if removed > 0 { try noteRemoved(from: bucket) }
        return removed
    }
}

/// The remaining work for one erased consumer.
package struct ErasureWork: Sendable {
    /// The consumer's former key.
    package let consumer: Int64
    /// The key of its brand.
    package let brand: Int64
    /// The positions of items of the outbound feed that name it.
    package var items: [Int64] = []
    /// The position up to which the feed was searched.
    package var outboundNext: Int64
    /// Items after this position belong to another consumer, which has its id since.
    package let outboundThrough: Int64

    /// Creates the work for a consumer of whose items none was searched for.
    package init(consumer: Int64, brand: Int64, outboundNext: Int64, outboundThrough: Int64) {
        self.consumer = consumer
        self.brand = brand
        self.outboundNext = outboundNext
        self.outboundThrough = outboundThrough
    }
}

extension SQLTransaction {
    /// Removes rows of an erased consumer; when nothing is left, records it.
    ///
    /// Ids of back-ends' events stay for their retention: they name nobody, and without them a repeated event would
    /// create the consumer again.
    ///
    /// - Parameters:
    ///   - work: The consumer, with items of the feed that name it.
    ///   - limit: At most this many rows.
    /// - Returns: The number of removed rows.
    /// - Throws: An error of the engine.
    package func removeErased(_ work: ErasureWork, limit: Int) throws -> Int {
        var room = limit
        for position in work.items {
            // The item stays, because positions are dense.
            try db.prepare("UPDATE outbound SET data = '{\"erased\":true}' WHERE brand = ? AND position = ?")
                .int(work.brand).int(position).run()
            room -= 1
        }
        try db.prepare("UPDATE erasures SET outbound_next = ? WHERE consumer = ?")
            .int(work.outboundNext).int(work.consumer).run()
        let deliveries = room > 0 ? try loggedDeliveries(of: work.consumer, brand: work.brand, limit: room) : []
        if !deliveries.isEmpty { room -= try removeDeliveries(deliveries) }
        try keepHighMark()
        while room > 0,
            let key = try db.prepare("SELECT key FROM conversations WHERE consumer = ? LIMIT 1").int(work.consumer)
                .integer()
        {
            try removeConversation(key, &room)
        }
        if room > 0 { room -= try removeArchived(of: work, limit: room) }
        if room > 0 { room -= try removeCustomer(work.consumer, limit: room) }
        if room > 0 { room -= try removeClientIDs(of: work.consumer, brand: work.brand, limit: room) }
        if room > 0, work.outboundNext == work.outboundThrough {
            try db.prepare("UPDATE erasures SET removed = 1, id = '' WHERE consumer = ?").int(work.consumer).run()
        }
        return limit - room
    }

    private func removeArchived(of work: ErasureWork, limit: Int) throws -> Int {
        try db.prepare(
            """
            DELETE FROM resting_conversations WHERE brand = ?1 AND consumer = ?2 AND id <= (SELECT max(id) FROM \
            (SELECT id FROM resting_conversations WHERE brand = ?1 AND consumer = ?2 ORDER BY id LIMIT ?3) AS first)
            """
        ).int(work.brand).int(work.consumer).int(limit).runCounting()
    }
}

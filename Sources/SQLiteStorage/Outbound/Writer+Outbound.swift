import GatewayModel
import GatewayStorage
import SQLStorage

/// Items of the outbound feed, stored in the transaction of the change.
extension Writer {
    /// Publishes an item to a brand's readers, if it has any.
    func publish(_ brand: Int64, at now: Timestamp, _ fact: @autoclosure () -> OutboundFact) throws {
        guard let id = try outboundMemory().readers[brand] else { return }
        let fact = fact()
        let position = try nextPosition(brand)
        try db.prepare("INSERT INTO outbound (brand, position, type, time, data) VALUES (?, ?, ?, ?, ?)")
            .int(brand).int(position).text(fact.type.rawValue).int(now.milliseconds).text(fact.data.text).run()
        memory.outbound?.next[brand] = position + 1
        published[id, default: 0] += 1
    }

    func hasReaders() throws -> Bool { try !outboundMemory().readers.isEmpty }

    /// Publishes a delivery that has just moved to the log, if it failed or expired.
    func publishFailed(_ delivery: Int64, at now: Timestamp) throws {
        guard try hasReaders() else { return }
        let row = try db.prepare(
            """
            SELECT d.brand, d.message, m.low, u.id, d.app, d.device, d.push_type, d.state, d.status, d.reason, d.attempts \
            FROM delivery_log d JOIN consumers u ON u.key = d.consumer LEFT JOIN messages m ON m.key = d.message \
            WHERE d.id = ? AND d.state IN ('failed', 'expired')
            """
        ).int(delivery)
        guard try row.next() else { return }
        let brand = row.int64(0)
        let low = row.optionalInt64(2)
        let failed = OutboundFact.FailedDelivery(
            id: delivery,
            message: row.optionalInt64(1).flatMap { high in
                low.map { MessageID(high: UInt64(bitPattern: high), low: UInt64(bitPattern: $0)) }
            },
            consumer: row.string(3),
            app: row.string(4),
            device: row.string(5),
            provider: row.string(6),
            state: row.string(7),
            status: row.optionalInt64(8),
            reason: row.optionalString(9),
            attempts: row.int64(10)
        )
        row.end()
        try publish(brand, at: now, .failed(failed))
    }

    // MARK: Readers and positions

    /// Forgets the readers; called when a subscription or a webhook was added or removed.
    func readersChanged() { memory.outbound = nil }

    private func outboundMemory() throws -> OutboundMemory {
        if let known = memory.outbound { return known }
        var found = OutboundMemory(readers: [:])
        let rows = try db.prepare(
            """
            SELECT b.key, b.id FROM brands b WHERE EXISTS (SELECT 1 FROM subscriptions s WHERE s.brand = b.key) \
            OR EXISTS (SELECT 1 FROM webhook_states w WHERE w.brand = b.key)
            """
        )
        while try rows.next() { found.readers[rows.int64(0)] = BrandID(trusted: rows.string(1)) }
        memory.outbound = found
        return found
    }

    private func nextPosition(_ brand: Int64) throws -> Int64 {
        if let next = memory.outbound?.next[brand] { return next }
        return try db.outboundEnds(brand).end + 1
    }
}

package import GatewayModel
package import GatewayStorage

/// The number of devices, those that are due first, in whose rows the oldest is searched.
private let searchedDevices = 100

extension DeliveryLogStore where Self: SQLStore {
    package func laneDepths(_ lanes: [LaneID]) async throws(StorageError) -> [LaneDepth] {
        let most = min(LaneDepth.maxDevices, max(LaneDepth.maxDevicesOfAll / max(lanes.count, 1), searchedDevices))
        return try await inSnapshot { db in try lanes.map { try db.depth(of: $0, countingAtMost: most) } }
    }
}

extension SQLReader {
    fileprivate func depth(of lane: LaneID, countingAtMost most: Int) throws -> LaneDepth {
        var depth = LaneDepth()
        for pushClass in PushClass.allCases {
            let queues = Self.queues(of: pushClass)
            let counts = try prepare(
                """
                SELECT count(*), CAST(coalesce(sum(w.rows), 0) AS BIGINT) FROM (SELECT rows FROM waiting \
                WHERE lane = ?1 AND queue >= ?2 AND queue <= ?3 AND due IS NOT NULL LIMIT ?4) w
                """
            ).int(lane.rawValue).int(queues.lowerBound).int(queues.upperBound).int(most + 1)
                .first { row in
                    let devices: Int64 = try row.value(0)
                    let rows: Int64 = try row.value(1)
                    return (devices: devices, rows: rows)
                }
            guard let counts, counts.rows > 0 else { continue }
            depth.rows[pushClass] = counts.rows
            if counts.devices > most { depth.isWhole = false }
            let oldest: Timestamp? =
                try prepare(
                    """
                    SELECT min(f.queued) FROM (SELECT (SELECT o.queued_at FROM outbox o WHERE o.registration = w.registration \
                    AND o.queue = w.queue AND o.owner IS NULL ORDER BY o.id LIMIT 1) AS queued FROM waiting w \
                    WHERE w.lane = ?1 AND w.queue >= ?2 AND w.queue <= ?3 AND w.due IS NOT NULL \
                    ORDER BY w.queue, w.due LIMIT ?4) f
                    """
                ).int(lane.rawValue).int(queues.lowerBound).int(queues.upperBound).int(searchedDevices)
                .first { row -> Timestamp? in try row.value(0) } ?? nil
            depth.oldestQueuedAt = [depth.oldestQueuedAt, oldest].compactMap(\.self).min()
        }
        return depth
    }

    private static func queues(of pushClass: PushClass) -> ClosedRange<Int64> {
        switch pushClass {
        case .agent: OutboxQueue.agent.rawValue...OutboxQueue.agent.rawValue
        case .badge: OutboxQueue.badge.rawValue...OutboxQueue.badge.rawValue
        case .proactive: OutboxQueue.proactive(campaign: nil).rawValue...Int64.max
        }
    }
}

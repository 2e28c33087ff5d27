import GatewayModel
import GatewayStorage

/// Rows that wait for longer than others: what becomes of them at a claim, and when they need wait no longer.
extension SimulatedStore {
    /// Of a device's due agents' messages, the newest stands for all when they are too many.
    mutating func summarize(_ ids: [Int64], above threshold: Int, now: Timestamp) -> Set<Int64> {
        var ended: Set<Int64> = []
        for key in Set(ids.map { delivery($0).registration }) {
            var waiting = (registration(key)?.pending ?? []).filter { id in
                let row = delivery(id)
                return row.owner == nil && row.due <= now && row.expiresAt > now && row.message?.kind == .agent
                    && row.message?.silent == false
            }
            let count = waiting.reduce(0) { $0 + max(delivery($1).summary, 1) }
            let oldest = waiting.map { delivery($0).queuedAt }.min() ?? now
            guard waiting.count > 1, count > threshold, let newest = waiting.popLast(),
                now >= oldest.adding(seconds: ClaimRequest.summaryAfterSeconds)
            else { continue }
            if flaw != .forgetsSummaries { change(newest) { $0.summary = count } }
            for id in waiting {
                withdraw(id, .suppressed, by: .collapsed)
                ended.insert(id)
            }
        }
        return ended
    }

    /// Makes waiting rows of a lane due, in the order in which they would have become so.
    mutating func requeue(_ request: RequeueRequest, now: Timestamp) -> Int {
        let waiting = pending.filter { id in
            delivery(id).lane == request.lane && delivery(id).owner == nil && delivery(id).due > now
        }
        let ids = waiting.sorted { (delivery($0).due, $0) < (delivery($1).due, $1) }.prefix(request.limit)
        for id in ids { change(id) { $0.due = now } }
        return ids.count
    }
}

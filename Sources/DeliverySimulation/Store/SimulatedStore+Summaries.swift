import GatewayModel
import GatewayStorage

/// Rows that wait for longer than others: what becomes of them at a claim, and when they need wait no longer.
extension SimulatedStore {
    /// All due rows of the devices whose rows are due first, after each conversation was put together where a device has too
    /// many.
    ///
    /// No run has so many that a claim could not end them all.
    mutating func wholeDevices(_ ids: [Int64], limit: Int, above threshold: Int, now: Timestamp) -> [Int64] {
        var whole: [Int64] = []
        var seen: Set<Int64> = []
        for id in ids where whole.count < limit && isPending(id) {
            let key = delivery(id).registration
            guard seen.insert(key).inserted else { continue }
            summarize(key, above: threshold, now: now)
            let all = (registration(key)?.pending ?? []).filter { delivery($0).owner == nil && delivery($0).due <= now }
            if whole.count + all.count <= limit {
                whole += all
            } else if whole.isEmpty {
                whole += all.prefix(limit)
            }
        }
        return whole
    }

    /// Of a device's due agents' messages, the newest of each conversation stands for all of it when they are too many.
    private mutating func summarize(_ key: Int64, above threshold: Int, now: Timestamp) {
        let waiting = (registration(key)?.pending ?? []).filter { id in
            let row = delivery(id)
            return row.owner == nil && row.due <= now && row.expiresAt > now && row.message?.kind == .agent
                && row.message?.silent == false
        }
        let count = waiting.reduce(0) { $0 + max(delivery($1).summary, 1) }
        let oldest = waiting.map { delivery($0).queuedAt }.min() ?? now
        let conversations = Set(waiting.compactMap { delivery($0).conversation }).sorted()
        guard waiting.count > conversations.count, count > threshold,
            now >= oldest.adding(seconds: ClaimRequest.summaryAfterSeconds)
        else { return }
        for conversation in conversations {
            var waiting = waiting.filter { delivery($0).conversation == conversation }
            let count = waiting.reduce(0) { $0 + max(delivery($1).summary, 1) }
            let expiresAt = waiting.map { delivery($0).expiresAt }.max() ?? now
            guard waiting.count > 1, let newest = waiting.popLast() else { continue }
            if flaw != .forgetsSummaries { change(newest) { $0.summary = count } }
            change(newest) { $0.expiresAt = expiresAt }
            for id in waiting { withdraw(id, .suppressed, by: .collapsed) }
        }
    }

    /// Makes rows of a lane due that wait for quiet hours only, in the order in which they would have become so.
    mutating func requeue(_ request: RequeueRequest, now: Timestamp) -> Int {
        let waiting = pending.filter { id in
            delivery(id).lane == request.lane && delivery(id).owner == nil && delivery(id).due > now
                && delivery(id).due > delivery(id).notBefore
        }
        let ids = waiting.sorted { (delivery($0).due, $0) < (delivery($1).due, $1) }.prefix(request.limit)
        for id in ids { change(id) { $0.due = max(now, $0.notBefore) } }
        return ids.count
    }
}

import GatewayModel
import GatewayStorage

/// Rows that wait for longer than others: how they are handed out, and when they need wait no longer.
extension SimulatedStore {
    /// All due rows of the devices whose rows are due first.
    func wholeDevices(_ ids: [Int64], limit: Int, most: Int, now: Timestamp) -> [Int64] {
        var whole: [Int64] = []
        var seen: Set<Int64> = []
        for id in ids {
            let key = delivery(id).registration
            guard seen.insert(key).inserted else { continue }
            let all = (registration(key)?.pending ?? []).filter { delivery($0).owner == nil && delivery($0).due <= now }
            let summed = all.count { delivery($0).message?.kind == .agent && delivery($0).message?.silent == false }
            let room = whole.isEmpty ? (summed > limit ? max(most, limit) : limit) : limit - whole.count
            guard room > 0 else { break }
            if all.count > room, !whole.isEmpty { break }
            whole += all.prefix(room)
        }
        return whole
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

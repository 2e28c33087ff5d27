import GatewayModel
import GatewayStorage

/// Rows that nobody owns: until when those of a device wait, and how they are handed out.
extension SimulatedStore {
    /// A row waits with those of its device that do; where none does, it is due.
    mutating func addWaiting(of registration: Int64, lane: LaneID, _ context: inout Context) {
        let wait = waiting[registration] ?? Wait(lane: lane, due: now, notBefore: Timestamp(milliseconds: 0))
        waiting[registration] = wait
        note(wait, of: registration)
    }

    /// A row that nobody owned is gone.
    mutating func removeWaiting(of registration: Int64) {
        guard !rows(of: registration).contains(where: { $0.owner == nil }) else { return }
        waiting[registration] = nil
        waitingNow.remove(registration)
    }

    /// What was left of a device is due, if it does not wait for another reason by now.
    mutating func recall(_ registration: Int64) {
        guard var wait = waiting[registration], wait.due == nil else { return }
        wait.due = max(now, wait.notBefore)
        waiting[registration] = wait
        note(wait, of: registration)
    }

    mutating func claim(_ request: ClaimRequest, _ context: inout Context) -> ClaimResult {
        let due = waiting.filter { $0.value.lane == request.lane && $0.value.due.map { $0 <= now } == true }
        let devices = due.sorted { ($0.value.due ?? now, $0.key) < ($1.value.due ?? now, $1.key) }.map(\.key)
        var rows: [OutboxRow] = []
        var behind: [RegistrationID] = []
        for key in devices.prefix(request.limit) where rows.count < request.limit {
            let free = (registration(key)?.pending ?? []).filter { delivery($0).owner == nil }
            guard let room = room(for: key, free, request, claimed: rows.count, context) else { break }
            let notBefore = waiting[key]?.notBefore ?? Timestamp(milliseconds: 0)
            for id in free.prefix(room) {
                change(id) {
                    $0.owner = context.incarnation
                    $0.notBefore = notBefore
                }
                rows.append(row(id))
            }
            if free.count <= room {
                waiting[key] = nil
            } else if case .limited = request.deviceRows {
                waiting[key]?.due = nil
                behind.append(RegistrationID(key))
            }
        }
        let next = waiting.values.filter { $0.lane == request.lane }.compactMap(\.due).min()
        return ClaimResult(lane: request.lane, rows: rows, nextDue: next, behind: behind)
    }

    /// How many rows of a device are handed out at most; nil when it waits for a later claim, and those behind it.
    private func room(
        for registration: Int64,
        _ free: [Int64],
        _ request: ClaimRequest,
        claimed: Int,
        _ context: Context
    ) -> Int? {
        let left = request.limit - claimed
        switch request.deviceRows {
        case .any: return left
        case .limited(let limit):
            return max(min(left, limit - (context.rowsInMemory[RegistrationID(registration)] ?? 1)), 0)
        case .whole(let most):
            guard free.count > left else { return left }
            guard claimed == 0 else { return nil }
            let summed = free.count { delivery($0).message?.kind == .agent && delivery($0).message?.silent == false }
            return summed > left ? most : left
        }
    }

    /// Makes devices of a lane due that wait for quiet hours only, in the order in which they would have become so.
    mutating func requeue(_ request: RequeueRequest) -> Int {
        let found = waiting.filter { _, wait in
            guard let due = wait.due else { return false }
            return wait.lane == request.lane && due > now && due > wait.notBefore
        }
        let keys = found.sorted { ($0.value.due ?? now, $0.key) < ($1.value.due ?? now, $1.key) }.prefix(request.limit)
        for (key, wait) in keys { waiting[key]?.due = max(now, wait.notBefore) }
        return keys.count
    }

    private func rows(of registration: Int64) -> [Delivery] {
        (self.registration(registration)?.pending ?? []).map(delivery)
    }

    private mutating func note(_ wait: Wait, of registration: Int64) {
        waitingNow.insert(registration)
        guard let due = wait.due else { return }
        backlog[wait.lane] = min(backlog[wait.lane] ?? due, due)
    }
}

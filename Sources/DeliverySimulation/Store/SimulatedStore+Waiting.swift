import GatewayModel
import GatewayStorage

/// Rows that nobody owns: until when those of a device wait, and how they are handed out.
extension SimulatedStore {
    /// A row waits with those of its device and queue that do; where none does, it is due, unless its device is to be left alone.
    mutating func addWaiting(_ queue: OutboxQueue, of registration: Int64, lane: LaneID) {
        let key = WaitKey(registration: registration, queue: queue)
        if waiting[key] == nil {
            let others = waits(of: registration).compactMap { waiting[$0] }
            let notBefore = others.map(\.notBefore).max() ?? Timestamp(milliseconds: 0)
            let due = ([now, notBefore] + others.compactMap(\.due)).max() ?? now
            waiting[key] = Wait(lane: lane, due: due, notBefore: notBefore)
        }
        note(key)
    }

    /// A row that nobody owned is gone.
    mutating func removeWaiting(_ queue: OutboxQueue, of registration: Int64) {
        guard free(registration, queue).isEmpty else { return }
        waiting[WaitKey(registration: registration, queue: queue)] = nil
        if waitingNow[registration] == queue { waitingNow[registration] = nil }
    }

    /// Rows of a device went back to the store: no row of it is due before they are.
    mutating func putOff(_ registration: Int64, until due: Timestamp, notBefore: Timestamp) {
        for key in waits(of: registration) {
            guard var wait = waiting[key] else { continue }
            wait.due = max(wait.due ?? due, due)
            wait.notBefore = max(wait.notBefore, notBefore)
            waiting[key] = wait
            note(key)
        }
    }

    /// What was left of a device is due, if it does not wait for another reason by now.
    mutating func recall(_ registration: Int64) {
        for key in waits(of: registration) {
            guard let wait = waiting[key], wait.due == nil else { continue }
            waiting[key]?.due = max(now, wait.notBefore)
            note(key)
        }
    }

    /// Whether a new row of a device must wait: behind others of its queue or of one before it, or because its device is to be left
    /// alone.
    func mustWait(_ registration: Int64, _ queue: OutboxQueue) -> Bool {
        waits(of: registration).contains { key in
            key.queue <= queue || (waiting[key].map { $0.due ?? $0.notBefore } ?? now) > now
        }
    }

    mutating func claim(_ request: ClaimRequest, _ context: inout Context) -> ClaimResult {
        let due = waiting.filter {
            $0.value.lane == request.lane && $0.key.queue == request.queue && $0.value.due.map { $0 <= now } == true
        }
        let devices = due.sorted {
            if flaw == .favoursDevices { return $0.key.registration < $1.key.registration }
            return ($0.value.due ?? now, $0.key.registration) < ($1.value.due ?? now, $1.key.registration)
        }.map(\.key)
        var rows: [OutboxRow] = []
        var behind: [RegistrationID] = []
        for key in devices.prefix(request.limit) where rows.count < request.limit {
            let free = free(key.registration, key.queue)
            guard let room = room(for: key.registration, free, request, claimed: rows.count, context) else { break }
            let notBefore = waiting[key]?.notBefore ?? Timestamp(milliseconds: 0)
            let due = waiting[key]?.due ?? now
            for id in free.prefix(room) {
                change(id) {
                    $0.owner = context.incarnation
                    $0.notBefore = notBefore
                    $0.claimedAt = due
                }
                // What is left of a deleted brand goes to nobody.
                guard isListed(delivery(id)) else { continue }
                rows.append(row(id))
                context.ownedOf[key.registration, default: 0] += 1
            }
            if free.count <= room {
                waiting[key] = nil
            } else if case .limited = request.deviceRows {
                waiting[key]?.due = nil
                behind.append(RegistrationID(key.registration))
            }
        }
        let left = waiting.filter { $0.value.lane == request.lane && $0.key.queue == request.queue }
        let next = left.values.compactMap(\.due).min()
        return ClaimResult(lane: request.lane, queue: request.queue, rows: rows, nextDue: next, behind: behind)
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
            let most = limit.most(request.queue.pushClass)
            return max(min(left, most - rowsInMemory(of: registration, context)), 0)
        case .whole(let most):
            guard free.count > left else { return left }
            guard claimed == 0 else { return nil }
            let summed = free.count { delivery($0).message?.kind == .agent && delivery($0).message?.silent == false }
            return summed > left ? most : left
        }
    }

    /// How many rows of a device are in memory, at most, with those of this turn.
    func rowsInMemory(of registration: Int64, _ context: Context) -> Int {
        (context.rowsInMemory[RegistrationID(registration)] ?? 1) + (context.ownedOf[registration] ?? 0)
    }

    /// Makes devices of a lane due that wait for quiet hours only, queue by queue in the order in which they would have become so.
    mutating func requeue(_ request: RequeueRequest) -> Int {
        var count = 0
        for queue in request.queues {
            let found = waiting.filter { key, wait in
                guard let due = wait.due else { return false }
                return wait.lane == request.lane && key.queue == queue && due > now && due > wait.notBefore
            }
            let keys = found.sorted {
                ($0.value.due ?? now, $0.key.registration) < ($1.value.due ?? now, $1.key.registration)
            }.prefix(request.limit - count)
            for (key, wait) in keys {
                waiting[key]?.due = max(now, wait.notBefore)
                note(key)
            }
            count += keys.count
        }
        return count
    }

    /// Makes a device due that waits for quiet hours only.
    mutating func requeue(_ registration: Int64) {
        for key in waits(of: registration) {
            guard let wait = waiting[key], let due = wait.due, due > now, due > wait.notBefore else { continue }
            waiting[key]?.due = max(now, wait.notBefore)
            note(key)
        }
    }

    /// Makes a consumer's devices due that wait for quiet hours only.
    mutating func requeue(devicesOf consumer: Int64) {
        for key in consumers[Int(consumer) - 1].registrations {
            if let found = registration(key), hasLane(found) { requeue(key) }
        }
    }

    /// The rows of a device in a queue that nobody owns, oldest first.
    private func free(_ registration: Int64, _ queue: OutboxQueue) -> [Int64] {
        (self.registration(registration)?.pending ?? []).filter {
            delivery($0).owner == nil && delivery($0).queue == queue
        }
    }

    /// The queues in which a device has rows that wait; in order, so that one seed is one run.
    func waits(of registration: Int64) -> [WaitKey] {
        waiting.keys.filter { $0.registration == registration }.sorted { $0.queue < $1.queue }
    }

    private mutating func note(_ key: WaitKey) {
        waitingNow[key.registration] = min(waitingNow[key.registration] ?? key.queue, key.queue)
        guard let wait = waiting[key], let due = wait.due else { return }
        noteBacklog(LaneQueue(wait.lane, key.queue), due: due)
    }

    mutating func noteBacklog(_ queue: LaneQueue, due: Timestamp) { backlog[queue] = min(backlog[queue] ?? due, due) }
}

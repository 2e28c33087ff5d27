import GatewayModel
import GatewayStorage

/// Rows without an owner: the waits of each device's rows, and how they are handed out.
extension SimulatedStore {
    /// Adds a waiting row to those of its device and queue; if there are none, it is due, unless its device must be
    /// left alone.
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

    /// Removes a row that had no owner.
    mutating func removeWaiting(_ queue: OutboxQueue, of registration: Int64) {
        guard free(registration, queue).isEmpty else { return }
        waiting[WaitKey(registration: registration, queue: queue)] = nil
        if waitingNow[registration] == queue { waitingNow[registration] = nil }
    }

    /// Delays the rows of a device after some were requeued: none of them is due before those.
    mutating func putOff(_ registration: Int64, until due: Timestamp, notBefore: Timestamp) {
        for key in waits(of: registration) {
            guard var wait = waiting[key] else { continue }
            wait.due = max(wait.due ?? due, due)
            wait.notBefore = max(wait.notBefore, notBefore)
            waiting[key] = wait
            note(key)
        }
    }

    /// Makes the rows that a claim left of a device due, unless they wait for another reason by now.
    mutating func recall(_ registration: Int64) {
        for key in waits(of: registration) {
            guard let wait = waiting[key], wait.due == nil else { continue }
            waiting[key]?.due = max(now, wait.notBefore)
            note(key)
        }
    }

    /// Returns whether a new row of a device must wait: behind others of its queue or of an earlier one, or because its
    /// device must be left alone.
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
                // Remaining rows of a deleted brand are not handed out.
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

    /// Returns the most rows of a device that are handed out; nil when it waits for a later claim, as do those behind
    /// it.
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
            let summed = free.count { delivery($0).message?.countsAsUnread == true }
            return summed > left ? most : left
        }
    }

    /// Returns the most rows of a device that are in memory, including those of this turn.
    func rowsInMemory(of registration: Int64, _ context: Context) -> Int {
        (context.rowsInMemory[RegistrationID(registration)] ?? 1) + (context.ownedOf[registration] ?? 0)
    }

    /// Makes devices of a lane due that wait only for quiet hours, queue by queue in the order of their due times.
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

    /// Makes a device due that waits only for quiet hours.
    mutating func requeue(_ registration: Int64) {
        for key in waits(of: registration) {
            guard let wait = waiting[key], let due = wait.due, due > now, due > wait.notBefore else { continue }
            waiting[key]?.due = max(now, wait.notBefore)
            note(key)
        }
    }

    /// Makes a consumer's devices due that wait only for quiet hours.
    mutating func requeue(devicesOf consumer: Int64) {
        for key in consumers[Int(consumer) - 1].registrations {
            if let found = registration(key), hasLane(found) { requeue(key) }
        }
    }

    /// Returns the rows of a device in a queue without an owner, oldest first.
    private func free(_ registration: Int64, _ queue: OutboxQueue) -> [Int64] {
        (self.registration(registration)?.pending ?? []).filter {
            delivery($0).owner == nil && delivery($0).queue == queue
        }
    }

    /// Returns the queues in which a device has waiting rows; in order, so that a seed is reproducible.
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

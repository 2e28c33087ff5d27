import GatewayModel
import GatewayStorage
import TurnRules

/// Rows without an owner: how they are handed out, and made due for a lane.
extension SimulatedStore {
    func dueDevices(_ request: ClaimRequest, at now: Timestamp) -> [(registration: Int64, rows: Int)] {
        let due = waiting.filter {
            $0.value.lane == request.lane && $0.key.queue == request.queue && $0.value.due.map { $0 <= now } == true
        }
        let devices = due.sorted {
            if flaw == .favoursDevices { return $0.key.registration < $1.key.registration }
            return ($0.value.due ?? now, $0.key.registration) < ($1.value.due ?? now, $1.key.registration)
        }
        return devices.prefix(request.limit).map {
            (registration: $0.key.registration, rows: free($0.key.registration, $0.key.queue).count)
        }
    }

    mutating func claim(
        upTo limit: Int,
        of registration: Int64,
        _ queue: OutboxQueue,
        for owner: IncarnationID,
        into rows: inout [OutboxRow]
    ) -> Int {
        let wait = waiting[WaitKey(registration: registration, queue: queue)]
        let (due, notBefore) = (wait?.due ?? now, wait?.notBefore ?? Timestamp(milliseconds: 0))
        let claimed = free(registration, queue).prefix(limit)
        for id in claimed {
            change(id) {
                $0.owner = owner
                $0.notBefore = notBefore
                $0.claimedAt = due
            }
            // Remaining rows of a deleted brand are not handed out.
            if isListed(delivery(id)) { rows.append(row(id)) }
        }
        return claimed.count
    }

    func nextDue(of lane: LaneID, _ queue: OutboxQueue) -> Timestamp? {
        waiting.filter { $0.value.lane == lane && $0.key.queue == queue }.values.compactMap(\.due).min()
    }

    func hasMoreToSum(than limit: Int, _ registration: Int64, _ queue: OutboxQueue) -> Bool {
        free(registration, queue).count { delivery($0).message?.countsAsUnread == true } > limit
    }

    mutating func makeDue(
        _ queue: OutboxQueue,
        of lane: LaneID,
        limit: Int,
        at now: Timestamp
    ) -> [(registration: Int64, due: Int64)] {
        let found = waiting.filter { key, wait in
            guard let due = wait.due else { return false }
            return wait.lane == lane && key.queue == queue && due > now && due > wait.notBefore
        }
        let first = found.sorted {
            ($0.value.due ?? now, $0.key.registration) < ($1.value.due ?? now, $1.key.registration)
        }
        return first.prefix(limit).map { key, wait in
            let due = max(now, wait.notBefore)
            waiting[key]?.due = due
            return (registration: key.registration, due: due.milliseconds)
        }
    }

    /// Returns the rows of a device in a queue without an owner, oldest first.
    private func free(_ registration: Int64, _ queue: OutboxQueue) -> [Int64] {
        (self.registration(registration)?.pending ?? []).filter {
            delivery($0).owner == nil && delivery($0).queue == queue
        }
    }

    /// Returns the queues in which a device has waiting rows; in order, so that a seed is reproducible.
    func waitKeys(of registration: Int64) -> [WaitKey] {
        waiting.keys.filter { $0.registration == registration }.sorted { $0.queue < $1.queue }
    }
}

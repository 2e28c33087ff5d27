import GatewayModel
import GatewayStorage
import TurnRules

/// Rows without an owner: how they are handed out, and made due for a lane.
extension SimulatedStore {
    mutating func claim(_ request: ClaimRequest, _ context: inout TurnContext) -> ClaimResult {
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
            guard let room = room(for: (key.registration, free.count), request, claimed: rows.count, context)
            else { break }
            let notBefore = waiting[key]?.notBefore ?? Timestamp(milliseconds: 0)
            let (due, incarnation) = (waiting[key]?.due ?? now, context.turn.incarnation)
            for id in free.prefix(room) {
                change(id) {
                    $0.owner = incarnation
                    $0.notBefore = notBefore
                    $0.claimedAt = due
                }
                // Remaining rows of a deleted brand are not handed out.
                guard isListed(delivery(id)) else { continue }
                rows.append(row(id))
                context.noteOwned(of: key.registration)
            }
            if free.count <= room {
                waiting[key] = nil
                continue
            }
            waiting[key]?.rows -= Int64(room)
            if case .limited = request.deviceRows {
                waiting[key]?.due = nil
                behind.append(RegistrationID(key.registration))
            }
        }
        let left = waiting.filter { $0.value.lane == request.lane && $0.key.queue == request.queue }
        let next = left.values.compactMap(\.due).min()
        return ClaimResult(lane: request.lane, queue: request.queue, rows: rows, nextDue: next, behind: behind)
    }

    func hasMoreToSum(than limit: Int, _ registration: Int64, _ queue: OutboxQueue) -> Bool {
        free(registration, queue).count { delivery($0).message?.countsAsUnread == true } > limit
    }

    /// Makes devices of a lane due that wait only for quiet hours, queue by queue in the order of their due times.
    mutating func requeue(_ request: RequeueRequest, _ context: inout TurnContext) -> Int {
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
                let due = max(now, wait.notBefore)
                waiting[key]?.due = due
                context.noteWaiting(
                    key.registration,
                    lane: wait.lane.rawValue,
                    queue: queue,
                    due: due.milliseconds
                )
            }
            count += keys.count
        }
        return count
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

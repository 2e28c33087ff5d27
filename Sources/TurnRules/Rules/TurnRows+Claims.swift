internal import GatewayModel
internal import GatewayStorage

/// Rows without an owner that a lane takes into memory.
extension TurnRows {
    /// Claims rows of a lane's queue: of the devices whose rows are due first, the oldest rows of each.
    mutating func claim(_ request: ClaimRequest, _ context: inout TurnContext) throws(Failure) -> ClaimResult {
        let (queue, now, incarnation) = (request.queue, context.turn.now, context.turn.incarnation)
        var rows: [OutboxRow] = []
        var behind: [RegistrationID] = []
        let due = try dueDevices(request, at: now)
        rows.reserveCapacity(min(request.limit, due.reduce(0) { $0 + $1.rows }))
        for device in due where rows.count < request.limit {
            let claimed = rows.count
            guard let room = try room(for: device, request, claimed: claimed, &context) else { break }
            let registration = device.registration
            let count = try claim(upTo: room, of: registration, queue, for: incarnation, into: &rows)
            if rows.count > claimed { context.noteOwned(rows.count - claimed, of: registration) }
            let left = Int64(device.rows - count)
            if left <= 0 {
                try removeWait(of: registration, queue)
            } else if case .limited = request.deviceRows {
                try setAside(rows: left, of: registration, queue)
                behind.append(RegistrationID(registration))
            } else {
                try store(rows: left, of: registration, queue)
            }
        }
        try addReadMarks(to: &rows, now: now)
        let next = try nextDue(of: request.lane, queue)
        return ClaimResult(lane: request.lane, queue: queue, rows: rows, nextDue: next, behind: behind)
    }

    /// Returns the upper bound of the rows of a device to hand out; nil when it waits for a later claim, and those
    /// behind it.
    private mutating func room(
        for device: (registration: Int64, rows: Int),
        _ request: ClaimRequest,
        claimed: Int,
        _ context: inout TurnContext
    ) throws(Failure) -> Int? {
        let left = request.limit - claimed
        switch request.deviceRows {
        case .any: return left
        case .limited(let limit):
            let most = limit.most(request.queue.pushClass)
            return max(min(left, most - context.rowsInMemory(of: device.registration)), 0)
        case .whole(let most):
            guard device.rows > left else { return left }
            guard claimed == 0 else { return nil }
            return try hasMoreToSum(than: left, device.registration, request.queue) ? most : left
        }
    }
}

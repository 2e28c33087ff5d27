internal import GatewayModel
internal import GatewayStorage

/// The time until which a device's unowned rows wait.
///
/// A pause of a device applies to all of its queues.
extension TurnRows {
    /// Whether a new row of a device must wait in the store: behind others of its queue or of one before it, or because
    /// its device is paused.
    mutating func mustWait(_ registration: Int64, _ queue: OutboxQueue, now: Timestamp) throws(Failure) -> Bool {
        for wait in try waits(of: registration)
        where wait.queue <= queue || (wait.due ?? wait.notBefore) > now.milliseconds {
            return true
        }
        return false
    }

    /// Adds unowned rows, or rows that are no longer held for a window, to those of their device and queue that wait;
    /// where none does, they are due, unless the device is paused.
    mutating func addWaiting(
        _ count: Int64,
        _ queue: OutboxQueue,
        of registration: Int64,
        lane: Int64,
        _ context: inout TurnContext
    ) throws(Failure) {
        let now = context.turn.now.milliseconds
        var new = WaitingRows(queue: queue, lane: lane, due: nil, notBefore: 0, rows: count)
        var due = now
        for wait in try waits(of: registration) {
            if wait.queue == queue {
                note(wait, of: registration, &context)
                return try store(rows: wait.rows + count, of: registration, queue)
            }
            due = max(due, wait.due ?? 0, wait.notBefore)
            new.notBefore = max(new.notBefore, wait.notBefore)
        }
        new.due = due
        try store(new, of: registration)
        note(new, of: registration, &context)
    }

    /// Removes a row that had no owner from those that wait.
    mutating func removeWaiting(
        of registration: Int64,
        _ queue: OutboxQueue,
        _ context: inout TurnContext
    ) throws(Failure) {
        for wait in try waits(of: registration) where wait.queue == queue {
            guard wait.rows <= 1 else { return try store(rows: wait.rows - 1, of: registration, queue) }
            try removeWait(of: registration, queue)
            context.noteNoneWaiting(registration, queue)
        }
    }

    /// Stores requeued rows: no row of their device is due before they are.
    mutating func storeRequeuedRows(_ context: inout TurnContext) throws(Failure) {
        guard !context.requeuedRows.isEmpty else { return }
        for (registration, back) in context.requeuedRows {
            guard let lane = try lane(of: registration) else { continue }
            var left = back.rows
            for var wait in try waits(of: registration) {
                wait.rows += left.removeValue(forKey: wait.queue) ?? 0
                wait.due = max(wait.due ?? back.due, back.due)
                wait.notBefore = max(wait.notBefore, back.notBefore)
                try store(wait, of: registration)
                note(wait, of: registration, &context)
            }
            for (queue, rows) in left {
                let wait = WaitingRows(
                    queue: queue,
                    lane: lane,
                    due: back.due,
                    notBefore: max(back.notBefore, 0),
                    rows: rows
                )
                try store(wait, of: registration)
                note(wait, of: registration, &context)
            }
        }
        context.requeuedRows.removeAll(keepingCapacity: true)
    }

    // MARK: Due earlier

    /// Makes a device's remaining rows due, unless they wait for another reason by now.
    mutating func recall(_ registration: RegistrationID, _ context: inout TurnContext) throws(Failure) {
        for wait in try waits(of: registration.rawValue) where wait.due == nil {
            try makeDue(wait, of: registration.rawValue, &context)
        }
    }

    /// Makes devices of a lane due that wait only for quiet hours, queue by queue in the order in which they would have
    /// become due.
    ///
    /// The wait that a provider asked for, or that for the next try, stays.
    mutating func requeue(_ request: RequeueRequest, _ context: inout TurnContext) throws(Failure) -> Int {
        let lane = request.lane
        // Rows that were set aside have no time and are in no backlog until the turn's outcomes give them one.
        let queues = Set(request.queues).union(context.queues(waitingFor: lane)).sorted()
        var count = 0
        for queue in queues where count < request.limit {
            for device in try makeDue(queue, of: lane, limit: request.limit - count, at: context.turn.now) {
                context.noteWaiting(device.registration, lane: lane.rawValue, queue: queue, due: device.due)
                count += 1
            }
        }
        return count
    }

    /// Makes all waiting rows of a consumer due that wait only for quiet hours.
    mutating func requeue(_ consumer: Int64, _ context: inout TurnContext) throws(Failure) {
        for registration in try registrations(of: consumer) { try requeue(registration: registration.id, &context) }
    }

    /// Makes all waiting rows of a device due that wait only for quiet hours.
    mutating func requeue(registration: Int64, _ context: inout TurnContext) throws(Failure) {
        let now = context.turn.now.milliseconds
        for wait in try waits(of: registration) {
            guard let due = wait.due, due > now, due > wait.notBefore else { continue }
            try makeDue(wait, of: registration, &context)
        }
    }

    private mutating func makeDue(
        _ wait: WaitingRows,
        of registration: Int64,
        _ context: inout TurnContext
    ) throws(Failure) {
        var wait = wait
        wait.due = max(context.turn.now.milliseconds, wait.notBefore)
        try store(wait, of: registration)
        note(wait, of: registration, &context)
    }

    private func note(_ wait: WaitingRows, of registration: Int64, _ context: inout TurnContext) {
        context.noteWaiting(registration, lane: wait.lane, queue: wait.queue, due: wait.due)
    }
}

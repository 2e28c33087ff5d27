import DequeModule
import GatewayModel
import GatewayStorage

/// Summaries: one push instead of a storm after an absence. When too many agents' messages wait for a device, the
/// newest leaves for all of them, in the place of the oldest.
///
/// A summary exists only while it is sent: each message keeps its own row until the provider has accepted the summary,
/// so that a message that is read meanwhile is no part of the next attempt, and a crash finds all rows.
extension DeliveryMachine {
    /// A push that stands for more than its own message.
    struct Summary {
        /// The other deliveries; they are older.
        var others: Set<DeliveryID>
        /// The latest expiry of all of them.
        var expiresAt: Timestamp
        /// The largest number of attempts of one of them.
        var attempts: Int
        /// Whether one of them is urgent.
        var isUrgent: Bool
        /// The sound of the newest message that has one.
        var sound: String?

        /// Creates the summary that a push stands for; `others` are the rows that stay, oldest first.
        init(_ newest: OutboxRow, _ others: some Collection<OutboxRow>) {
            self.others = Set(others.map(\.id))
            (expiresAt, attempts) = (newest.expiresAt, newest.attempts)
            (isUrgent, sound) = (false, nil)
            for row in Array(others) + [newest] {
                expiresAt = max(expiresAt, row.expiresAt)
                attempts = max(attempts, row.attempts)
                if row.message?.priority == .high { isUrgent = true }
                sound = row.message?.sound ?? sound
            }
        }
    }

    /// Moves the newest of the agents' messages that wait for a device to the head, when there are more than
    /// `threshold` (at least 1), one of them has waited long enough, and the oldest would leave now.
    ///
    /// - Returns: The summary; nil when each message leaves by itself.
    func sum(_ registration: inout Registration, above threshold: Int, now: Timestamp) -> Summary? {
        let limit = now.adding(seconds: -settings.summaryAfterSeconds)
        // The common case first: few wait behind it, or they have just come.
        guard registration.tail.count >= threshold, registration.firstQueuedAt <= limit,
            let head = registration.head, Self.isSummed(head, now: now)
        else { return nil }
        // After a retry an older one may be behind younger ones.
        let rows = ([head] + registration.tail).filter { Self.isSummed($0, now: now) }
            .sorted { $0.id.rawValue < $1.id.rawValue }
        guard rows.count > threshold, rows.contains(where: { $0.queuedAt <= limit }), let newest = rows.last else {
            return nil
        }
        if newest.id != head.id {
            registration.tail.removeAll { $0.id == newest.id }
            registration.tail.prepend(head)
            registration.head = newest
        }
        return Summary(newest, rows.dropLast())
    }

    /// Returns whether more rows for the device may be in the store, where new rows went while the lane could not send.
    func isPart(_ registration: Registration, of lane: Lane, now: Timestamp) -> Bool {
        // Only once, or a slow lane would requeue and claim its rows again and again.
        guard !registration.isClaimed, let backlog = lane.backlog[.agent], backlog <= now,
            registration.firstQueuedAt <= now.adding(seconds: -settings.summaryAfterSeconds),
            let head = registration.head
        else { return false }
        return Self.isSummed(head, now: now)
    }

    /// Requeues a registration's rows, none of which is in flight, so that they are handed out with the others.
    mutating func release(
        _ registration: inout Registration,
        _ key: RegistrationID,
        _ lane: inout Lane,
        now: Timestamp
    ) {
        while let row = registration.head {
            registration.head = registration.tail.popFirst()
            lane.rows.remove(row)
            deviceRows.removed(key)
            // The rows that waited longest are handed out first.
            let due = min(row.queuedAt, now)
            release(row, due: due)
            lane.noteBacklog(row.queue, due: due)
        }
        registration.requeuedRows = RequeuedRows(due: now, outcome: outcomesAdded, isAsked: false)
        requeuedRows.insert(key)
    }

    private static func isSummed(_ row: OutboxRow, now: Timestamp) -> Bool {
        guard let message = row.message else { return false }
        return message.countsAsUnread && row.expiresAt > now
    }

    /// Ends the rows that an accepted summary stood for, right behind its own outcome.
    mutating func end(_ others: Set<DeliveryID>, of registration: inout Registration) {
        let ended = registration.removeWaiting { others.contains($0.id) }
        for row in ended { addEnd(of: row, .suppressed, by: .collapsed) }
        drop(ended, lane: registration.lane)
    }

    /// Requeues the rows that a failed summary stood for, before its own outcome: a crash between the two would make
    /// the older ones due at once.
    mutating func requeue(_ others: Set<DeliveryID>, of registration: inout Registration, due: Timestamp) {
        let released = registration.removeWaiting { others.contains($0.id) }
        for row in released { release(row, due: due, isAsked: true) }
        drop(released, lane: registration.lane)
    }
}

extension DeliveryMachine.Registration {
    /// Removes rows from memory, none of which is in flight, and returns them in order.
    mutating func removeWaiting(where isWanted: (OutboxRow) -> Bool) -> [OutboxRow] {
        var (removed, kept) = ([OutboxRow](), Deque<OutboxRow>())
        while let row = head {
            head = tail.popFirst()
            if isWanted(row) { removed.append(row) } else { kept.append(row) }
        }
        head = kept.popFirst()
        tail = kept
        return removed
    }
}

extension OutcomeRecord {
    /// Whether the record can wait, because nothing depends on it: an accepted push.
    var mayWait: Bool { disposition == .finished(.accepted, nil) && !token.stopsDevice }

    /// Whether a summary stood for the row: such a record follows the summary's own, and is committed with it.
    var isSummed: Bool {
        guard response == nil, case .finished(.suppressed, .collapsed) = disposition else { return false }
        return true
    }
}

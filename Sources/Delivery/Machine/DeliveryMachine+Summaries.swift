import DequeModule
import GatewayModel
import GatewayStorage

/// One push instead of a storm, after an absence: when too many agents' messages wait for a device, the newest leaves for all
/// of them, in the place of the oldest.
///
/// It is only a way of sending: each message keeps its own row until the provider has taken the summary, so that what is read
/// meanwhile is no part of the next try, and a crash finds them all. The store has put together what one conversation has
/// too many of (``ClaimRequest``), so that few rows remain here.
extension DeliveryMachine {
    /// What a summary stands for, its own message included.
    struct Summary {
        /// How many messages.
        var count: Int64
        /// The end of the one that may come latest.
        var expiresAt: Timestamp
    }

    /// Puts the newest of the agents' messages that wait for a device first, when they are too many, one of them for long
    /// enough, and the oldest would leave now.
    ///
    /// - Parameters:
    ///   - registration: The device's registration; none of its rows is on its way.
    ///   - key: Its number.
    ///   - threshold: More than this are too many.
    ///   - now: The wall clock.
    /// - Returns: What leaves for all of them; nil when each leaves for itself.
    mutating func sum(
        _ registration: inout Registration,
        _ key: RegistrationID,
        above threshold: Int,
        now: Timestamp
    ) -> Summary? {
        let limit = now.adding(seconds: -ClaimRequest.summaryAfterSeconds)
        // Mostly nothing waits behind it, or it has just come.
        guard !registration.tail.isEmpty, registration.firstQueuedAt <= limit, let head = registration.head,
            Self.isSummed(head, now: now)
        else { return nil }
        var summary = Summary(count: max(head.summary, 1), expiresAt: head.expiresAt)
        var (newest, place, oldest) = (head, Int?.none, head.queuedAt)
        var ids: Set<DeliveryID> = [head.id]
        for (index, row) in registration.tail.enumerated() where Self.isSummed(row, now: now) {
            summary.count += max(row.summary, 1)
            summary.expiresAt = max(summary.expiresAt, row.expiresAt)
            oldest = min(oldest, row.queuedAt)
            ids.insert(row.id)
            if row.id.rawValue > newest.id.rawValue { (newest, place) = (row, index) }
        }
        guard ids.count > 1, summary.count > threshold, oldest <= limit else { return nil }
        if let place {
            registration.tail.remove(at: place)
            registration.tail.prepend(head)
            registration.head = newest
        }
        ids.remove(newest.id)
        summed[key] = ids
        return summary
    }

    private static func isSummed(_ row: OutboxRow, now: Timestamp) -> Bool {
        guard let message = row.message else { return false }
        return message.kind == .agent && !message.silent && row.expiresAt > now
    }

    /// Ends what an accepted summary stood for, right behind its own outcome.
    mutating func endSummed(_ ids: Set<DeliveryID>, of registration: inout Registration) {
        let before = registration.rowCount
        for row in registration.removeWaiting(where: { ids.contains($0.id) }) {
            addEnd(of: row, .suppressed, by: .collapsed)
        }
        dropRows(before - registration.rowCount, of: registration.consumer, lane: registration.lane)
    }
}

extension DeliveryMachine.Registration {
    /// Takes rows out of memory, none of which is on its way.
    ///
    /// - Parameter isWanted: Which.
    /// - Returns: They, in order.
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
    /// Whether a summary stood for it: such a record follows the summary's own, and is written down with it.
    var isSummed: Bool {
        guard answer == nil, case .finished(.suppressed, .collapsed) = disposition else { return false }
        return true
    }
}

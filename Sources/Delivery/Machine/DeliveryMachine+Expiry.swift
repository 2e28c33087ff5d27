import DequeModule
import GatewayModel
import GatewayStorage

extension DeliveryMachine {
    /// Finishes waiting rows in memory that have expired, even if their lane may send nothing; the housekeeper finishes
    /// those in the store.
    ///
    /// Runs at most once a second, because it checks every row.
    mutating func expire(now: Timestamp) {
        guard let due = nextExpiry(now: now), due <= now else { return }
        lastExpiry = now
        firstExpiry = nil
        for key in registrationKeys(where: { $0.head != nil }) {
            let summarized = summaries[key]?.others ?? []
            // A row whose summary is in flight is not too late.
            for row in removeWaiting(from: key, where: { $0.expiresAt <= now && !summarized.contains($0.id) }) {
                addExpired(row, now: now)
            }
            for row in registrations[key]?.waitingRows ?? [] {
                firstExpiry = min(firstExpiry ?? row.expiresAt, row.expiresAt)
            }
        }
    }

    /// Returns when memory must be searched for expired rows; nil when none can be there.
    func nextExpiry(now: Timestamp) -> Timestamp? {
        guard mayExpire, let firstExpiry, !registrations.isEmpty else { return nil }
        // A last search in the future means that the clock was set back since.
        guard let lastExpiry, lastExpiry <= now else { return firstExpiry }
        return max(firstExpiry, lastExpiry.adding(seconds: 1))
    }

    /// Records that a row has expired.
    mutating func addExpired(_ row: OutboxRow, now: Timestamp) {
        countExpired(row, now: now)
        addEnd(of: row, .expired, by: nil)
    }

    /// Records that an unsent row ends.
    mutating func addEnd(of row: OutboxRow, _ state: DeliveryState, by suppressedBy: SuppressedBy?) {
        add(
            OutcomeRecord(
                delivery: row.id,
                registration: row.registration,
                response: nil,
                disposition: .finished(state, suppressedBy),
                token: .none
            )
        )
    }

    /// Returns registrations in memory in the order of their ids: the same calls then make the same run, whatever the
    /// order of a dictionary is.
    func registrationKeys(where isWanted: (Registration) -> Bool) -> [RegistrationID] {
        registrations.filter { isWanted($0.value) }.keys.sorted { $0.rawValue < $1.rawValue }
    }
}

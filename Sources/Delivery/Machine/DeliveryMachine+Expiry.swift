import DequeModule
import GatewayModel
import GatewayStorage

extension DeliveryMachine {
    /// Finishes waiting rows in memory whose time is over, though their lane may send nothing; those in the store are
    /// the housekeeper's.
    ///
    /// Looks at most once a second, because it looks at every row.
    mutating func expire(now: Timestamp) {
        guard let due = nextExpiry(now: now), due <= now else { return }
        lastExpiry = now
        firstExpiry = nil
        for key in registrationKeys(where: { $0.head != nil }) {
            let told = summaries[key]?.others ?? []
            // What is being told by a summary has not come too late.
            for row in removeWaiting(from: key, where: { $0.expiresAt <= now && !told.contains($0.id) }) {
                addExpired(row)
            }
            for row in registrations[key]?.waitingRows ?? [] {
                firstExpiry = min(firstExpiry ?? row.expiresAt, row.expiresAt)
            }
        }
    }

    /// When memory is to be searched for expired rows; nil when none can be there.
    func nextExpiry(now: Timestamp) -> Timestamp? {
        guard mayExpire, let firstExpiry, !registrations.isEmpty else { return nil }
        // A search in the future is one before the clock was set back.
        guard let lastExpiry, lastExpiry <= now else { return firstExpiry }
        return max(firstExpiry, lastExpiry.adding(seconds: 1))
    }

    /// Writes down that a row's time is over.
    mutating func addExpired(_ row: OutboxRow) { addEnd(of: row, .expired, by: nil) }

    /// Writes down that an unsent row ends.
    mutating func addEnd(of row: OutboxRow, _ state: DeliveryState, by suppressedBy: SuppressedBy?) {
        add(
            OutcomeRecord(
                delivery: row.id,
                registration: row.registration,
                answer: nil,
                disposition: .finished(state, suppressedBy),
                token: .none
            )
        )
    }

    /// Registrations in memory in the order of their numbers: one schedule of calls is one run, whatever the order of a
    /// dictionary is.
    func registrationKeys(where isWanted: (Registration) -> Bool) -> [RegistrationID] {
        registrations.filter { isWanted($0.value) }.keys.sorted { $0.rawValue < $1.rawValue }
    }
}

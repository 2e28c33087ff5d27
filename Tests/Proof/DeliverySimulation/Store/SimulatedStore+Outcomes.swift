import GatewayModel
import GatewayStorage
import TurnRules

extension SimulatedStore {
    func expiry(of id: Int64) -> Timestamp? { isPending(id) ? delivery(id).expiresAt : nil }

    mutating func finish(_ outcome: OutcomeRecord, _ context: inout TurnContext) {
        guard case .finished(let state, let suppressedBy) = outcome.disposition else { return }
        let id = outcome.delivery.rawValue
        guard isPending(id) else { return recordLate(id, isAccepted: state == .accepted) }
        change(id) { $0.attempts += 1 }
        let row = moveToLog(id, state: state, by: suppressedBy, at: now)
        // It was queued again while its push was in flight.
        if let row, row.isWaiting { removeWaiting(of: row.registration, row.queue, &context) }
    }

    mutating func storeAttempt(of outcome: OutcomeRecord) -> Bool {
        guard outcome.response != nil, !isPending(outcome.delivery.rawValue) else { return true }
        recordLate(outcome.delivery.rawValue, isAccepted: false)
        return false
    }

    mutating func disown(_ id: Int64, attempts: Int) -> MovedRow? {
        guard isPending(id) else { return nil }
        let row = delivery(id)
        change(id) {
            $0.owner = nil
            $0.attempts += attempts
        }
        return MovedRow(registration: row.registration, queue: row.queue, isWaiting: row.owner == nil)
    }

    /// Records the push of a row that was cancelled while in flight: it did leave, and the delivery log shows it.
    private mutating func recordLate(_ id: Int64, isAccepted: Bool) {
        guard !delivery(id).isLost, !delivery(id).isRemoved else { return }
        change(id) {
            $0.attempts += 1
            guard isAccepted, $0.state == .cancelled else { return }
            $0.state = .accepted
            $0.suppressedBy = nil
        }
    }
}

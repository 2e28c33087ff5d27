import GatewayModel
import GatewayStorage
import TurnRules

extension SimulatedStore {
    mutating func record(_ outcome: OutcomeRecord, _ context: inout TurnContext) -> OutcomeEffect {
        let id = outcome.delivery.rawValue
        let expiresAt = isPending(id) ? delivery(id).expiresAt : nil
        switch outcome.disposition {
        case .finished(let state, let suppressedBy):
            if outcome.response == nil {
                withdraw(id, state: state, by: suppressedBy, &context)
            } else if isPending(id) {
                change(id) { $0.attempts += 1 }
                let row = moveToLog(id, state: state, by: suppressedBy, at: now)
                // It was queued again while its push was in flight.
                if let row, row.isWaiting { removeWaiting(of: row.registration, row.queue, &context) }
            } else {
                recordLate(id, isAccepted: state == .accepted)
            }
        case .retry(let due):
            if outcome.response != nil, !isPending(id) {
                recordLate(id, isAccepted: false)
            } else {
                requeue(id, due: due, isAsked: true, tries: 1, &context)
            }
        case .release(let due, let isAsked): requeue(id, due: due, isAsked: isAsked, tries: 0, &context)
        }
        if case .none = outcome.token { return OutcomeEffect(ended: []) }
        storeRequeuedRows(&context)
        return OutcomeEffect(ended: applyTokenEffect(of: outcome, expiresAt: expiresAt, &context))
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

    /// Requeues a row; its device's rows are not due before `due`.
    private mutating func requeue(
        _ id: Int64,
        due: Timestamp,
        isAsked: Bool,
        tries: Int,
        _ context: inout TurnContext
    ) {
        guard isPending(id) else { return }
        let row = delivery(id)
        change(id) {
            $0.owner = nil
            $0.attempts += tries
        }
        // One that was queued again while its push was in flight waits already.
        guard row.owner != nil else { return }
        context.requeue(row.registration, queue: row.queue, due: due.milliseconds, isAsked: isAsked)
    }
}

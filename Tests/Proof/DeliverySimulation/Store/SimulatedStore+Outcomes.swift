import GatewayModel
import GatewayStorage

extension SimulatedStore {
    mutating func record(_ outcome: OutcomeRecord, _ context: inout Context) -> OutcomeEffect {
        let id = outcome.delivery.rawValue
        let refused = isPending(id) ? id : nil
        switch outcome.disposition {
        case .finished(let state, let suppressedBy):
            if outcome.response == nil {
                withdraw(id, state, by: suppressedBy)
            } else if isPending(id) {
                change(id) { $0.attempts += 1 }
                finish(id, state, by: suppressedBy)
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
        storeRequeuedRows()
        return OutcomeEffect(ended: applyTokenEffect(outcome, refused, &context))
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
    private mutating func requeue(_ id: Int64, due: Timestamp, isAsked: Bool, tries: Int, _ context: inout Context) {
        guard isPending(id), delivery(id).owner != nil else { return }
        let key = delivery(id).registration
        change(id) {
            $0.owner = nil
            $0.attempts += tries
        }
        waitingNow[key] = .agent
        var back = requeuedRows[key] ?? RequeuedRows(lane: delivery(id).lane, due: due)
        back.due = max(back.due, due)
        if isAsked { back.notBefore = max(back.notBefore, due) }
        back.queues.insert(delivery(id).queue)
        requeuedRows[key] = back
    }

    /// Adds requeued rows to the waiting rows of their devices.
    mutating func storeRequeuedRows() {
        for (registration, back) in requeuedRows {
            for queue in back.queues {
                let key = WaitKey(registration: registration, queue: queue)
                if waiting[key] == nil {
                    waiting[key] = Wait(lane: back.lane, due: back.due, notBefore: Timestamp(milliseconds: 0))
                }
            }
            putOff(registration, until: back.due, notBefore: back.notBefore)
        }
        requeuedRows = [:]
    }

    /// Applies the token effect by compare and clear: a registration with another token, or registered again since, is
    /// not changed.
    private mutating func applyTokenEffect(
        _ outcome: OutcomeRecord,
        _ refused: Int64?,
        _ context: inout Context
    ) -> [RegistrationID] {
        let key = outcome.registration.rawValue
        switch outcome.token {
        case .none: return []
        case .drop(let token, let since):
            guard let limit = since ?? outcome.response?.sentAt, let found = registration(key), found.token == token,
                found.registeredAt <= limit, found.stoppedAt == nil
            else { return [] }
            stop(key, refused, &context)
        case .quarantine(let token):
            guard let found = registration(key), found.token == token, found.stoppedAt == nil else { return [] }
            registrations[Int(key) - 1]?.isActive = false
            for id in found.pending { withdraw(id, .failed, by: nil) }
        }
        return [outcome.registration]
    }
}

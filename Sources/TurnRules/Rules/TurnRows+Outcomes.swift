internal import GatewayModel
package import GatewayStorage

/// Results of pushes.
extension TurnRows {
    /// Records the result of a push in its row and its registration.
    package mutating func record(
        _ outcome: OutcomeRecord,
        _ context: inout TurnContext
    ) throws(Failure) -> OutcomeEffect {
        let id = outcome.delivery.rawValue
        var expiresAt: Timestamp?
        if case .drop = outcome.token { expiresAt = try expiry(of: id) }
        switch outcome.disposition {
        case .finished(let state, let suppressedBy):
            if outcome.response == nil {
                try withdraw(id, state: state, by: suppressedBy, &context)
            } else {
                try finish(outcome, &context)
            }
        case .retry(let due):
            if try storeAttempt(of: outcome) { try requeue(outcome, due: due, isAsked: true, attempts: 1, &context) }
        case .release(let due, let isAsked):
            try requeue(outcome, due: due, isAsked: isAsked, attempts: 0, &context)
        }
        if case .none = outcome.token { return OutcomeEffect() }
        try storeRequeuedRows(&context)
        return OutcomeEffect(ended: try applyTokenEffect(of: outcome, expiresAt: expiresAt, &context))
    }

    /// Requeues a row; its device's rows are not due before this time.
    private mutating func requeue(
        _ outcome: OutcomeRecord,
        due: Timestamp,
        isAsked: Bool,
        attempts: Int,
        _ context: inout TurnContext
    ) throws(Failure) {
        // One that was queued again while its push was in flight waits already.
        guard let row = try disown(outcome.delivery.rawValue, attempts: attempts), !row.isWaiting else { return }
        context.requeue(row.registration, queue: row.queue, due: due.milliseconds, isAsked: isAsked)
    }

    /// Stops or quarantines the registration of an outcome whose row is stored already, unless it has another token by
    /// now or was registered again since; returns it if it does.
    private mutating func applyTokenEffect(
        of outcome: OutcomeRecord,
        expiresAt: Timestamp?,
        _ context: inout TurnContext
    ) throws(Failure) -> [RegistrationID] {
        guard let found = try storedRegistrations(.id(outcome.registration.rawValue)).first, !found.isStopped
        else { return [] }
        switch outcome.token {
        case .none: return []
        case .drop(let token, let since):
            guard found.has(token), let limit = since ?? outcome.response?.sentAt, found.registeredAt <= limit
            else { return [] }
            let failed = expiresAt.map { (id: outcome.delivery.rawValue, expiresAt: $0) }
            try stop(found, failed, at: context.turn.now)
            try withdraw(.all, of: found.id, by: .unregistered, &context)
            context.noteStopped(found.id, lane: found.lane)
        case .quarantine(let token):
            guard found.has(token) else { return [] }
            try quarantine(found)
            try withdraw(.all, of: found.id, state: .failed, by: nil, &context)
        }
        return [outcome.registration]
    }
}

internal import GatewayModel
internal import GatewayStorage

/// Results of pushes.
extension TurnRows {
    /// Records outcomes in their order; those that do no more than move a row to the log are moved together.
    mutating func record(
        _ outcomes: [OutcomeRecord],
        _ context: inout TurnContext
    ) throws(Failure) -> [OutcomeEffect] {
        var effects: [OutcomeEffect] = []
        effects.reserveCapacity(outcomes.count)
        var finished: [FinishedPush] = []
        for outcome in outcomes {
            let next: FinishedPush? = if case .none = outcome.token { FinishedPush(outcome) } else { nil }
            if next == nil || finished.count == FinishedPush.most || finished.contains(where: { $0.id == next?.id }) {
                try finish(finished, &context)
                finished.removeAll(keepingCapacity: true)
            }
            if let next {
                finished.append(next)
                effects.append(OutcomeEffect())
            } else {
                effects.append(try record(outcome, &context))
            }
        }
        try finish(finished, &context)
        return effects
    }

    /// Records the result of a push in its row and its registration.
    private mutating func record(
        _ outcome: OutcomeRecord,
        _ context: inout TurnContext
    ) throws(Failure) -> OutcomeEffect {
        let id = outcome.delivery.rawValue
        var expiresAt: Timestamp?
        if case .drop = outcome.token { expiresAt = try expiry(of: id) }
        switch outcome.disposition {
        case .finished(let state, let suppressedBy):
            if let push = FinishedPush(outcome) {
                try finish([push], &context)
            } else {
                try withdraw(id, state: state, by: suppressedBy, &context)
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

    /// Moves the rows of different pushes to the log; a row that was cancelled meanwhile is there already.
    private mutating func finish(_ pushes: [FinishedPush], _ context: inout TurnContext) throws(Failure) {
        guard let first = pushes.first else { return }
        guard try copyToLog(pushes) else {
            if pushes.count == 1 {
                let isAccepted = first.state == .accepted
                return try recordLate(first.id, first.response, isAccepted: isAccepted, providerID: first.providerID)
            }
            // Not all were in the outbox: each alone, in their order.
            for push in pushes { try finish([push], &context) }
            return
        }
        for push in pushes {
            // One that was queued again while its push was in flight is one of those that wait.
            if let row = try removeRow(of: push) { try removeWaiting(of: row.registration, row.queue, &context) }
            if push.state == .failed || push.state == .expired { try publishFailed(push.id, at: context.turn.now) }
        }
    }

    /// Stores the attempt of an outcome, if it has a response; returns whether another may follow: the row is not in
    /// the log yet.
    private mutating func storeAttempt(of outcome: OutcomeRecord) throws(Failure) -> Bool {
        guard let response = outcome.response else { return true }
        let id = outcome.delivery.rawValue
        if try storeAttempt(of: id, response) { return true }
        try recordLate(id, response, isAccepted: false, providerID: nil)
        return false
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

    /// Stops, quarantines or confirms the registration of an outcome whose row is stored already, unless it has another
    /// token by now or was registered again since; returns it when it no longer gets pushes.
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
            context.noteStopped(found)
        case .quarantine(let token):
            guard found.has(token) else { return [] }
            try quarantine(found)
            try withdraw(.all, of: found.id, state: .failed, by: nil, &context)
        case .confirm(let token):
            if found.has(token), found.isImported { try confirm(found) }
            return []
        }
        return [outcome.registration]
    }
}

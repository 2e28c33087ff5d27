package import GatewayModel
package import GatewayStorage

extension WriterMachine {
    /// Applies the result of the last step's commit; returns the effects to carry out.
    package mutating func committed(_ result: WriterTurnResult, now: Timestamp) -> Effects {
        var effects = Effects()
        effects.isRecovered = store.succeeded()
        openTurn?.isUnderWay = false
        guard let part = openTurn?.split?.part else {
            guard let open = openTurn else { return effects }
            openTurn = nil
            for (request, events) in zip(open.turn.accepts, result.accepts) {
                let deliveries = events.reduce(0) { $0 + $1.deliveries }
                rows.note(deliveries: deliveries, of: events.count, brand: request.brand)
            }
            effects.lanes = delivery.turnCommitted(result, of: open.turn, now: now)
            effects.changes = zip(open.changeCallers, result.changes).map { ($0, .success($1)) }
            effects.events = zip(open.eventCallers, result.accepts).map {
                ($0, .success($1.map(IntakeResult.decided)))
            }
            return effects
        }
        if let turn = openTurn?.split?.turn { effects.lanes = delivery.turnCommitted(result, of: turn, now: now) }
        if case .change(let place) = part, let caller = openTurn?.changeCallers[place],
            let change = result.changes.first
        {
            effects.changes = [(caller, .success(change))]
        }
        if case .event(let request, _) = part, let event = result.accepts.joined().first {
            note(.decided(event), of: request, in: &effects)
        }
        advance()
        abandonIfDamaged(in: &effects)
        return effects
    }

    /// Handles the failure of the last step's commit; nothing of it is stored.
    ///
    /// After a constraint violation the turn is committed in parts, and the item that causes it is dropped. After any
    /// other error the outcomes are put back; the callers of events and changes keep theirs and send them again.
    package mutating func failed(_ error: StorageError, now: Timestamp) -> Effects {
        openTurn?.isUnderWay = false
        guard let open = openTurn else { return storeFailed(error, now: now) }
        // When a read has found damage meanwhile nothing more is written, not in parts either.
        if case .constraint = error, !store.isDamaged {
            if let part = open.split?.part { return poisoned(part, of: open, error) }
            if SplitTurn.partCount(of: open.turn) > 0 {
                openTurn?.split = SplitTurn(open.turn)
                var effects = Effects()
                effects.failure = .splits
                return effects
            }
        }
        var effects = storeFailed(error, now: now)
        abandonTurn(store.error ?? error, in: &effects)
        return effects
    }

    /// Handles the result of the last step's probe; without an error the store accepts writes again.
    package mutating func probed(_ error: StorageError?, now: Timestamp) -> Effects {
        if let error { return storeFailed(error, now: now) }
        var effects = Effects()
        effects.isRecovered = store.succeeded()
        return effects
    }

    /// Handles a read that found damaged data: nothing more is written to the store, and waiting callers get an error;
    /// other errors than `StorageError.corrupt` change nothing.
    package mutating func readFailed(_ error: StorageError, now: Timestamp) -> Effects {
        guard case .corrupt = error else { return Effects() }
        var effects = storeFailed(error, now: now)
        // If a commit is under way, its result ends the turn.
        if openTurn?.isUnderWay == false { abandonIfDamaged(in: &effects) }
        return effects
    }

    /// Notes that the store fails, and fails all waiting callers: nothing is taken until the store works again.
    private mutating func storeFailed(_ error: StorageError, now: Timestamp) -> Effects {
        var effects = Effects()
        effects.failure = .store(isNew: store.failed(error, now: now))
        let failure = IntakeError.storage(store.error ?? error)
        effects.changes = changes.removeAll().map { ($0.caller, .failure(failure)) }
        effects.events = accepts.removeAll().map { ($0.caller, .failure(failure)) }
        return effects
    }

    /// Puts back what is left of the turn; its callers keep theirs.
    private mutating func abandonTurn(_ error: StorageError, in effects: inout Effects) {
        guard let open = openTurn else { return }
        openTurn = nil
        let failure = IntakeError.storage(error)
        guard var split = open.split else {
            delivery.turnFailed(open.turn.outcomes)
            presence.putBack(open.turn.releases)
            effects.changes += open.changeCallers.map { ($0, .failure(failure)) }
            effects.events += open.eventCallers.map { ($0, .failure(failure)) }
            return
        }
        delivery.turnFailed(split.outcomesLeft)
        presence.putBack(split.releasesLeft)
        effects.changes += split.changesLeft.map { (open.changeCallers[$0], .failure(failure)) }
        effects.events += split.abandon(failure).map { (open.eventCallers[$0.request], $0.response) }
    }

    /// Ends the turn if a read has found damage meanwhile.
    ///
    /// Any earlier failure of another kind is over when the result of a part arrives.
    private mutating func abandonIfDamaged(in effects: inout Effects) {
        if store.isDamaged, let error = store.error { abandonTurn(error, in: &effects) }
    }

    // MARK: Parts

    /// Drops the item of a part that cannot be stored, so that no other item is affected.
    private mutating func poisoned(_ part: SplitTurn.Part, of open: OpenTurn, _ error: StorageError) -> Effects {
        var effects = Effects()
        effects.failure = .poison
        switch part {
        case .outcome(_, isStripped: false):
            openTurn?.split?.strip()
            abandonIfDamaged(in: &effects)
            return effects
        // It stays owned until the next start requeues it.
        case .outcome(_, isStripped: true): delivery.outcomesDropped(1)
        // No constraint concerns what a release changes; if one did, the next start would requeue the rows.
        case .release: break
        case .change(let place): effects.changes = [(open.changeCallers[place], .failure(.storage(error)))]
        case .event(let request, _): note(.failed(.storage(error)), of: request, in: &effects)
        }
        advance()
        abandonIfDamaged(in: &effects)
        return effects
    }

    private mutating func note(_ result: IntakeResult, of request: Int, in effects: inout Effects) {
        guard let response = openTurn?.split?.note(result, of: request), let open = openTurn else { return }
        effects.events = [(open.eventCallers[request], response)]
    }

    private mutating func advance() {
        openTurn?.split?.advance()
        if openTurn?.split?.part == nil { openTurn = nil }
    }
}

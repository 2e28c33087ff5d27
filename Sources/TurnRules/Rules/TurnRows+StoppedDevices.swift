package import GatewayModel
package import GatewayStorage

/// Devices whose tokens a provider reports as dead: hidden at once, ended later, or restored when the provider was
/// wrong.
///
/// Their registrations are kept as stopped ones, so that a logout, an erasure or another consumer's registration of the
/// device ends them like any other.
extension TurnRows {
    /// Stops or quarantines the registration of an outcome whose row is stored already, unless it has another token by
    /// now or was registered again since; returns it if it does.
    package mutating func applyTokenEffect(
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

    /// Ends the registrations of stopped devices.
    package mutating func invalidate(
        _ request: StoppedDeviceRequest,
        _ context: inout TurnContext
    ) throws(Failure) -> StoppedDeviceResult {
        let found = try stoppedDevices(request)
        for registration in found { try end(registration, by: .unregistered, .tokenDead, &context) }
        return try result(found, of: request)
    }

    /// Restores devices about which a provider was wrong, and requeues their deliveries.
    package mutating func putBack(
        _ request: StoppedDeviceRequest,
        _ context: inout TurnContext
    ) throws(Failure) -> StoppedDeviceResult {
        let found = try stoppedDevices(request)
        for id in found {
            guard let stopped = try storedRegistrations(.id(id)).first else { continue }
            let deliveries = try restore(stopped)
            // None when its app is deleted.
            guard let known = try registrations(of: stopped.consumer).first(where: { $0.id == id }) else { continue }
            // The newest first: rows that it replaces stay in the log.
            for delivery in deliveries where delivery.expiresAt > context.turn.now {
                guard let ended = try storedDelivery(delivery.id),
                    ended.state == .failed || ended.state == .cancelled && ended.suppressedBy == .unregistered
                else { continue }
                _ = try reopen(delivery.id, ended, for: known, until: delivery.expiresAt, &context)
            }
        }
        return try result(found, of: request)
    }

    private mutating func result(
        _ done: [Int64],
        of request: StoppedDeviceRequest
    ) throws(Failure) -> StoppedDeviceResult {
        StoppedDeviceResult(
            registrations: done.map { RegistrationID($0) },
            oldest: try firstStop(of: request.lane)
        )
    }
}

internal import GatewayModel
internal import GatewayStorage

/// Devices whose tokens a provider reports as dead: hidden at once, ended later, or restored when the provider was
/// wrong.
///
/// Their registrations are kept as stopped ones, so that a logout, an erasure or another consumer's registration of the
/// device ends them like any other.
extension TurnRows {
    /// Ends the registrations of stopped devices.
    mutating func invalidate(
        _ request: StoppedDeviceRequest,
        _ context: inout TurnContext
    ) throws(Failure) -> StoppedDeviceResult {
        let found = try stoppedDevices(request)
        for registration in found { try end(registration, by: .unregistered, .tokenDead, &context) }
        return try result(found, of: request)
    }

    /// Restores devices about which a provider was wrong, and requeues their deliveries.
    mutating func putBack(
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

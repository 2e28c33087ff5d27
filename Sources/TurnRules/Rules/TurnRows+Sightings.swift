internal import GatewayModel
internal import GatewayStorage

/// The times at which devices were last active.
extension TurnRows {
    /// Records that a device was active.
    mutating func note(_ sighting: DeviceSighting, at now: Timestamp) throws(Failure) {
        guard let key = try consumer(sighting.consumer.brand, sighting.consumer.consumer)?.key else { return }
        try see(sighting.device, of: key, at: now)
    }

    /// Stores that a device was active, at most once an hour.
    mutating func see(_ device: DeviceID, of consumer: Int64, at now: Timestamp) throws(Failure) {
        let last = now.adding(seconds: -DeviceRegistration.seenForSeconds)
        try see(device, of: consumer, at: now, last: last)
    }

    /// Ends registrations of devices that were inactive for long, unless nobody checked in that time.
    mutating func endStale(
        _ stale: StaleDevices,
        _ context: inout TurnContext
    ) throws(Failure) -> StoreChangeResult {
        var change = RegistrationsChange()
        guard let brand = try brandKey(stale.brand) else { return .unregistered(change) }
        let heardFrom = try look(at: brand, for: stale, now: context.turn.now)
        guard heardFrom < stale.notSeenSince else { return .unregistered(change) }
        for id in try staleRegistrations(of: brand, notSeenSince: stale.notSeenSince, limit: stale.limit) {
            change.ended += try end(id, by: .unregistered, .stale, &context)
        }
        return .unregistered(change)
    }

    /// Records a check for stale devices, and returns the moment from which inactivity counts.
    ///
    /// A gap of more than a tenth of the limit between two checks does not count as inactivity; nor does a time by a
    /// clock that was that far ahead. The stored time lags a little, so that not each check is written.
    private mutating func look(
        at brand: Int64,
        for stale: StaleDevices,
        now: Timestamp
    ) throws(Failure) -> Timestamp {
        let limit = now.milliseconds - stale.notSeenSince.milliseconds
        var heardFrom = Timestamp(milliseconds: 0)
        if let known = try staleLook(of: brand) {
            heardFrom = known.heardFrom
            let away = abs(now.milliseconds - known.lookedAt.milliseconds)
            if away > limit / 10 { heardFrom = now } else if away < limit / 240 { return heardFrom }
        }
        try storeStaleLook(of: brand, at: now, heardFrom: heardFrom)
        return heardFrom
    }
}

import GatewayModel
import GatewayStorage
import TurnRules

/// The times at which devices were last active.
extension Writer {
    func note(_ sighting: DeviceSighting, _ context: TurnContext) throws {
        guard let key = try consumerKey(sighting.consumer.brand, sighting.consumer.consumer) else { return }
        try see(sighting.device.rawValue, of: key, at: context.turn.now)
    }

    /// Stores that a device was active, at most once an hour.
    func see(_ device: String, of consumer: Int64, at now: Timestamp) throws {
        try db.prepare(
            "UPDATE registrations SET last_seen_at = ?1 WHERE consumer = ?2 AND device = ?3 AND last_seen_at <= ?4"
        )
        .int(now.milliseconds).int(consumer).text(device)
        .int(now.adding(seconds: -DeviceRegistration.seenForSeconds).milliseconds).run()
    }

    func endStale(_ stale: StaleDevices, _ context: inout TurnContext) throws -> StoreChangeResult {
        var change = RegistrationsChange()
        guard let brand = try brandKey(stale.brand) else { return .unregistered(change) }
        let heardFrom = try look(at: brand, for: stale, now: context.turn.now)
        guard heardFrom < stale.notSeenSince else { return .unregistered(change) }
        var found: [Int64] = []
        let rows = try db.prepare(
            "SELECT id FROM registrations WHERE brand = ? AND last_seen_at < ? ORDER BY last_seen_at LIMIT ?"
        ).int(brand).int(stale.notSeenSince.milliseconds).int(stale.limit)
        while try rows.next() { found.append(rows.int64(0)) }
        var outbox = self
        for id in found { change.ended += try outbox.end(id, by: .unregistered, .stale, &context) }
        return .unregistered(change)
    }

    /// Records a check for stale devices, and returns the moment from which inactivity counts.
    ///
    /// A gap of more than a tenth of the limit between two checks does not count as inactivity; nor does a time by a
    /// clock that was that far ahead. The stored time lags a little, so that not each check is written.
    private func look(at brand: Int64, for stale: StaleDevices, now: Timestamp) throws -> Timestamp {
        let limit = now.milliseconds - stale.notSeenSince.milliseconds
        let row = try db.prepare("SELECT looked_at, heard_from FROM stale_looks WHERE brand = ?").int(brand)
        var known: (lookedAt: Int64, heardFrom: Int64)?
        if try row.next() { known = (row.int64(0), row.int64(1)) }
        row.end()
        var heardFrom = known?.heardFrom ?? 0
        if let known {
            let away = abs(now.milliseconds - known.lookedAt)
            if away > limit / 10 {
                heardFrom = now.milliseconds
            } else if away < limit / 240 {
                return Timestamp(milliseconds: heardFrom)
            }
        }
        try db.prepare("INSERT OR REPLACE INTO stale_looks (brand, looked_at, heard_from) VALUES (?, ?, ?)")
            .int(brand).int(now.milliseconds).int(heardFrom).run()
        return Timestamp(milliseconds: heardFrom)
    }
}

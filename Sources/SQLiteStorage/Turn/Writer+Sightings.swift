import GatewayModel
import GatewayStorage

/// When devices were last heard of.
extension Writer {
    func note(_ sighting: DeviceSighting, _ context: TurnContext) throws {
        guard let key = try consumerKey(sighting.consumer.brand, sighting.consumer.consumer) else { return }
        try see(sighting.device.rawValue, of: key, at: context.turn.now)
    }

    /// Notes that a device gave a sign of life, if that is not known within the hour.
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
        var found: [Int64] = []
        let rows = try db.prepare(
            "SELECT id FROM registrations WHERE brand = ? AND last_seen_at < ? ORDER BY last_seen_at LIMIT ?"
        ).int(brand).int(stale.notSeenSince.milliseconds).int(stale.limit)
        while try rows.next() { found.append(rows.int64(0)) }
        for id in found { change.ended.append(try end(id, by: .unregistered, .stale, &context)) }
        return .unregistered(change)
    }
}

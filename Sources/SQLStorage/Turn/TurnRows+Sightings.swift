package import GatewayModel
package import TurnRules

/// The times at which devices were last active.
extension TurnRows where Self: SQLTransaction {
    package func see(_ device: DeviceID, of consumer: Int64, at now: Timestamp, last: Timestamp) throws {
        try db.prepare(
            "UPDATE registrations SET last_seen_at = ?1 WHERE consumer = ?2 AND device = ?3 AND last_seen_at <= ?4"
        )
        .time(now).int(consumer).text(device.rawValue).time(last).run()
    }

    package func staleRegistrations(of brand: Int64, notSeenSince moment: Timestamp, limit: Int) throws -> [Int64] {
        try db.prepare(
            "SELECT id FROM registrations WHERE brand = ? AND last_seen_at < ? ORDER BY last_seen_at LIMIT ?"
        ).int(brand).time(moment).int(limit).integers()
    }

    package func staleLook(of brand: Int64) throws -> (lookedAt: Timestamp, heardFrom: Timestamp)? {
        try db.prepare("SELECT looked_at, heard_from FROM stale_looks WHERE brand = ?").int(brand).first { row in
            let lookedAt: Timestamp = try row.value(0)
            let heardFrom: Timestamp = try row.value(1)
            return (lookedAt: lookedAt, heardFrom: heardFrom)
        }
    }

    package func storeStaleLook(of brand: Int64, at now: Timestamp, heardFrom: Timestamp) throws {
        try db.prepare(
            """
            INSERT INTO stale_looks (brand, looked_at, heard_from) VALUES (?1, ?2, ?3) ON CONFLICT (brand) \
            DO UPDATE SET looked_at = ?2, heard_from = ?3
            """
        ).int(brand).time(now).time(heardFrom).run()
    }
}

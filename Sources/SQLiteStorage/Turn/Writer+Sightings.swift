import GatewayModel

/// The times at which devices were last active.
extension Writer {
    func see(_ device: DeviceID, of consumer: Int64, at now: Timestamp, last: Timestamp) throws {
        try db.prepare(
            "UPDATE registrations SET last_seen_at = ?1 WHERE consumer = ?2 AND device = ?3 AND last_seen_at <= ?4"
        )
        .int(now.milliseconds).int(consumer).text(device.rawValue).int(last.milliseconds).run()
    }

    func staleRegistrations(of brand: Int64, notSeenSince moment: Timestamp, limit: Int) throws -> [Int64] {
        try ids(
            db.prepare(
                "SELECT id FROM registrations WHERE brand = ? AND last_seen_at < ? ORDER BY last_seen_at LIMIT ?"
            ).int(brand).int(moment.milliseconds).int(limit)
        )
    }

    func staleLook(of brand: Int64) throws -> (lookedAt: Timestamp, heardFrom: Timestamp)? {
        let row = try db.prepare("SELECT looked_at, heard_from FROM stale_looks WHERE brand = ?").int(brand)
        defer { row.end() }
        guard try row.next() else { return nil }
        return (Timestamp(milliseconds: row.int64(0)), Timestamp(milliseconds: row.int64(1)))
    }

    func storeStaleLook(of brand: Int64, at now: Timestamp, heardFrom: Timestamp) throws {
        try db.prepare("INSERT OR REPLACE INTO stale_looks (brand, looked_at, heard_from) VALUES (?, ?, ?)")
            .int(brand).int(now.milliseconds).int(heardFrom.milliseconds).run()
    }
}

import GatewayModel
import GatewayStorage
import TurnRules

/// Devices whose tokens a provider reports as dead; their registrations keep their rows, in a state of their own.
extension Writer {
    func stop(_ stopped: StoredRegistration, _ failed: (id: Int64, expiresAt: Timestamp)?, at now: Timestamp) throws {
        memory.registrations.remove(stopped.consumer)
        try db.prepare("INSERT OR REPLACE INTO stopped_devices (registration, lane, stopped_at) VALUES (?, ?, ?)")
            .int(stopped.id).int(stopped.lane).int(now.milliseconds).run()
        try db.prepare(
            """
            INSERT OR REPLACE INTO stopped_deliveries (registration, delivery, expires_at) \
            SELECT registration, id, expires_at FROM outbox WHERE registration = ?
            """
        ).int(stopped.id).run()
        if let failed {
            try db.prepare(
                "INSERT OR REPLACE INTO stopped_deliveries (registration, delivery, expires_at) VALUES (?, ?, ?)"
            ).int(stopped.id).int(failed.id).int(failed.expiresAt.milliseconds).run()
        }
        try db.prepare("UPDATE registrations SET state = 'invalid' WHERE id = ?").int(stopped.id).run()
    }

    func devices(of lane: LaneID) throws -> Int {
        let row = try db.prepare("SELECT devices FROM lane_devices WHERE lane = ?").int(lane.rawValue)
        defer { row.end() }
        return try row.next() ? Int(row.int64(0)) : 0
    }

    func store(suspensions: [LaneID: Bool], at now: Timestamp) throws {
        for (lane, isSuspended) in suspensions {
            if isSuspended {
                try db.prepare("INSERT OR IGNORE INTO suspended_lanes (lane, since) VALUES (?, ?)")
                    .int(lane.rawValue).int(now.milliseconds).run()
            } else {
                try db.prepare("DELETE FROM suspended_lanes WHERE lane = ?").int(lane.rawValue).run()
            }
        }
    }

    func restore(_ registration: StoredRegistration) throws -> [(id: Int64, expiresAt: Timestamp)] {
        memory.registrations.remove(registration.consumer)
        try db.prepare("UPDATE registrations SET state = 'active' WHERE id = ?").int(registration.id).run()
        var deliveries: [(id: Int64, expiresAt: Timestamp)] = []
        let rows = try db.prepare(
            "SELECT delivery, expires_at FROM stopped_deliveries WHERE registration = ? ORDER BY delivery DESC"
        ).int(registration.id)
        while try rows.next() { deliveries.append((rows.int64(0), Timestamp(milliseconds: rows.int64(1)))) }
        try forgetStop(registration.id)
        return deliveries
    }

    /// Deletes the record of a stop, once the device is registered again or its registration has ended.
    func forgetStop(_ registration: Int64) throws {
        try db.prepare("DELETE FROM stopped_devices WHERE registration = ?").int(registration).run()
        try db.prepare("DELETE FROM stopped_deliveries WHERE registration = ?").int(registration).run()
    }

    func stoppedDevices(_ request: StoppedDeviceRequest) throws -> [Int64] {
        var found: [Int64] = []
        let rows = try db.prepare(
            """
            SELECT registration FROM stopped_devices WHERE lane = ? AND stopped_at <= ? \
            ORDER BY stopped_at, registration LIMIT ?
            """
        ).int(request.lane.rawValue).int(request.stoppedBy.milliseconds).int(request.limit)
        while try rows.next() { found.append(rows.int64(0)) }
        return found
    }

    func firstStop(of lane: LaneID) throws -> Timestamp? {
        let row = try db.prepare("SELECT min(stopped_at) FROM stopped_devices WHERE lane = ?").int(lane.rawValue)
        defer { row.end() }
        return try row.next() ? row.optionalInt64(0).map(Timestamp.init(milliseconds:)) : nil
    }

    /// Returns the stopped devices of all lanes at a start.
    func stoppedAtStart() throws -> [LaneID: StoppedAtStart] {
        var found: [LaneID: StoppedAtStart] = [:]
        let rows = try db.prepare(
            """
            SELECT s.lane, s.stopped_at / 1000, count(*) FROM stopped_devices s JOIN lanes l ON l.id = s.lane \
            GROUP BY 1, 2 ORDER BY 1, 2
            """
        )
        while try rows.next() {
            let count = StoppedCount(at: Timestamp(milliseconds: rows.int64(1) * 1000), count: Int(rows.int64(2)))
            found[LaneID(rows.int64(0)), default: StoppedAtStart(devices: 0)].counts.append(count)
        }
        let suspended = try db.prepare("SELECT lane FROM suspended_lanes WHERE lane IN (SELECT id FROM lanes)")
        while try suspended.next() {
            found[LaneID(suspended.int64(0)), default: StoppedAtStart(devices: 0)].isSuspended = true
        }
        for lane in found.keys { found[lane]?.devices = try devices(of: lane) }
        return found
    }
}

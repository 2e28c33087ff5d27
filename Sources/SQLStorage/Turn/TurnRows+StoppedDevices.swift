package import GatewayModel
package import GatewayStorage
package import TurnRules

/// Devices whose tokens a provider reports as dead; their registrations keep their rows, in a state of their own.
extension TurnRows where Self: SQLTransaction {
    package func stop(
        _ stopped: StoredRegistration,
        _ failed: (id: Int64, expiresAt: Timestamp)?,
        at now: Timestamp
    ) throws {
        forgetRegistrations(of: stopped.consumer)
        try db.prepare(
            """
            INSERT INTO stopped_devices (registration, lane, stopped_at) VALUES (?1, ?2, ?3) \
            ON CONFLICT (registration) DO UPDATE SET lane = ?2, stopped_at = ?3
            """
        ).int(stopped.id).int(stopped.lane).time(now).run()
        try db.prepare(
            """
            INSERT INTO stopped_deliveries (registration, delivery, expires_at) \
            SELECT registration, id, expires_at FROM outbox WHERE registration = ? \
            ON CONFLICT (registration, delivery) DO UPDATE SET expires_at = excluded.expires_at
            """
        ).int(stopped.id).run()
        if let failed {
            try db.prepare(
                """
                INSERT INTO stopped_deliveries (registration, delivery, expires_at) VALUES (?1, ?2, ?3) \
                ON CONFLICT (registration, delivery) DO UPDATE SET expires_at = ?3
                """
            ).int(stopped.id).int(failed.id).time(failed.expiresAt).run()
        }
        try db.prepare("UPDATE registrations SET state = 'invalid' WHERE id = ?").int(stopped.id).run()
    }

    package func store(suspensions: [LaneID: Bool], at now: Timestamp) throws {
        for (lane, isSuspended) in suspensions {
            if isSuspended {
                try db.prepare("INSERT INTO suspended_lanes (lane, since) VALUES (?, ?) ON CONFLICT DO NOTHING")
                    .int(lane.rawValue).time(now).run()
            } else {
                try db.prepare("DELETE FROM suspended_lanes WHERE lane = ?").int(lane.rawValue).run()
            }
        }
    }

    package func restore(_ registration: StoredRegistration) throws -> [(id: Int64, expiresAt: Timestamp)] {
        forgetRegistrations(of: registration.consumer)
        try db.prepare("UPDATE registrations SET state = 'active' WHERE id = ?").int(registration.id).run()
        let deliveries: [(id: Int64, expiresAt: Timestamp)] = try db.prepare(
            "SELECT delivery, expires_at FROM stopped_deliveries WHERE registration = ? ORDER BY delivery DESC"
        ).int(registration.id).all { row in (id: try row.value(0), expiresAt: try row.value(1)) }
        try forgetStop(registration.id)
        return deliveries
    }

    package func stoppedDevices(_ request: StoppedDeviceRequest) throws -> [Int64] {
        try db.prepare(
            """
            SELECT registration FROM stopped_devices WHERE lane = ? AND stopped_at <= ? \
            ORDER BY stopped_at, registration LIMIT ?
            """
        ).int(request.lane.rawValue).time(request.stoppedBy).int(request.limit).integers()
    }

    package func firstStop(of lane: LaneID) throws -> Timestamp? {
        try db.prepare("SELECT stopped_at FROM stopped_devices WHERE lane = ? ORDER BY stopped_at LIMIT 1")
            .int(lane.rawValue).first { try $0.value(0) }
    }

    package func devices(of lane: LaneID) throws -> Int { try db.devices(of: lane) }
}

extension SQLTransaction {
    /// Deletes the record of a stop, once the device is registered again or its registration has ended.
    func forgetStop(_ registration: Int64) throws {
        try db.prepare("DELETE FROM stopped_devices WHERE registration = ?").int(registration).run()
        try db.prepare("DELETE FROM stopped_deliveries WHERE registration = ?").int(registration).run()
    }
}

extension SQLConnection {
    fileprivate func devices(of lane: LaneID) throws -> Int {
        Int(try prepare("SELECT devices FROM lane_devices WHERE lane = ?").int(lane.rawValue).integer() ?? 0)
    }

    /// Returns the stopped devices of all lanes at a start.
    ///
    /// - Returns: The devices of each lane that has some, or is suspended.
    /// - Throws: An error of the engine.
    package func stoppedAtStart() throws -> [LaneID: StoppedAtStart] {
        var found: [LaneID: StoppedAtStart] = [:]
        let rows = try prepare(
            """
            SELECT s.lane, s.stopped_at / 1000, count(*), sum(r.imported) FROM stopped_devices s \
            JOIN lanes l ON l.id = s.lane JOIN registrations r ON r.id = s.registration GROUP BY 1, 2 ORDER BY 1, 2
            """
        )
        while try rows.next() {
            let lane = LaneID(try rows.value(0))
            let second: Int64 = try rows.value(1)
            let count = StoppedCount(
                at: Timestamp(milliseconds: second * 1000),
                count: try rows.value(2),
                imported: try rows.value(3)
            )
            found[lane, default: StoppedAtStart(devices: 0)].counts.append(count)
        }
        let suspended = try prepare("SELECT lane FROM suspended_lanes WHERE lane IN (SELECT id FROM lanes)").integers()
        for lane in suspended { found[LaneID(lane), default: StoppedAtStart(devices: 0)].isSuspended = true }
        for lane in found.keys { found[lane]?.devices = try devices(of: lane) }
        return found
    }
}

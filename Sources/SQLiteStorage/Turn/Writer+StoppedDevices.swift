import GatewayModel
import GatewayStorage
import TurnRules

/// Devices whose tokens a provider reports as dead: hidden at once, ended later, or restored when the provider was
/// wrong.
///
/// Their registrations keep their rows, in a state of their own, so that a logout, an erasure or another consumer's
/// registration of the device ends them like any other.
extension Writer {
    /// Hides a registration, and cancels its waiting rows.
    ///
    /// - Parameters:
    ///   - registration: The registration.
    ///   - lane: Its lane.
    ///   - failed: The delivery that was rejected, which is in the log; nil when it ended for another reason.
    ///   - context: The turn.
    /// - Throws: An error of SQLite.
    func stop(
        _ registration: Int64,
        lane: Int64,
        _ failed: (id: Int64, expiresAt: Int64)?,
        _ context: inout TurnContext
    ) throws {
        try db.prepare("INSERT OR REPLACE INTO stopped_devices (registration, lane, stopped_at) VALUES (?, ?, ?)")
            .int(registration).int(lane).int(context.turn.now.milliseconds).run()
        try db.prepare(
            """
            INSERT OR REPLACE INTO stopped_deliveries (registration, delivery, expires_at) \
            SELECT registration, id, expires_at FROM outbox WHERE registration = ?
            """
        ).int(registration).run()
        if let failed {
            try db.prepare(
                "INSERT OR REPLACE INTO stopped_deliveries (registration, delivery, expires_at) VALUES (?, ?, ?)"
            ).int(registration).int(failed.id).int(failed.expiresAt).run()
        }
        try withdrawAll(of: registration, state: .cancelled, by: .unregistered, .all, &context)
        try db.prepare("UPDATE registrations SET state = 'invalid' WHERE id = ?").int(registration).run()
        context.noteStopped(registration, lane: lane)
    }

    /// Returns the devices that outcomes of the turn have stopped, with the number of each lane's registrations.
    func stopped(_ context: TurnContext) throws -> [LaneID: StoppedDevices] {
        var stopped: [LaneID: StoppedDevices] = [:]
        for (lane, registrations) in context.stopped {
            stopped[LaneID(lane)] = StoppedDevices(registrations: registrations, devices: try devices(of: lane))
        }
        return stopped
    }

    private func devices(of lane: Int64) throws -> Int {
        let row = try db.prepare("SELECT devices FROM lane_devices WHERE lane = ?").int(lane)
        defer { row.end() }
        return try row.next() ? Int(row.int64(0)) : 0
    }

    /// Stores the suspended lanes.
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

    /// Ends the registrations of stopped devices.
    func invalidate(_ request: StoppedDeviceRequest, _ context: TurnContext) throws -> StoppedDeviceResult {
        let found = try stoppedDevices(request)
        for registration in found {
            if try isStopped(registration) {
                try publishUnregistered(registration, .tokenDead, at: context.turn.now)
                try db.prepare("DELETE FROM registrations WHERE id = ?").int(registration).run()
            }
            try forgetStop(registration)
        }
        return try result(found, of: request)
    }

    /// Restores devices about which a provider was wrong, and requeues their deliveries.
    func putBack(_ request: StoppedDeviceRequest, _ context: inout TurnContext) throws -> StoppedDeviceResult {
        let found = try stoppedDevices(request)
        for registration in found {
            try putBack(registration, &context)
            try forgetStop(registration)
        }
        return try result(found, of: request)
    }

    private func putBack(_ registration: Int64, _ context: inout TurnContext) throws {
        let row = try db.prepare("SELECT consumer FROM registrations WHERE id = ? AND state = 'invalid'")
            .int(registration)
        guard try row.next() else { return }
        let consumer = row.int64(0)
        row.end()
        try db.prepare("UPDATE registrations SET state = 'active' WHERE id = ?").int(registration).run()
        memory.registrations.remove(consumer)
        // None when its app is deleted.
        guard let known = try registrations(of: consumer).first(where: { $0.id == registration }) else { return }
        var deliveries: [(id: Int64, expiresAt: Int64)] = []
        // The newest first: rows that it replaces stay in the log.
        let rows = try db.prepare(
            """
            SELECT delivery, expires_at FROM stopped_deliveries WHERE registration = ? AND expires_at > ? \
            ORDER BY delivery DESC
            """
        ).int(registration).int(context.turn.now.milliseconds)
        while try rows.next() { deliveries.append((rows.int64(0), rows.int64(1))) }
        for delivery in deliveries {
            try reopen(delivery.id, for: known, until: Timestamp(milliseconds: delivery.expiresAt), &context)
        }
    }

    /// Deletes the record of a stop, once the device is registered again or its registration has ended.
    func forgetStop(_ registration: Int64) throws {
        try db.prepare("DELETE FROM stopped_devices WHERE registration = ?").int(registration).run()
        try db.prepare("DELETE FROM stopped_deliveries WHERE registration = ?").int(registration).run()
    }

    private func isStopped(_ registration: Int64) throws -> Bool {
        let row = try db.prepare("SELECT 1 FROM registrations WHERE id = ? AND state = 'invalid'").int(registration)
        defer { row.end() }
        return try row.next()
    }

    private func stoppedDevices(_ request: StoppedDeviceRequest) throws -> [Int64] {
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

    private func result(_ done: [Int64], of request: StoppedDeviceRequest) throws -> StoppedDeviceResult {
        let lane = request.lane.rawValue
        let row = try db.prepare("SELECT min(stopped_at) FROM stopped_devices WHERE lane = ?").int(lane)
        defer { row.end() }
        _ = try row.next()
        return StoppedDeviceResult(
            registrations: done.map { RegistrationID($0) },
            oldest: row.optionalInt64(0).map(Timestamp.init(milliseconds:))
        )
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
        for lane in found.keys { found[lane]?.devices = try devices(of: lane.rawValue) }
        return found
    }
}

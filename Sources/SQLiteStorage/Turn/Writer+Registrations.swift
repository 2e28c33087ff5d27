import GatewayModel
import GatewayStorage
import SQLStorage
import TurnRules

extension Writer {
    func lane(of device: DeviceToRegister, brand: Int64) throws -> Int64? {
        let lane = try db.prepare(
            "SELECT id FROM lanes WHERE brand = ? AND app = ? AND push_type = ? AND environment = ?"
        )
        .int(brand).text(device.app.rawValue).text(device.pushType.rawValue).text(device.environment.rawValue)
        guard try lane.next() else { return nil }
        defer { lane.end() }
        return lane.int64(0)
    }

    func storedRegistrations(_ lookup: RegistrationLookup) throws -> [StoredRegistration] {
        let rows =
            switch lookup {
            case .id(let id):
                try db.prepare(
                    """
                    SELECT id, consumer, lane, app, device, token, time_zone, receives, registered_at, created_at, \
                    state = 'invalid', lane NOT IN (SELECT id FROM lanes) FROM registrations WHERE id = ?
                    """
                ).int(id)
            case .consumer(let consumer):
                try db.prepare(
                    """
                    SELECT id, consumer, lane, app, device, token, time_zone, receives, registered_at, created_at, \
                    state = 'invalid', lane NOT IN (SELECT id FROM lanes) FROM registrations WHERE consumer = ? ORDER BY id
                    """
                ).int(consumer)
            case .device(let device, let brand):
                try db.prepare(
                    """
                    SELECT id, consumer, lane, app, device, token, time_zone, receives, registered_at, created_at, \
                    state = 'invalid', lane NOT IN (SELECT id FROM lanes) FROM registrations \
                    WHERE brand = ?1 AND app IN (SELECT id FROM apps WHERE brand = ?1) AND device = ?2 ORDER BY id
                    """
                ).int(brand).text(device.rawValue)
            case .token(let token, let pushType, let brand):
                try db.prepare(
                    """
                    SELECT id, consumer, lane, app, device, token, time_zone, receives, registered_at, created_at, \
                    state = 'invalid', lane NOT IN (SELECT id FROM lanes) FROM registrations \
                    WHERE brand = ? AND token = ? AND push_type = ? ORDER BY id
                    """
                ).int(brand).text(token).text(pushType.rawValue)
            }
        var found: [StoredRegistration] = []
        while try rows.next() {
            found.append(
                StoredRegistration(
                    id: rows.int64(0),
                    consumer: rows.int64(1),
                    lane: rows.int64(2),
                    app: AppID(trusted: rows.string(3)),
                    device: DeviceID(trusted: rows.string(4)),
                    token: rows.string(5),
                    timeZone: rows.optionalString(6),
                    receives: Receives(rawValue: Int(rows.int64(7))),
                    registeredAt: Timestamp(milliseconds: rows.int64(8)),
                    createdAt: Timestamp(milliseconds: rows.int64(9)),
                    isStopped: rows.int64(10) != 0,
                    isDeleted: rows.int64(11) != 0
                )
            )
        }
        return found
    }

    func insert(_ device: DeviceToRegister, of owner: KnownConsumer, lane: Int64, at now: Timestamp) throws -> Int64 {
        memory.registrations.remove(owner.key)
        try db.prepare(
            """
            INSERT INTO registrations (brand, app, device, consumer, lane, token, push_type, environment, platform, locale, \
            time_zone, os_version, app_version, receives, state, registered_at, created_at, last_seen_at, extra_tokens) \
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, 'active', ?15, ?15, ?15, ?16)
            """
        )
        .int(owner.name.brand).text(device.app.rawValue).text(device.device.rawValue).int(owner.key).int(lane)
        .text(device.token).text(device.pushType.rawValue).text(device.environment.rawValue)
        .text(device.platform.rawValue).text(device.locale).text(device.timeZone).text(device.osVersion)
        .text(device.appVersion).int(device.receives.rawValue).int(now.milliseconds)
        .text(ExtraTokenText.text(device.extraTokens)).run()
        return db.lastInsertedRow
    }

    func renew(_ kept: StoredRegistration, as device: DeviceToRegister, at now: Timestamp) throws {
        memory.registrations.remove(kept.consumer)
        try db.prepare(
            """
            UPDATE registrations SET token = ?2, platform = ?3, locale = ?4, time_zone = ?5, os_version = ?6, \
            app_version = ?7, receives = ?8, state = 'active', registered_at = ?9, last_seen_at = ?9, extra_tokens = ?10 \
            WHERE id = ?1
            """
        )
        .int(kept.id).text(device.token).text(device.platform.rawValue).text(device.locale)
        .text(device.timeZone).text(device.osVersion).text(device.appVersion).int(device.receives.rawValue)
        .int(now.milliseconds).text(ExtraTokenText.text(device.extraTokens)).run()
        if kept.isStopped { try forgetStop(kept.id) }
    }

    func narrow(_ narrowed: StoredRegistration, _ reason: UnregisterReason, at now: Timestamp) throws {
        memory.registrations.remove(narrowed.consumer)
        try db.prepare("UPDATE registrations SET receives = ? WHERE id = ?").int(narrowed.receives.rawValue)
            .int(narrowed.id).run()
        try publishUnregistered(narrowed.id, reason, isOnlyAgent: true, at: now)
    }

    func delete(_ ended: StoredRegistration, _ reason: UnregisterReason?, at now: Timestamp) throws {
        if let reason { try publishUnregistered(ended.id, reason, at: now) }
        memory.registrations.remove(ended.consumer)
        try db.prepare("DELETE FROM registrations WHERE id = ?").int(ended.id).run()
    }

    func quarantine(_ registration: StoredRegistration) throws {
        memory.registrations.remove(registration.consumer)
        try db.prepare("UPDATE registrations SET state = 'quarantined' WHERE id = ?").int(registration.id).run()
    }
}

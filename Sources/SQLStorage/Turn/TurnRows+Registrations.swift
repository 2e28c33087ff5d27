package import GatewayModel
package import GatewayStorage
package import TurnRules

/// Registrations of devices, and their ends.
extension TurnRows where Self: SQLTransaction {
    package func lane(of device: DeviceToRegister, brand: Int64) throws -> Int64? {
        try db.prepare("SELECT id FROM lanes WHERE brand = ? AND app = ? AND push_type = ? AND environment = ?")
            .int(brand).text(device.app.rawValue).text(device.pushType.rawValue).text(device.environment.rawValue)
            .integer()
    }

    package func storedRegistrations(_ lookup: RegistrationLookup) throws -> [StoredRegistration] {
        let rows =
            switch lookup {
            case .id(let id):
                try db.prepare(
                    """
                    SELECT id, consumer, lane, app, device, token, time_zone, receives, registered_at, created_at, \
                    state = 'invalid', lane NOT IN (SELECT id FROM lanes), imported FROM registrations WHERE id = ?
                    """
                ).int(id)
            case .consumer(let consumer):
                try db.prepare(
                    """
                    SELECT id, consumer, lane, app, device, token, time_zone, receives, registered_at, created_at, \
                    state = 'invalid', lane NOT IN (SELECT id FROM lanes), imported FROM registrations WHERE consumer = ? ORDER BY id
                    """
                ).int(consumer)
            case .device(let device, let brand):
                try db.prepare(
                    """
                    SELECT id, consumer, lane, app, device, token, time_zone, receives, registered_at, created_at, \
                    state = 'invalid', lane NOT IN (SELECT id FROM lanes), imported FROM registrations \
                    WHERE brand = ?1 AND app IN (SELECT id FROM apps WHERE brand = ?1) AND device = ?2 ORDER BY id
                    """
                ).int(brand).text(device.rawValue)
            case .token(let token, let pushType, let brand):
                try db.prepare(
                    """
                    SELECT id, consumer, lane, app, device, token, time_zone, receives, registered_at, created_at, \
                    state = 'invalid', lane NOT IN (SELECT id FROM lanes), imported FROM registrations \
                    WHERE brand = ? AND token = ? AND push_type = ? ORDER BY id
                    """
                ).int(brand).text(token).text(pushType.rawValue)
            }
        return try rows.all { row in
            StoredRegistration(
                id: try row.value(0),
                consumer: try row.value(1),
                lane: try row.value(2),
                app: AppID(trusted: try row.value(3)),
                device: DeviceID(trusted: try row.value(4)),
                token: try row.value(5),
                timeZone: try row.value(6),
                receives: Receives(rawValue: try row.value(7)),
                registeredAt: try row.value(8),
                createdAt: try row.value(9),
                isStopped: try row.value(10),
                isDeleted: try row.value(11),
                isImported: try row.value(12)
            )
        }
    }

    /// Reads the registration with a token from the database, as ``TurnRows/owner(of:brand:)`` returns it.
    package func storedOwner(of token: AgentEvent.TokenName, brand: Int64) throws -> TokenOwner? {
        try db.prepare(
            """
            SELECT r.id, u.id, CASE WHEN r.state = 'active' THEN r.receives ELSE 0 END FROM registrations r \
            JOIN consumers u ON u.key = r.consumer JOIN lanes l ON l.id = r.lane WHERE r.brand = ?1 AND r.token = ?2 \
            AND r.push_type = ?3 AND r.app = coalesce(?4, r.app) AND r.state <> 'invalid' ORDER BY r.id LIMIT 1
            """
        ).int(brand).text(token.text).text(token.pushType.rawValue).text(token.app?.rawValue).first { row in
            TokenOwner(
                registration: RegistrationID(try row.value(0)),
                consumer: ConsumerID(trusted: try row.value(1)),
                receives: Receives(rawValue: try row.value(2))
            )
        }
    }

    package func insert(
        _ device: DeviceToRegister,
        of owner: KnownConsumer,
        lane: Int64,
        at now: Timestamp
    ) throws -> Int64 {
        forgetRegistrations(of: owner.key)
        let id = try db.prepare(
            """
            INSERT INTO registrations (brand, app, device, consumer, lane, token, push_type, environment, platform, locale, \
            time_zone, os_version, app_version, receives, state, registered_at, created_at, last_seen_at, extra_tokens, \
            imported) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, 'active', ?15, ?15, ?15, ?16, \
            ?17) RETURNING id
            """
        )
        .int(owner.name.brand).text(device.app.rawValue).text(device.device.rawValue).int(owner.key).int(lane)
        .text(device.token).text(device.pushType.rawValue).text(device.environment.rawValue)
        .text(device.platform.rawValue).text(device.locale).text(device.timeZone).text(device.osVersion)
        .text(device.appVersion).int(device.receives.rawValue).time(now)
        .text(ExtraTokenText.text(device.extraTokens)).int(device.isImported ? 1 : 0).integer()
        guard let id else { throw StorageError.constraint(detail: "the registration was not inserted") }
        return id
    }

    package func renew(_ kept: StoredRegistration, as device: DeviceToRegister, at now: Timestamp) throws {
        forgetRegistrations(of: kept.consumer)
        try db.prepare(
            """
            UPDATE registrations SET token = ?2, platform = ?3, locale = ?4, time_zone = ?5, os_version = ?6, \
            app_version = ?7, receives = ?8, state = 'active', registered_at = ?9, last_seen_at = ?9, extra_tokens = ?10, \
            imported = 0 WHERE id = ?1
            """
        )
        .int(kept.id).text(device.token).text(device.platform.rawValue).text(device.locale)
        .text(device.timeZone).text(device.osVersion).text(device.appVersion).int(device.receives.rawValue)
        .time(now).text(ExtraTokenText.text(device.extraTokens)).run()
        if kept.isStopped { try forgetStop(kept.id) }
    }

    package func narrow(_ narrowed: StoredRegistration, _ reason: UnregisterReason, at now: Timestamp) throws {
        forgetRegistrations(of: narrowed.consumer)
        try db.prepare("UPDATE registrations SET receives = ? WHERE id = ?").int(narrowed.receives.rawValue)
            .int(narrowed.id).run()
        try publishUnregistered(narrowed.id, reason, isOnlyAgent: true, at: now)
    }

    package func delete(_ ended: StoredRegistration, _ reason: UnregisterReason?, at now: Timestamp) throws {
        if let reason { try publishUnregistered(ended.id, reason, isOnlyAgent: false, at: now) }
        forgetRegistrations(of: ended.consumer)
        try db.prepare("DELETE FROM registrations WHERE id = ?").int(ended.id).run()
    }

    package func quarantine(_ registration: StoredRegistration) throws {
        forgetRegistrations(of: registration.consumer)
        try db.prepare("UPDATE registrations SET state = 'quarantined' WHERE id = ?").int(registration.id).run()
    }

    package func confirm(_ registration: StoredRegistration) throws {
        forgetRegistrations(of: registration.consumer)
        try db.prepare("UPDATE registrations SET imported = 0 WHERE id = ?").int(registration.id).run()
    }
}

extension SQLTransaction {
    /// Publishes the end of a registration; call before it is deleted.
    fileprivate func publishUnregistered(
        _ registration: Int64,
        _ reason: UnregisterReason,
        isOnlyAgent: Bool,
        at now: Timestamp
    ) throws {
        guard try hasReaders() else { return }
        let rows = try db.prepare(
            """
            SELECT r.brand, u.id, r.app, r.device, r.push_type FROM registrations r \
            JOIN consumers u ON u.key = r.consumer WHERE r.id = ?
            """
        ).int(registration)
        guard try rows.next() else { return }
        let brand: Int64 = try rows.value(0)
        let device = OutboundFact.UnregisteredDevice(
            consumer: try rows.value(1),
            app: try rows.value(2),
            device: try rows.value(3),
            pushType: try rows.value(4),
            reason: reason,
            isOnlyAgent: isOnlyAgent
        )
        rows.end()
        try publish(brand, at: now, .unregistered(device))
    }
}

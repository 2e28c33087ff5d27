import GatewayModel
import GatewayStorage
import TurnRules

extension Writer {
    func register(_ device: DeviceToRegister, _ context: inout TurnContext) throws -> StoreChangeResult {
        guard let brand = try brandKey(device.brand), let lane = try lane(of: device, brand: brand) else {
            return .notFound
        }
        let now = context.turn.now
        let name = BrandedName(brand: brand, id: device.consumer.rawValue)
        let known = try self.consumer(name)
        let existing = try self.existing(device, brand: brand)
        if let session = device.session {
            guard try isLive(session, of: known?.key, at: now) else { return .sessionEnded }
            guard try !isBound(session, elsewhereThan: device.device.rawValue) else { return .boundElsewhere }
            // Knowing a device's id must not suffice to get its pushes or to end its registration: its token proves who
            // has it.
            if let existing, !existing.isHidden, existing.consumer != known?.key, !existing.isProven(by: device) {
                return .conflict
            }
        }
        let owner = try known ?? makeConsumer(name, at: now)
        let consumer = owner.key

        var (ended, isOthers) = try endOthers(withTokenOf: device, brand: brand, of: consumer, &context)
        var kept: (id: Int64, createdAt: Timestamp)?
        var hasMoved = false
        if let existing, existing.isDeleted {
            ended += try end(existing.id, by: .unregistered, .appDeleted, &context)
        } else if let existing {
            hasMoved = existing.timeZone != device.timeZone
            if existing.consumer == consumer, existing.lane == lane {
                kept = (existing.id, existing.createdAt)
            } else {
                if existing.consumer != consumer, !existing.isStopped { isOthers = true }
                // Another consumer, or another lane: waiting rows must neither be shown to the new consumer nor sent
                // there.
                ended +=
                    existing.token.utf8.elementsEqual(device.token.utf8)
                    ? try end(existing.id, by: .tokenMoved, .tokenMoved, &context)
                    : try end(existing.id, by: .unregistered, .replaced, &context)
            }
        }
        if isOthers, device.session == nil { try write(device.audit) }
        let id: Int64
        if let kept {
            id = kept.id
            try renew(id, device, &context)
            if existing?.isStopped == true { try forgetStop(id) }
            // Rows that wait for the end of quiet hours now wait for that of another time zone.
            if hasMoved {
                var rows = self
                try rows.requeue(registration: id, &context)
            }
        } else {
            id = try insert(device, brand: brand, consumer: consumer, lane: lane, at: now)
            ended += try endOldest(of: consumer, &context)
        }
        if let session = device.session {
            var changed = try bind(session, to: device.device.rawValue)
            if device.singleDevice {
                changed += try endSessions(of: consumer, before: session)
                ended += try endOthers(than: device.device.rawValue, of: consumer, &context)
            }
            // The sessions in memory do not have the device of a session that was bound.
            if changed > 0 { noteEnd(device.brand, ConsumerID(trusted: owner.name.id)) }
        }
        memory.registrations.remove(consumer)
        var registration = DeviceRegistration(
            id: RegistrationID(id),
            brand: device.brand,
            app: device.app,
            device: device.device,
            consumer: ConsumerID(trusted: owner.name.id),
            lane: LaneID(lane),
            token: device.token,
            pushType: device.pushType,
            environment: device.environment,
            platform: device.platform,
            locale: device.locale,
            timeZone: device.timeZone,
            osVersion: device.osVersion,
            appVersion: device.appVersion,
            receives: device.receives,
            state: .active,
            registeredAt: now,
            createdAt: kept?.createdAt ?? now
        )
        registration.extraTokens = device.extraTokens
        let isCreated = kept == nil || existing?.isStopped == true
        return .registered(RegistrationChange(registration: registration, created: isCreated, ended: ended))
    }

    /// The registration of a device for an app, before it is registered again.
    private struct ExistingRegistration {
        var id: Int64
        var consumer: Int64
        var lane: Int64
        var token: String
        var createdAt: Timestamp
        var timeZone: String?
        /// Whether it belongs to a deleted app of the same id.
        var isDeleted: Bool
        /// Whether its provider reported its token as dead.
        var isStopped: Bool
        /// Whether lookups no longer find it.
        var isHidden: Bool { isDeleted || isStopped }

        /// Whether a device presents the registration's present token.
        func isProven(by device: DeviceToRegister) -> Bool {
            PushTokenProof(forms: [Array(device.token.utf8)]).proves(token)
                || device.currentToken?.proves(token) == true
        }
    }

    private func existing(_ device: DeviceToRegister, brand: Int64) throws -> ExistingRegistration? {
        let row = try db.prepare(
            """
            SELECT id, consumer, lane, token, created_at, time_zone, lane NOT IN (SELECT id FROM lanes), state = 'invalid' \
            FROM registrations \
            WHERE brand = ? AND app = ? AND device = ?
            """
        )
        .int(brand).text(device.app.rawValue).text(device.device.rawValue)
        defer { row.end() }
        guard try row.next() else { return nil }
        return ExistingRegistration(
            id: row.int64(0),
            consumer: row.int64(1),
            lane: row.int64(2),
            token: row.string(3),
            createdAt: Timestamp(milliseconds: row.int64(4)),
            timeZone: row.optionalString(5),
            isDeleted: row.int64(6) != 0,
            isStopped: row.int64(7) != 0
        )
    }

    /// The number of registrations of one consumer: more than people have; each costs every message a row.
    private static let perConsumer: Int64 = 100

    /// Ends a consumer's registrations beyond the limit, the oldest first.
    func endOldest(of consumer: Int64, _ context: inout TurnContext) throws -> [RegistrationID] {
        var oldest: [Int64] = []
        let rows = try db.prepare(
            """
            SELECT id FROM registrations WHERE consumer = ? AND state <> 'invalid' AND lane IN (SELECT id FROM lanes) \
            ORDER BY registered_at DESC, id DESC LIMIT -1 OFFSET ?
            """
        ).int(consumer).int(Self.perConsumer)
        while try rows.next() { oldest.append(rows.int64(0)) }
        return try oldest.flatMap { try end($0, by: .unregistered, .replaced, &context) }
    }

    private func lane(of device: DeviceToRegister, brand: Int64) throws -> Int64? {
        let lane = try db.prepare(
            "SELECT id FROM lanes WHERE brand = ? AND app = ? AND push_type = ? AND environment = ?"
        )
        .int(brand).text(device.app.rawValue).text(device.pushType.rawValue).text(device.environment.rawValue)
        guard try lane.next() else { return nil }
        defer { lane.end() }
        return lane.int64(0)
    }

    private func insert(
        _ device: DeviceToRegister,
        brand: Int64,
        consumer: Int64,
        lane: Int64,
        at now: Timestamp
    ) throws -> Int64 {
        try db.prepare(
            """
            INSERT INTO registrations (brand, app, device, consumer, lane, token, push_type, environment, platform, locale, \
            time_zone, os_version, app_version, receives, state, registered_at, created_at, last_seen_at, extra_tokens) \
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, 'active', ?15, ?15, ?15, ?16)
            """
        )
        .int(brand).text(device.app.rawValue).text(device.device.rawValue).int(consumer).int(lane)
        .text(device.token).text(device.pushType.rawValue).text(device.environment.rawValue)
        .text(device.platform.rawValue).text(device.locale).text(device.timeZone).text(device.osVersion)
        .text(device.appVersion).int(device.receives.rawValue).int(now.milliseconds)
        .text(ExtraTokenText.text(device.extraTokens)).run()
        return db.lastInsertedRow
    }

    private func renew(_ id: Int64, _ device: DeviceToRegister, _ context: inout TurnContext) throws {
        // Pushes that the device no longer wants must not arrive late.
        if !device.receives.contains(.agent) {
            try withdrawAll(of: id, state: .cancelled, by: .unregisteredAgent, .agent, &context)
        }
        if !device.receives.contains(.proactive) {
            try withdrawAll(of: id, state: .cancelled, by: .noConsent, .proactive, &context)
        }
        try db.prepare(
            """
            UPDATE registrations SET token = ?2, platform = ?3, locale = ?4, time_zone = ?5, os_version = ?6, \
            app_version = ?7, receives = ?8, state = 'active', registered_at = ?9, last_seen_at = ?9, extra_tokens = ?10 \
            WHERE id = ?1
            """
        )
        .int(id).text(device.token).text(device.platform.rawValue).text(device.locale).text(device.timeZone)
        .text(device.osVersion).text(device.appVersion).int(device.receives.rawValue)
        .int(context.turn.now.milliseconds).text(ExtraTokenText.text(device.extraTokens)).run()
        context.renew(id, as: device)
    }

    /// Moves registrations of the brand with the same token under another device id or app to the new one; returns
    /// whether one of them was another consumer's.
    private func endOthers(
        withTokenOf device: DeviceToRegister,
        brand: Int64,
        of consumer: Int64,
        _ context: inout TurnContext
    ) throws -> (ended: [RegistrationID], isOthers: Bool) {
        var others: [Int64] = []
        var isOthers = false
        let rows = try db.prepare(
            """
            SELECT id, consumer, state FROM registrations \
            WHERE brand = ? AND token = ? AND push_type = ? AND NOT (app = ? AND device = ?) \
            AND lane IN (SELECT id FROM lanes)
            """
        )
        .int(brand).text(device.token).text(device.pushType.rawValue).text(device.app.rawValue).text(
            device.device.rawValue
        )
        while try rows.next() {
            others.append(rows.int64(0))
            if rows.int64(1) != consumer, rows.string(2) != "invalid" { isOthers = true }
        }
        return (try others.flatMap { try end($0, by: .tokenMoved, .tokenMoved, &context) }, isOthers)
    }

    /// Deletes a registration; its pending deliveries are cancelled.
    ///
    /// Returns it, unless it was stopped and so hidden.
    func end(
        _ registration: Int64,
        by suppressedBy: SuppressedBy,
        _ reason: UnregisterReason,
        _ context: inout TurnContext
    ) throws -> [RegistrationID] {
        try withdrawAll(of: registration, state: .cancelled, by: suppressedBy, .all, &context)
        try publishUnregistered(registration, reason, at: context.turn.now)
        var isStopped = false
        let owner = try db.prepare("SELECT consumer, state FROM registrations WHERE id = ?").int(registration)
        if try owner.next() {
            memory.registrations.remove(owner.int64(0))
            isStopped = owner.string(1) == "invalid"
            owner.end()
        }
        try db.prepare("DELETE FROM registrations WHERE id = ?").int(registration).run()
        return isStopped ? [] : [RegistrationID(registration)]
    }

    func unregister(
        consumer: Int64,
        app: String?,
        device: String?,
        _ scope: UnregisterScope,
        _ reason: UnregisterReason,
        _ context: inout TurnContext
    ) throws -> RegistrationsChange {
        var change = RegistrationsChange()
        guard scope != .none else { return change }
        var found: [(id: Int64, receives: Receives, isStopped: Bool)] = []
        let rows = try db.prepare(
            """
            SELECT id, receives, state FROM registrations WHERE consumer = ?1 AND (?2 IS NULL OR app = ?2) \
            AND (?3 IS NULL OR device = ?3) AND lane IN (SELECT id FROM lanes) ORDER BY id
            """
        ).int(consumer).text(app).text(device)
        while try rows.next() {
            found.append((rows.int64(0), Receives(rawValue: Int(rows.int64(1))), rows.string(2) == "invalid"))
        }
        for (id, receives, isStopped) in found {
            if scope == .all {
                change.ended += try end(id, by: .unregistered, reason, &context)
            } else if receives.contains(.agent) {
                try withdrawAll(of: id, state: .cancelled, by: .unregisteredAgent, .agent, &context)
                try db.prepare("UPDATE registrations SET receives = ? WHERE id = ?")
                    .int(receives.subtracting(.agent).rawValue).int(id).run()
                try publishUnregistered(id, reason, isOnlyAgent: true, at: context.turn.now)
                if !isStopped { change.narrowed.append(RegistrationID(id)) }
            }
        }
        memory.registrations.remove(consumer)
        return change
    }
}

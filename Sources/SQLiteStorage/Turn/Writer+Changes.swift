import GatewayModel
import GatewayStorage

extension Writer {
    func apply(_ change: StoreChange, _ context: inout TurnContext) throws -> StoreChangeResult {
        // A change writes counters and rows directly: nothing of the turn's memory may stand against it.
        try forget(&context)
        switch change {
        case .register(let device): return try register(device, &context)
        case .unregister(let brand, let consumer, let app, let device, let scope):
            guard let key = try consumerKey(brand, consumer) else { return .unregistered(RegistrationsChange()) }
            return .unregistered(try unregister(consumer: key, app: app?.rawValue, device: device?.rawValue, scope))
        case .read(let request):
            if case .changed(let change) = try read(request, &context) { return .read(change) }
            return .notFound
        case .tap(let request): return try tap(request, now: context.turn.now)
        case .receipts(let brand, let consumer, let receipts):
            return try record(receipts, brand: brand, consumer: consumer)
        case .upsertConsumer(let brand, let id, let anonymous, let profile):
            return try upsert(id, brand: brand, anonymous: anonymous, profile: profile, &context)
        case .openSession(let session): return try open(session, &context)
        case .endSession(let tokenHash, let scope): return try endSession(tokenHash, scope)
        case .endSessions(let brand, let consumer, let device, let scope):
            return try endSessions(brand, consumer, device, scope)
        }
    }

    private func consumerKey(_ brand: BrandID, _ consumer: ConsumerID) throws -> Int64? {
        guard let brand = try brandKey(brand) else { return nil }
        let row = try db.prepare("SELECT key FROM consumers WHERE brand = ? AND id = ?").int(brand).text(
            consumer.rawValue
        )
        guard try row.next() else { return nil }
        defer { row.end() }
        return row.int64(0)
    }

    // MARK: Registrations

    private func register(_ device: DeviceToRegister, _ context: inout TurnContext) throws -> StoreChangeResult {
        guard let brand = try brandKey(device.brand) else { return .notFound }
        let now = context.turn.now
        let lane = try db.prepare(
            "SELECT id FROM lanes WHERE brand = ? AND app = ? AND push_type = ? AND environment = ?"
        )
        .int(brand).text(device.app.rawValue).text(device.pushType.rawValue).text(device.environment.rawValue)
        guard try lane.next() else { return .notFound }
        let laneID = lane.int64(0)
        lane.end()
        let consumer = try self.consumer(device.consumer, brand: brand, &context).key

        var ended = try endOthers(withTokenOf: device, brand: brand)
        let existing = try db.prepare(
            "SELECT id, consumer, lane FROM registrations WHERE brand = ? AND app = ? AND device = ?"
        )
        .int(brand).text(device.app.rawValue).text(device.device.rawValue)
        var kept: Int64?
        if try existing.next() {
            let (id, owner, oldLane) = (existing.int64(0), existing.int64(1), existing.int64(2))
            existing.end()
            // Another consumer, or another way out: what waits must neither be shown to the new one nor sent there.
            if owner == consumer, oldLane == laneID { kept = id } else { ended.append(try end(id, by: .unregistered)) }
        }
        if let kept {
            try db.prepare(
                """
                UPDATE registrations SET token = ?, platform = ?, locale = ?, time_zone = ?, os_version = ?, app_version = ?, \
                receives = ?, state = 'active', registered_at = ? WHERE id = ?
                """
            )
            .text(device.token).text(device.platform.rawValue).text(device.locale).text(device.timeZone)
            .text(device.osVersion).text(device.appVersion).int(device.receives.rawValue).int(now.milliseconds).int(
                kept
            ).run()
        } else {
            try db.prepare(
                """
                INSERT INTO registrations (brand, app, device, consumer, lane, token, push_type, environment, platform, locale, \
                time_zone, os_version, app_version, receives, state, registered_at, created_at) \
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, 'active', ?15, ?15)
                """
            )
            .int(brand).text(device.app.rawValue).text(device.device.rawValue).int(consumer).int(laneID)
            .text(device.token).text(device.pushType.rawValue).text(device.environment.rawValue)
            .text(device.platform.rawValue).text(device.locale).text(device.timeZone).text(device.osVersion)
            .text(device.appVersion).int(device.receives.rawValue).int(now.milliseconds).run()
        }
        let id = kept ?? db.lastInsertedRow
        try forget(&context)
        let row = try db.prepare("SELECT created_at FROM registrations WHERE id = ?").int(id)
        _ = try row.next()
        let createdAt = Timestamp(milliseconds: row.int64(0))
        row.end()
        let registration = DeviceRegistration(
            id: RegistrationID(id),
            brand: device.brand,
            app: device.app,
            device: device.device,
            consumer: device.consumer,
            lane: LaneID(laneID),
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
            createdAt: createdAt
        )
        return .registered(RegistrationChange(registration: registration, created: kept == nil, ended: ended))
    }

    /// Registrations of the brand with the same token under another device id or app move to the new one.
    private func endOthers(withTokenOf device: DeviceToRegister, brand: Int64) throws -> [RegistrationID] {
        var others: [Int64] = []
        let rows = try db.prepare(
            "SELECT id FROM registrations WHERE brand = ? AND token = ? AND push_type = ? AND NOT (app = ? AND device = ?)"
        )
        .int(brand).text(device.token).text(device.pushType.rawValue).text(device.app.rawValue).text(
            device.device.rawValue
        )
        while try rows.next() { others.append(rows.int64(0)) }
        return try others.map { try end($0, by: .tokenMoved) }
    }

    private func end(_ registration: Int64, by reason: SuppressedBy) throws -> RegistrationID {
        try cancelRows(of: registration, state: .cancelled, by: reason)
        try db.prepare("DELETE FROM registrations WHERE id = ?").int(registration).run()
        return RegistrationID(registration)
    }

    private func unregister(
        consumer: Int64,
        app: String?,
        device: String?,
        _ scope: UnregisterScope
    ) throws -> RegistrationsChange {
        var change = RegistrationsChange()
        guard scope != .none else { return change }
        var found: [(id: Int64, receives: Receives)] = []
        let rows = try db.prepare(
            """
            SELECT id, receives FROM registrations WHERE consumer = ?1 AND (?2 IS NULL OR app = ?2) \
            AND (?3 IS NULL OR device = ?3)
            """
        ).int(consumer).text(app).text(device)
        while try rows.next() { found.append((rows.int64(0), Receives(rawValue: Int(rows.int64(1))))) }
        for (id, receives) in found {
            if scope == .all {
                change.ended.append(try end(id, by: .unregistered))
            } else if receives.contains(.agent) {
                try cancelRows(of: id, state: .cancelled, by: .unregisteredAgent, onlyAgent: true)
                try db.prepare("UPDATE registrations SET receives = ? WHERE id = ?")
                    .int(receives.subtracting(.agent).rawValue).int(id).run()
                change.narrowed.append(RegistrationID(id))
            }
        }
        return change
    }

    // MARK: Read

    enum ReadOutcome {
        case changed(ReadChange)
        case unknownConversation
        case unknownMessage
    }

    func read(_ request: ReadRequest, _ context: inout TurnContext) throws -> ReadOutcome {
        try forget(&context)
        guard let brand = try brandKey(request.brand) else { return .unknownConversation }
        let row = try db.prepare(
            """
            SELECT c.key, c.consumer, c.last_sequence, c.read_sequence, c.unread, u.unread FROM conversations c \
            JOIN consumers u ON u.key = c.consumer WHERE c.brand = ? AND c.id = ? AND u.id = ?
            """
        ).int(brand).text(request.conversation.rawValue).text(request.consumer.rawValue)
        guard try row.next() else { return .unknownConversation }
        let (key, consumer, last) = (row.int64(0), row.int64(1), row.int64(2))
        let (oldMark, oldUnread, oldTotal) = (row.int64(3), row.int64(4), row.int64(5))
        row.end()
        guard let target = try sequence(of: request.target, conversation: key) else { return .unknownMessage }
        let mark = max(oldMark, min(target, last))
        var change = ReadChange(
            consumer: ConsumerKey(consumer),
            conversation: ConversationKey(key),
            readSequence: mark,
            unread: oldTotal
        )
        guard mark > oldMark else { return .changed(change) }
        let count = try db.prepare(
            "SELECT count(*) FROM messages WHERE conversation = ? AND sequence > ? AND counts = 1"
        )
        .int(key).int(mark)
        _ = try count.next()
        let unread = count.int64(0)
        count.end()
        change.unread = oldTotal - oldUnread + unread
        try db.prepare("UPDATE conversations SET read_sequence = ?, unread = ? WHERE key = ?").int(mark).int(unread)
            .int(key).run()
        try db.prepare("UPDATE consumers SET unread = ? WHERE key = ?").int(change.unread).int(consumer).run()
        context.unread[ConsumerKey(consumer)] = change.unread
        for registration in try allRegistrations(of: consumer) {
            try cancelRead(registration: registration, conversation: key, upTo: mark)
        }
        if change.unread != oldTotal { try queueBadges(consumer: consumer, except: request.device, &context) }
        return .changed(change)
    }

    private func allRegistrations(of consumer: Int64) throws -> [Int64] {
        var ids: [Int64] = []
        let rows = try db.prepare("SELECT id FROM registrations WHERE consumer = ?").int(consumer)
        while try rows.next() { ids.append(rows.int64(0)) }
        return ids
    }

    private func sequence(of target: ReadTarget, conversation: Int64) throws -> Int64? {
        switch target {
        case .sequence(let sequence): return sequence
        case .sourceSequence(let source):
            let row = try db.prepare(
                "SELECT max(sequence) FROM messages WHERE conversation = ? AND source_sequence <= ?"
            )
            .int(conversation).int(source)
            _ = try row.next()
            defer { row.end() }
            return row.optionalInt64(0)
        case .message(let id):
            let row = try db.prepare("SELECT sequence FROM messages WHERE key = ? AND low = ? AND conversation = ?")
                .int(Int64(bitPattern: id.high)).int(Int64(bitPattern: id.low)).int(conversation)
            guard try row.next() else { return nil }
            defer { row.end() }
            return row.int64(0)
        }
    }

    /// The consumer's other devices get the new badge; of several that wait only the newest goes out.
    private func queueBadges(consumer: Int64, except device: DeviceID?, _ context: inout TurnContext) throws {
        // A badge that is a day late tells nothing that the next push will not.
        let expiresAt = context.turn.now.adding(seconds: 86_400)
        for registration in try registrations(of: consumer)
        where registration.receives.contains(.agent) && registration.device != device?.rawValue {
            try collapseBadges(registration: registration.id)
            let row = TurnContext.Owned(
                id: try newDelivery(),
                registration: registration,
                consumer: consumer,
                conversation: nil,
                message: nil,
                kind: .badge,
                expiresAt: expiresAt
            )
            try queue(row, &context)
        }
    }

    // MARK: Taps and receipts

    private func tap(_ request: TapRequest, now: Timestamp) throws -> StoreChangeResult {
        guard let message = try message(request.message, brand: request.brand, consumer: request.consumer) else {
            return .notFound
        }
        let key = Int64(bitPattern: request.message.high)
        let earlier = try db.prepare("SELECT tapped_at FROM taps WHERE message = ?").int(key)
        if try earlier.next() {
            defer { earlier.end() }
            return .tapped(
                TapAnswer(message: message, tappedAt: Timestamp(milliseconds: earlier.int64(0)), first: false)
            )
        }
        if let until = message.lookBackUntil, until < now { return .gone }
        try db.prepare("INSERT INTO taps (message, device, tapped_at, action) VALUES (?, ?, ?, ?)")
            .int(key).text(request.device.rawValue).int(request.tappedAt.milliseconds).text(request.action).run()
        try db.prepare(
            """
            UPDATE outbox SET tapped_at = ? WHERE message = ? AND registration IN (SELECT r.id FROM registrations r \
            JOIN consumers u ON u.key = r.consumer WHERE u.brand = ? AND u.id = ? AND r.device = ?)
            """
        )
        .int(request.tappedAt.milliseconds).int(key).int(try brandKey(request.brand)).text(request.consumer.rawValue)
        .text(request.device.rawValue).run()
        try db.prepare("UPDATE delivery_log SET tapped_at = ?, state = 'tapped' WHERE message = ? AND device = ?")
            .int(request.tappedAt.milliseconds).int(key).text(request.device.rawValue).run()
        return .tapped(TapAnswer(message: message, tappedAt: request.tappedAt, first: true))
    }

    private func message(_ id: MessageID, brand: BrandID, consumer: ConsumerID) throws -> Message? {
        guard let brandKey = try brandKey(brand) else { return nil }
        let row = try db.prepare(
            """
            SELECT c.id, m.key, m.low, m.sequence, m.kind, m.source_sequence, m.dialog, m.agent_id, m.agent_nickname, m.text, \
            m.title, m.data, m.link_ios, m.link_android, m.link_web, m.priority, m.collapse_key, m.category, m.sound, \
            m.silent, m.accepted_at, m.sent_at, m.expires_at, m.look_back_until, m.campaign FROM messages m \
            JOIN conversations c ON c.key = m.conversation JOIN consumers u ON u.key = c.consumer \
            WHERE m.key = ? AND m.low = ? AND u.brand = ? AND u.id = ?
            """
        )
        .int(Int64(bitPattern: id.high)).int(Int64(bitPattern: id.low)).int(brandKey).text(consumer.rawValue)
        guard try row.next() else { return nil }
        defer { row.end() }
        return MessageColumns.message(
            row,
            from: 1,
            brand: brand,
            consumer: consumer,
            conversation: ConversationID(trusted: row.string(0))
        )
    }

    private func record(_ receipts: [DeviceReceipt], brand: BrandID, consumer: ConsumerID) throws -> StoreChangeResult {
        guard let key = try consumerKey(brand, consumer) else { return .receipts(recorded: 0) }
        var recorded = 0
        for receipt in receipts {
            let message = Int64(bitPattern: receipt.message.high)
            try db.prepare(
                """
                UPDATE outbox SET delivered_at = coalesce(delivered_at, ?1) WHERE message = ?3 \
                AND registration IN (SELECT id FROM registrations WHERE consumer = ?2 AND device = ?4)
                """
            ).int(receipt.at.milliseconds).int(key).int(message).text(receipt.device.rawValue).run()
            let pending = db.changedRows
            // The rank only rises: a tap stays a tap.
            try db.prepare(
                """
                UPDATE delivery_log SET delivered_at = coalesce(delivered_at, ?1), \
                state = CASE state WHEN 'tapped' THEN 'tapped' ELSE 'delivered' END \
                WHERE consumer = ?2 AND message = ?3 AND device = ?4
                """
            ).int(receipt.at.milliseconds).int(key).int(message).text(receipt.device.rawValue).run()
            if pending + db.changedRows > 0 { recorded += 1 }
        }
        return .receipts(recorded: recorded)
    }

    // MARK: Consumers and sessions

    private func upsert(
        _ id: ConsumerID,
        brand: BrandID,
        anonymous: Bool,
        profile: ConsumerProfile,
        _ context: inout TurnContext
    ) throws -> StoreChangeResult {
        guard let brandKey = try brandKey(brand) else { return .notFound }
        try db.prepare(
            """
            INSERT INTO consumers (brand, id, anonymous, name, email, phone, created_at) VALUES (?, ?, ?, ?, ?, ?, ?) \
            ON CONFLICT (brand, id) DO UPDATE SET name = coalesce(excluded.name, name), \
            email = coalesce(excluded.email, email), phone = coalesce(excluded.phone, phone)
            """
        )
        .int(brandKey).text(id.rawValue).int(anonymous ? 1 : 0).text(profile.name).text(profile.email)
        .text(profile.phone).int(context.turn.now.milliseconds).run()
        let row = try db.prepare(
            "SELECT key, anonymous, name, email, phone, unread, created_at FROM consumers WHERE brand = ? AND id = ?"
        ).int(brandKey).text(id.rawValue)
        guard try row.next() else { return .notFound }
        defer { row.end() }
        return .consumer(
            StoredConsumer(
                key: ConsumerKey(row.int64(0)),
                id: id,
                anonymous: row.int64(1) != 0,
                profile: ConsumerProfile(
                    name: row.optionalString(2),
                    email: row.optionalString(3),
                    phone: row.optionalString(4)
                ),
                unread: row.int64(5),
                createdAt: Timestamp(milliseconds: row.int64(6))
            )
        )
    }

    private func open(_ session: StoredSession, _ context: inout TurnContext) throws -> StoreChangeResult {
        guard let brand = try brandKey(session.brand) else { return .notFound }
        let consumer = try consumer(session.consumer, brand: brand, &context)
        // Expired sessions go a few at a time, where new ones come; a day later, so that a device still learns
        // `token_expired` and not `token_invalid`.
        try db.prepare(
            "DELETE FROM sessions WHERE token_hash IN (SELECT token_hash FROM sessions WHERE expires_at < ? LIMIT 4)"
        ).int(context.turn.now.adding(seconds: -86_400).milliseconds).run()
        try db.prepare(
            "INSERT INTO sessions (token_hash, consumer, device, expires_at, created_at) VALUES (?, ?, ?, ?, ?)"
        )
        .blob(session.tokenHash).int(consumer.key).text(session.device?.rawValue)
        .int(session.expiresAt.milliseconds).int(session.createdAt.milliseconds).run()
        return .sessionOpened
    }

    private func endSession(_ tokenHash: [UInt8], _ scope: UnregisterScope) throws -> StoreChangeResult {
        let row = try db.prepare("SELECT consumer, device FROM sessions WHERE token_hash = ?").blob(tokenHash)
        guard try row.next() else { return .notFound }
        let (consumer, device) = (row.int64(0), row.optionalString(1))
        row.end()
        try db.prepare("DELETE FROM sessions WHERE token_hash = ?").blob(tokenHash).run()
        return .sessionsEnded(count: 1, try unregister(consumer: consumer, app: nil, device: device, scope))
    }

    private func endSessions(
        _ brand: BrandID,
        _ consumer: ConsumerID,
        _ device: DeviceID?,
        _ scope: UnregisterScope
    ) throws -> StoreChangeResult {
        guard let key = try consumerKey(brand, consumer) else { return .sessionsEnded(count: 0, RegistrationsChange()) }
        // A session that is bound to no device may be in use on any: it ends with each of them.
        try db.prepare("DELETE FROM sessions WHERE consumer = ?1 AND (?2 IS NULL OR device IS NULL OR device = ?2)")
            .int(key).text(device?.rawValue).run()
        let count = db.changedRows
        return .sessionsEnded(
            count: count,
            try unregister(consumer: key, app: nil, device: device?.rawValue, scope)
        )
    }
}

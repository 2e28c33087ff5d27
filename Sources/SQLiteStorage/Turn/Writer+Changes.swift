import GatewayModel
import GatewayStorage

extension Writer {
    func apply(_ change: StoreChange, _ context: inout TurnContext) throws -> StoreChangeResult {
        switch change {
        case .register(let device): return try register(device, &context)
        case .unregister(let brand, let consumer, let app, let device, let scope):
            guard let key = try consumerKey(brand, consumer) else { return .unregistered(RegistrationsChange()) }
            return .unregistered(
                try unregister(
                    consumer: key,
                    app: app?.rawValue,
                    device: device?.rawValue,
                    scope,
                    .unregistered,
                    &context
                )
            )
        case .read(let request): return try read(request, &context)
        case .tap(let request): return try tap(request, &context)
        case .receipts(let brand, let consumer, let receipts):
            return try record(receipts, brand: brand, consumer: consumer, &context)
        case .upsertConsumer(let brand, let id, let anonymous, let profile):
            return try upsert(id, brand: brand, anonymous: anonymous, profile: profile, &context)
        case .openSession(let session, let singleDevice):
            return try open(session, singleDevice: singleDevice, &context)
        case .endSession(let tokenHash, let scope): return try endSession(tokenHash, scope, &context)
        case .endSessions(let brand, let consumer, let device, let scope):
            return try endSessions(brand, consumer, device, scope, &context)
        case .retry(let request): return try retry(request, &context)
        case .openConversation(let request): return try openConversation(request, &context)
        case .write(let message): return try write(message, &context)
        case .resolve(let brand, let consumer, let conversation):
            return try resolve(brand, consumer, conversation, &context)
        case .changeProfile(let change): return try self.change(change, &context)
        case .erase(let request): return try erase(request, &context)
        case .endStale(let stale): return try endStale(stale, &context)
        }
    }

    func consumerKey(_ brand: BrandID, _ consumer: ConsumerID) throws -> Int64? {
        guard let brand = try brandKey(brand) else { return nil }
        return try self.consumer(BrandedName(brand: brand, id: consumer.rawValue))?.key
    }

    // MARK: Taps and receipts

    private func tap(_ request: TapRequest, _ context: inout TurnContext) throws -> StoreChangeResult {
        guard let message = try message(request.message, brand: request.brand, consumer: request.consumer) else {
            return .notFound
        }
        // Nothing of the consumer's own is ever pushed.
        guard message.kind != .consumer else { return .notFound }
        if let consumer = try consumerKey(request.brand, request.consumer) {
            try see(request.device.rawValue, of: consumer, at: context.turn.now)
        }
        let key = Int64(bitPattern: request.message.high)
        let earlier = try db.prepare("SELECT tapped_at FROM taps WHERE message = ?").int(key)
        if try earlier.next() {
            defer { earlier.end() }
            return .tapped(
                TapAnswer(message: message, tappedAt: Timestamp(milliseconds: earlier.int64(0)), first: false)
            )
        }
        if let until = message.lookBackUntil, until < context.turn.now { return .gone }
        try db.prepare("INSERT INTO taps (message, device, tapped_at, action) VALUES (?, ?, ?, ?)")
            .int(key).text(request.device.rawValue).int(request.tappedAt.milliseconds).text(request.action).run()
        try db.prepare(
            """
            UPDATE outbox SET tapped_at = ?1 WHERE message = ?2 \
            AND registration IN (SELECT id FROM registrations WHERE consumer = ?3 AND device = ?4)
            """
        )
        .int(request.tappedAt.milliseconds).int(key).int(try consumerKey(request.brand, request.consumer))
        .text(request.device.rawValue).run()
        for id in try logRows(message: key, device: request.device.rawValue) {
            let before = try logFacts(id)
            try db.prepare(
                """
                UPDATE delivery_log SET change = ?1, tapped_at = ?2, state = 'tapped', suppressed_by = NULL WHERE id = ?3
                """
            ).int(try nextChange()).int(request.tappedAt.milliseconds).int(id).run()
            try noteChanged(id, before, &context)
        }
        if let brand = try brandKey(request.brand) {
            try tell(
                brand,
                at: context.turn.now,
                .tapped(
                    request,
                    conversation: message.conversation,
                    sequence: message.sequence,
                    kind: message.kind,
                    campaign: message.campaign
                )
            )
        }
        return .tapped(TapAnswer(message: message, tappedAt: request.tappedAt, first: true))
    }

    private func message(_ id: MessageID, brand: BrandID, consumer: ConsumerID) throws -> Message? {
        guard let consumerKey = try consumerKey(brand, consumer) else { return nil }
        let row = try db.prepare(
            """
            SELECT c.id, m.key, m.low, m.sequence, m.kind, m.source_sequence, m.dialog, m.agent_id, m.agent_nickname, m.text, \
            m.title, m.data, m.link_ios, m.link_android, m.link_web, m.priority, m.collapse_key, m.category, m.sound, \
            m.silent, m.accepted_at, m.sent_at, m.expires_at, m.look_back_until, m.campaign FROM messages m \
            JOIN conversations c ON c.key = m.conversation WHERE m.key = ? AND m.low = ? AND c.consumer = ?
            """
        )
        .int(Int64(bitPattern: id.high)).int(Int64(bitPattern: id.low)).int(consumerKey)
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

    private func record(
        _ receipts: [DeviceReceipt],
        brand: BrandID,
        consumer: ConsumerID,
        _ context: inout TurnContext
    ) throws -> StoreChangeResult {
        guard let key = try consumerKey(brand, consumer) else { return .receipts(recorded: 0) }
        for device in Set(receipts.map(\.device)) { try see(device.rawValue, of: key, at: context.turn.now) }
        var recorded = 0
        for receipt in receipts {
            let message = Int64(bitPattern: receipt.message.high)
            try db.prepare(
                """
                UPDATE outbox SET delivered_at = coalesce(delivered_at, ?1) WHERE message = ?3 \
                AND registration IN (SELECT id FROM registrations WHERE consumer = ?2 AND device = ?4)
                """
            ).int(receipt.at.milliseconds).int(key).int(message).text(receipt.device.rawValue).run()
            var found = db.changedRows
            for id in try logRows(message: message, device: receipt.device.rawValue, consumer: key) {
                found += 1
                let before = try logFacts(id)
                // The rank only rises: a tap stays a tap.
                try db.prepare(
                    """
                    UPDATE delivery_log SET change = ?1, delivered_at = coalesce(delivered_at, ?2), suppressed_by = NULL, \
                    state = CASE state WHEN 'tapped' THEN 'tapped' ELSE 'delivered' END WHERE id = ?3
                    """
                ).int(try nextChange()).int(receipt.at.milliseconds).int(id).run()
                try noteChanged(id, before, &context)
            }
            if found > 0 { recorded += 1 }
        }
        return .receipts(recorded: recorded)
    }

    // MARK: Consumers

    private func upsert(
        _ id: ConsumerID,
        brand: BrandID,
        anonymous: Bool,
        profile: ConsumerProfile,
        _ context: inout TurnContext
    ) throws -> StoreChangeResult {
        guard let brandKey = try brandKey(brand) else { return .notFound }
        try flush(&context)
        let name = BrandedName(brand: brandKey, id: id.rawValue)
        let consumer =
            try self.consumer(name) ?? makeConsumer(name, isAnonymous: anonymous, at: context.turn.now)
        // One who has authenticated is not anonymous any more, whoever asks later.
        try db.prepare(
            """
            UPDATE consumers SET name = coalesce(?2, name), email = coalesce(?3, email), phone = coalesce(?4, phone), \
            anonymous = min(anonymous, ?5) WHERE key = ?1
            """
        )
        .int(consumer.key).text(profile.name).text(profile.email).text(profile.phone).int(anonymous ? 1 : 0).run()
        return try stored(consumer.key, &context)
    }

    /// A consumer as it is at this point of the turn.
    func stored(_ key: Int64, _ context: inout TurnContext) throws -> StoreChangeResult {
        try flush(&context)
        let row = try db.prepare(
            """
            SELECT u.key, u.anonymous, u.name, u.email, u.phone, \
            (SELECT coalesce(sum(c.unread), 0) FROM conversations c WHERE c.consumer = u.key), u.created_at, u.id \
            FROM consumers u WHERE u.key = ?
            """
        ).int(key)
        guard try row.next() else { return .notFound }
        defer { row.end() }
        return .consumer(
            StoredConsumer(
                key: ConsumerKey(row.int64(0)),
                id: ConsumerID(trusted: row.string(7)),
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
}

import GatewayModel
import GatewayStorage
import TurnRules

extension Writer {
    func apply(_ change: StoreChange, _ context: inout TurnContext) throws -> StoreChangeResult {
        var rows = self
        switch change {
        case .register(let device): return try register(device, &context)
        case .unregister(let brand, let consumer, let app, let device, let scope):
            guard let key = try consumerKey(brand, consumer) else { return .unregistered(RegistrationsChange()) }
            let ended = try rows.unregister(key, app: app, device: device, scope, .unregistered, &context)
            return .unregistered(ended)
        case .read(let request): return try rows.read(request, &context)
        case .tap(let request): return try tap(request, &context)
        case .receipts(let brand, let consumer, let receipts):
            return try record(receipts, brand: brand, consumer: consumer, context)
        case .upsertConsumer(let brand, let id, let anonymous, let profile):
            return try upsert(id, brand: brand, anonymous: anonymous, profile: profile, &context)
        case .openSession(let session, let terms): return try open(session, terms, &context)
        case .endSession(let tokenHash, let scope): return try endSession(tokenHash, scope, &context)
        case .endSessions(let brand, let consumer, let device, let scope, let audit):
            return try endSessions(brand, consumer, device, scope, audit, &context)
        case .retry(let request): return try audited(rows.retry(request, &context), request.audit)
        case .openConversation(let request): return try openConversation(request, &context)
        case .write(let message): return try write(message, &context)
        case .resolve(let brand, let consumer, let conversation):
            return try resolve(brand, consumer, conversation, &context)
        case .changeProfile(let change): return try self.change(change, &context)
        case .erase(let request): return try audited(rows.erase(request, &context), request.audit)
        case .merge(let request):
            let result = try rows.merge(request, &context)
            if case .merged(let opening) = result { noteEnds(opening, request.brand) }
            return try audited(result, request.audit)
        case .endStale(let stale): return try endStale(stale, &context)
        }
    }

    /// Writes the audit entry of a change that was made.
    private func audited(_ result: StoreChangeResult, _ entry: AuditEntry?) throws -> StoreChangeResult {
        switch result {
        case .retried, .erased: try write(entry)
        case .merged(let opening): if !opening.merged.isEmpty { try write(entry) }
        default: break
        }
        return result
    }

    func consumerKey(_ brand: BrandID, _ consumer: ConsumerID) throws -> Int64? {
        guard let brand = try brandKey(brand) else { return nil }
        return try self.consumer(BrandedName(brand: brand, id: consumer.rawValue))?.key
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
        let consumer = try upsert(name, profile, isAnonymous: anonymous, at: context.turn.now)
        return try stored(consumer.key, &context)
    }

    /// Finds or creates a consumer, and updates its profile.
    func upsert(
        _ name: BrandedName,
        _ profile: ConsumerProfile,
        isAnonymous: Bool,
        at now: Timestamp
    ) throws -> KnownConsumer {
        let consumer = try self.consumer(name) ?? makeConsumer(name, isAnonymous: isAnonymous, at: now)
        // A consumer that has authenticated is no longer anonymous, whatever a later request says.
        try db.prepare(
            """
            UPDATE consumers SET name = coalesce(?2, name), email = coalesce(?3, email), phone = coalesce(?4, phone), \
            anonymous = min(anonymous, ?5) WHERE key = ?1
            """
        )
        .int(consumer.key).text(profile.name).text(profile.email).text(profile.phone).int(isAnonymous ? 1 : 0).run()
        return consumer
    }

    /// Returns a consumer as it is at this point of the turn.
    func stored(_ key: Int64, _ context: inout TurnContext) throws -> StoreChangeResult {
        try flush(&context)
        let row = try db.prepare(
            """
            SELECT u.key, u.anonymous, u.name, u.email, u.phone, \
            (SELECT coalesce(sum(c.unread), 0) FROM unread_conversations c WHERE c.consumer = u.key), u.created_at, u.id, u.quiet_hours FROM consumers u WHERE u.key = ?
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
                createdAt: Timestamp(milliseconds: row.int64(6)),
                quietHours: row.optionalString(8).flatMap(QuietHours.init(stored:))
            )
        )
    }
}

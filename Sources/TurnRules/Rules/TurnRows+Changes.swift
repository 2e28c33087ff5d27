internal import GatewayModel
internal import GatewayStorage

/// Changes by devices and back-ends.
extension TurnRows {
    /// Makes a change.
    mutating func apply(
        _ change: StoreChange,
        _ context: inout TurnContext
    ) throws(Failure) -> StoreChangeResult {
        switch change {
        case .register(let device): return try register(device, &context)
        case .unregister(let brand, let consumer, let app, let device, let scope):
            guard let key = try self.consumer(brand, consumer)?.key else { return .unregistered(RegistrationsChange()) }
            let ended = try unregister(key, app: app, device: device, scope, .unregistered, &context)
            return .unregistered(ended)
        case .read(let request): return try read(request, &context)
        case .tap(let request): return try tap(request, &context)
        case .receipts(let brand, let consumer, let receipts):
            return try record(receipts, brand, consumer, at: context.turn.now)
        case .upsertConsumer(let brand, let id, let anonymous, let profile):
            return try upsert(id, of: brand, profile, isAnonymous: anonymous, &context)
        case .openSession(let session, let terms): return try open(session, terms, &context)
        case .endSession(let tokenHash, let scope): return try endSession(tokenHash, scope, &context)
        case .endSessions(let brand, let consumer, let device, let scope, let audit):
            return try endSessions(brand, consumer, device, scope, audit, &context)
        case .retry(let request): return try audited(retry(request, &context), request.audit)
        case .openConversation(let request): return try openConversation(request, &context)
        case .write(let message): return try write(message, &context)
        case .resolve(let brand, let consumer, let conversation):
            return try resolve(brand, consumer, conversation, &context)
        case .changeProfile(let profile): return try self.change(profile, &context)
        case .erase(let request): return try audited(erase(request, &context), request.audit)
        case .merge(let request):
            let result = try merge(request, &context)
            if case .merged(let opening) = result { noteEnds(opening, request.brand, &context) }
            return try audited(result, request.audit)
        case .track(let change): return try track(change, &context)
        case .endStale(let stale): return try endStale(stale, &context)
        }
    }

    /// Writes the audit entry of a change that was made.
    private mutating func audited(
        _ result: StoreChangeResult,
        _ entry: AuditEntry?
    ) throws(Failure) -> StoreChangeResult {
        switch result {
        case .retried, .erased: try write(entry)
        case .merged(let opening): if !opening.merged.isEmpty { try write(entry) }
        default: break
        }
        return result
    }

    /// Returns the consumer of an id, or the one that it was merged into; nil when there is none.
    mutating func consumer(_ brand: BrandID, _ id: ConsumerID) throws(Failure) -> KnownConsumer? {
        guard let brand = try brandKey(brand) else { return nil }
        return try consumer(BrandedName(brand: brand, id: id.rawValue))
    }

    // MARK: Profiles

    private mutating func upsert(
        _ id: ConsumerID,
        of brand: BrandID,
        _ profile: ConsumerProfile,
        isAnonymous: Bool,
        _ context: inout TurnContext
    ) throws(Failure) -> StoreChangeResult {
        guard let brand = try brandKey(brand) else { return .notFound }
        try flush(&context)
        let name = BrandedName(brand: brand, id: id.rawValue)
        let consumer = try upsert(name, profile, isAnonymous: isAnonymous, at: context.turn.now)
        return try stored(consumer.key, &context)
    }

    /// Finds or creates a consumer, and updates its profile.
    ///
    /// A consumer that has authenticated is no longer anonymous, whatever a later request says.
    mutating func upsert(
        _ name: BrandedName,
        _ profile: ConsumerProfile,
        isAnonymous: Bool,
        at now: Timestamp
    ) throws(Failure) -> KnownConsumer {
        let consumer: KnownConsumer
        if let known = try self.consumer(name) {
            consumer = known
        } else {
            consumer = try makeConsumer(name, isAnonymous: isAnonymous, at: now)
        }
        try update(profile, isAnonymous: isAnonymous, of: consumer.key)
        return consumer
    }

    /// Changes a consumer's profile; rows that wait for the end of its quiet hours are evaluated again.
    private mutating func change(
        _ change: ProfileChange,
        _ context: inout TurnContext
    ) throws(Failure) -> StoreChangeResult {
        guard let key = try consumer(change.brand, change.consumer)?.key else { return .notFound }
        try store(change, of: key)
        try write(change.audit)
        if let quietHours = change.quietHours {
            context.set(quietHours, of: key)
            context.note(.quietHours(ConsumerKey(key), quietHours))
            try requeue(key, &context)
        }
        return try stored(key, &context)
    }

    /// Returns a consumer as it is at this point of the turn.
    private mutating func stored(_ key: Int64, _ context: inout TurnContext) throws(Failure) -> StoreChangeResult {
        try flush(&context)
        guard let consumer = try storedConsumer(key) else { return .notFound }
        return .consumer(consumer)
    }
}

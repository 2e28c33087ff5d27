import GatewayModel
import GatewayStorage
import TurnRules

/// Logins, and their effects on consumers and devices.
extension SimulatedStore {
    mutating func upsert(
        _ id: ConsumerID,
        brand: BrandID,
        anonymous: Bool
    ) -> StoreChangeResult {
        let isNew = consumerKeys[brand]?[id] == nil
        let key = consumerKey(brand, id, at: now)
        if isNew || !anonymous { consumers[Int(key) - 1].isAnonymous = anonymous }
        return stored(key)
    }

    /// Sets or removes a consumer's own quiet hours: rows that wait because of them are checked again.
    mutating func change(_ profile: ProfileChange, _ context: inout TurnContext) -> StoreChangeResult {
        guard let key = consumerKeys[profile.brand]?[profile.consumer] else { return .notFound }
        if let quietHours = profile.quietHours {
            consumers[Int(key) - 1].quietHours = quietHours
            context.set(quietHours, of: key)
            requeue(key, &context)
        }
        return stored(key)
    }

    private func stored(_ key: Int64) -> StoreChangeResult {
        let consumer = consumers[Int(key) - 1]
        return .consumer(
            StoredConsumer(
                key: ConsumerKey(key),
                id: consumer.id,
                anonymous: consumer.isAnonymous,
                profile: ConsumerProfile(),
                unread: consumer.unread,
                createdAt: consumer.createdAt,
                quietHours: consumer.quietHours
            )
        )
    }

    mutating func open(
        _ session: StoredSession,
        _ terms: LoginTerms,
        _ context: inout TurnContext
    ) -> StoreChangeResult {
        let consumer = turnConsumer(consumerKey(session.brand, session.consumer, at: now))
        let opening = logIn(consumer, session, terms, &context)
        sessions.append(
            Session(
                tokenHash: session.tokenHash,
                consumer: consumer.key,
                device: session.device,
                createdAt: session.createdAt
            )
        )
        return .sessionOpened(opening)
    }

    /// Returns the anonymous consumers that a login merges; no run is so long that a session no longer proves one.
    func anonymousConsumers(
        of session: StoredSession,
        _ terms: LoginTerms,
        brand: Int64,
        at now: Timestamp
    ) -> [BrandedName] {
        var found: [Int64] = []
        if let proof = sessions.first(where: { $0.tokenHash == terms.anonymousToken }),
            consumers[Int(proof.consumer) - 1].brand == session.brand,
            consumers[Int(proof.consumer) - 1].isAnonymous
        {
            found.append(proof.consumer)
        }
        if terms.anonymousMerge == .device, let device = session.device {
            found += anonymousConsumers(on: device, brand: session.brand).filter { !found.contains($0) }
        }
        return found.map { BrandedName(brand: brand, id: consumers[Int($0) - 1].id.rawValue) }
    }

    private func anonymousConsumers(on device: DeviceID, brand: BrandID) -> [Int64] {
        var found: Set<Int64> = []
        let latest = sessions.filter { $0.device == device && consumers[Int($0.consumer) - 1].brand == brand }
            .max { ($0.createdAt, $0.consumer) < ($1.createdAt, $1.consumer) }
        if let latest { found.insert(latest.consumer) }
        for registration in registrations {
            if let registration, registration.brand == brand, registration.device == device,
                registration.stoppedAt == nil, hasLane(registration)
            {
                found.insert(registration.consumer)
            }
        }
        return found.filter { consumers[Int($0) - 1].isAnonymous }.sorted()
    }

    /// Ends a session by its own logout; its device, if it is bound to one, gets no pushes any more.
    mutating func endSession(
        _ tokenHash: [UInt8],
        _ scope: UnregisterScope,
        _ context: inout TurnContext
    ) -> StoreChangeResult {
        guard let place = sessions.firstIndex(where: { $0.tokenHash == tokenHash }) else { return .notFound }
        let session = sessions.remove(at: place)
        var ended = EndedSessions(count: 1)
        if let device = session.device {
            ended.registrations = unregister(session.consumer, app: nil, device: device, scope, .logout, &context)
        }
        return .sessionsEnded(ended)
    }

    /// Ends a consumer's sessions by a back-end's logout, on one device or on all.
    mutating func endSessions(
        _ brand: BrandID,
        _ consumer: ConsumerID,
        _ device: DeviceID?,
        _ scope: UnregisterScope,
        _ context: inout TurnContext
    ) -> StoreChangeResult {
        guard let key = consumerKeys[brand]?[consumer] else { return .sessionsEnded(EndedSessions()) }
        let before = sessions.count
        sessions.removeAll {
            $0.consumer == key && (device == nil || $0.device == nil || $0.device == device)
        }
        let ended = unregister(key, app: nil, device: device, scope, .remoteLogout, &context)
        return .sessionsEnded(EndedSessions(count: before - sessions.count, registrations: ended))
    }

    mutating func endSessions(of consumer: Int64) -> Int {
        let before = sessions.count
        sessions.removeAll { $0.consumer == consumer }
        return before - sessions.count
    }

    mutating func move(_ source: KnownConsumer, into consumer: KnownConsumer) {
        let (from, into) = (Int(source.key) - 1, Int(consumer.key) - 1)
        let old = consumers[from]
        consumers[from].registrations = []
        consumers[from].conversations = []
        consumers[from].unread = 0
        consumers[from].isAnonymous = false
        consumers[from].mergedInto = consumer.key
        consumers[from].quietHours = nil
        for key in old.conversations { conversations[Int(key) - 1].consumer = consumer.key }
        for key in old.registrations {
            registrations[Int(key) - 1]?.consumer = consumer.key
            for id in registration(key)?.pending ?? [] { change(id) { $0.consumer = consumer.key } }
        }
        consumers[into].conversations += old.conversations
        consumers[into].registrations = (consumers[into].registrations + old.registrations).sorted()
        turnConsumers[source.key] = nil
        if flaw == .mergesUncounted { consumer.unread -= source.unread }
        consumerKeys[old.brand]?[old.id] = consumer.key
        for place in consumers.indices where consumers[place].mergedInto == source.key {
            consumers[place].mergedInto = consumer.key
            consumerKeys[old.brand]?[consumers[place].id] = consumer.key
        }
    }
}

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
        let key = consumerKey(session.brand, session.consumer, at: now)
        let consumer = consumers[Int(key) - 1]
        var opening = SessionOpening(consumer: consumer.id, anonymous: consumer.isAnonymous)
        if !consumer.isAnonymous {
            for other in anonymousConsumers(of: session, terms) {
                merge(other, into: key, .device(session.device), &opening, &context)
            }
            if !opening.merged.isEmpty { release(turnConsumer(key), session.brand, &context) }
        }
        if let device = session.device {
            if terms.singleDevice {
                opening.endedSessions += endSessions(of: key)
                for registration in consumers[Int(key) - 1].registrations
                where self.registration(registration)?.device != device {
                    opening.endedRegistrations += end(registration, by: .unregistered, &context)
                }
            }
            for (place, found) in registrations.enumerated() {
                guard let found, found.brand == session.brand, hasApp(found), found.device == device,
                    found.consumer != key,
                    terms.currentToken?.proves(found.token) == true,
                    !(consumer.isAnonymous && consumers[Int(found.consumer) - 1].isAnonymous)
                else { continue }
                opening.endedRegistrations += end(Int64(place) + 1, by: .tokenMoved, &context)
            }
        }
        sessions.append(
            Session(
                tokenHash: session.tokenHash,
                consumer: key,
                device: session.device,
                createdAt: session.createdAt
            )
        )
        return .sessionOpened(opening)
    }

    /// Returns the anonymous consumers that a login merges; no run is so long that a session no longer proves one.
    private func anonymousConsumers(of session: StoredSession, _ terms: LoginTerms) -> [Int64] {
        var found: [Int64] = []
        if let proof = sessions.first(where: { $0.tokenHash == terms.anonymousToken }),
            consumers[Int(proof.consumer) - 1].brand == session.brand,
            consumers[Int(proof.consumer) - 1].isAnonymous
        {
            found.append(proof.consumer)
        }
        guard terms.anonymousMerge == .device, let device = session.device else { return found }
        return found + anonymousConsumers(on: device, brand: session.brand).filter { !found.contains($0) }
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
            ended.registrations = unregister(session.consumer, app: nil, device: device, scope, &context)
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
        let ended = unregister(key, app: nil, device: device, scope, &context)
        return .sessionsEnded(EndedSessions(count: before - sessions.count, registrations: ended))
    }

    private mutating func endSessions(of consumer: Int64) -> Int {
        let before = sessions.count
        sessions.removeAll { $0.consumer == consumer }
        return before - sessions.count
    }

    /// The registrations of a merged consumer that move with it.
    enum Following {
        case all
        /// Those of one device; none for nil. The others end.
        case device(DeviceID?)
    }

    /// Merges a consumer into another, by request of a back-end.
    mutating func merge(_ request: MergeRequest, _ context: inout TurnContext) -> StoreChangeResult {
        guard let into = consumerKeys[request.brand]?[request.consumer] else { return .notFound }
        let source = consumers.firstIndex {
            $0.brand == request.brand && $0.id == request.from && !$0.isErased && !$0.isDeleted
        }
        guard let source else { return .notMerged(.unknown) }
        let (from, consumer) = (Int64(source) + 1, consumers[Int(into) - 1])
        guard from != into else { return .notMerged(.itself) }
        var opening = SessionOpening(consumer: consumer.id, anonymous: consumer.isAnonymous)
        if let third = consumers[source].mergedInto {
            return third == into ? .merged(opening) : .notMerged(.elsewhere)
        }
        guard consumers[source].isAnonymous || !consumer.isAnonymous else { return .notMerged(.intoAnonymous) }
        merge(from, into: into, .all, &opening, &context)
        release(turnConsumer(into), request.brand, &context)
        return .merged(opening)
    }

    private mutating func merge(
        _ from: Int64,
        into: Int64,
        _ following: Following,
        _ opening: inout SessionOpening,
        _ context: inout TurnContext
    ) {
        flush(&context)
        let consumer = turnConsumer(into)
        opening.endedSessions += endSessions(of: from)
        if case .device(let device) = following {
            for registration in consumers[Int(from) - 1].registrations
            where device == nil || self.registration(registration)?.device != device {
                opening.endedRegistrations += end(registration, by: .unregistered, &context)
            }
        }
        let old = consumers[Int(from) - 1]
        consumers[Int(from) - 1].registrations = []
        consumers[Int(from) - 1].conversations = []
        consumers[Int(from) - 1].unread = 0
        consumers[Int(from) - 1].isAnonymous = false
        consumers[Int(from) - 1].mergedInto = into
        consumers[Int(from) - 1].quietHours = nil
        for key in old.conversations { conversations[Int(key) - 1].consumer = into }
        for key in old.registrations {
            registrations[Int(key) - 1]?.consumer = into
            for id in registration(key)?.pending ?? [] { change(id) { $0.consumer = into } }
        }
        consumers[Int(into) - 1].conversations += old.conversations
        consumers[Int(into) - 1].registrations = (consumers[Int(into) - 1].registrations + old.registrations).sorted()
        turnConsumers[from] = nil
        if flaw != .mergesUncounted { consumer.unread += old.unread }
        consumer.active = .unknown
        consumerKeys[old.brand]?[old.id] = into
        for place in consumers.indices where consumers[place].mergedInto == from {
            consumers[place].mergedInto = into
            consumerKeys[old.brand]?[consumers[place].id] = into
        }
        let own = consumers[Int(into) - 1].quietHours
        context.merged(from, into: consumer, quietHours: own)
        if old.quietHours != own { requeue(into, &context) }
        opening.merged.append(
            ConsumerMerge(id: old.id, from: ConsumerKey(from), into: ConsumerKey(into), quietHours: own)
        )
    }
}

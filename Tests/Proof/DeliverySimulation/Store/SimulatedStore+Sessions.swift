import GatewayModel
import GatewayStorage
import TurnRules

/// Logins, and their effects on consumers and devices.
extension SimulatedStore {
    mutating func update(_ profile: ConsumerProfile, isAnonymous: Bool, of consumer: Int64) {
        if !isAnonymous { consumers[Int(consumer) - 1].isAnonymous = false }
    }

    mutating func store(_ change: ProfileChange, of consumer: Int64) {
        if let quietHours = change.quietHours { consumers[Int(consumer) - 1].quietHours = quietHours }
    }

    func storedConsumer(_ key: Int64) -> StoredConsumer? {
        let consumer = consumers[Int(key) - 1]
        return StoredConsumer(
            key: ConsumerKey(key),
            id: consumer.id,
            anonymous: consumer.isAnonymous,
            profile: ConsumerProfile(),
            unread: consumer.unread,
            createdAt: consumer.createdAt,
            quietHours: consumer.quietHours
        )
    }

    mutating func insert(_ session: StoredSession, of consumer: KnownConsumer, keptUntil: Timestamp?) {
        sessions.append(
            Session(
                tokenHash: session.tokenHash,
                consumer: consumer.key,
                device: session.device,
                createdAt: session.createdAt
            )
        )
    }

    // No run revokes a credential or has an assertion for single use, or is so long that a session expires.

    func isInForce(_ credential: String, brand: Int64) -> Bool { true }

    func markUsed(_ code: RedeemedCode, at now: Timestamp) -> Bool { true }

    func countMinted(by account: String, brand: Int64, _ id: BrandID, at time: Timestamp) {}

    func keepAnonymous(_ consumer: Int64, from now: Timestamp) {}

    func isLive(_ session: [UInt8], of consumer: Int64?, at now: Timestamp) -> Bool {
        sessions.contains { $0.tokenHash == session && $0.consumer == consumer }
    }

    func isBound(_ session: [UInt8], elsewhereThan device: DeviceID) -> Bool {
        sessions.contains { $0.tokenHash == session && $0.device != nil && $0.device != device }
    }

    mutating func bind(_ session: [UInt8], to device: DeviceID) -> Int {
        guard let place = sessions.firstIndex(where: { $0.tokenHash == session && $0.device == nil }) else { return 0 }
        sessions[place].device = device
        return 1
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

    mutating func endSession(_ tokenHash: [UInt8]) -> EndedSession? {
        guard let place = sessions.firstIndex(where: { $0.tokenHash == tokenHash }) else { return nil }
        let session = sessions.remove(at: place)
        let name = name(of: session.consumer)
        return EndedSession(
            consumer: session.consumer,
            brand: name.brand,
            name: name.consumer,
            device: session.device
        )
    }

    mutating func endSessions(of consumer: Int64) -> Int { endSessions { $0.consumer == consumer } }

    mutating func endSessions(of consumer: Int64, on device: DeviceID?) -> Int {
        endSessions { $0.consumer == consumer && (device == nil || $0.device == nil || $0.device == device) }
    }

    mutating func endSessions(of consumer: Int64, before session: [UInt8]) -> Int {
        guard let kept = sessions.first(where: { $0.tokenHash == session }) else { return 0 }
        return endSessions {
            $0.consumer == consumer && $0.tokenHash != session && $0.createdAt <= kept.createdAt
        }
    }

    mutating func endOldestSessions(of consumer: Int64, beyond most: Int) -> Int {
        let own = sessions.filter { $0.consumer == consumer }
        guard own.count > most else { return 0 }
        let newest = own.sorted { $0.createdAt > $1.createdAt }
        let ended = Set(newest.dropFirst(most).map(\.tokenHash))
        return endSessions { ended.contains($0.tokenHash) }
    }

    private mutating func endSessions(where isEnded: (Session) -> Bool) -> Int {
        let before = sessions.count
        sessions.removeAll(where: isEnded)
        return before - sessions.count
    }

    func mergedNames(of consumer: Int64) -> [String] {
        let merged = consumers.indices.reversed().filter { consumers[$0].mergedInto == consumer }
        return merged.prefix(KnownConsumer.mergedLimit).map { consumers[$0].id.rawValue }
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
        consumers[from].data = nil
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

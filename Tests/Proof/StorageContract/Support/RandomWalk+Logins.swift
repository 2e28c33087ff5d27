import GatewayModel
import GatewayStorage
import Testing

/// Logins and retries of the walk.
extension RandomWalk {
    /// Returns a login: of a new consumer without an identifier, or of one with an identifier on a device that may have
    /// such a consumer.
    mutating func login() -> [StoreChange] {
        logins += 1
        // No two sessions have the same time: otherwise the order of keys would decide which is the latest.
        f.now = f.now.adding(milliseconds: 1)
        let device = chance(85) ? "d-\(Int.random(in: 0..<9, using: &random))" : nil
        var terms = LoginTerms(singleDevice: chance(20), anonymousMerge: chance(50) ? .device : .token)
        let guests = model.sessions.filter { model.anonymous.contains($0.consumer) }
        if !guests.isEmpty, chance(40) { terms.anonymousToken = any(guests).token }
        if let device, chance(40) { terms.currentToken = proof(for: device) }
        guard chance(50) else { return [.openSession(session(any(consumers), device), terms)] }
        let consumer = "a-\(logins)"
        return [f.anonymous(consumer), .openSession(session(consumer, device), terms)]
    }

    /// Returns a token to present for a device, mostly its present one.
    private mutating func proof(for device: String) -> PushTokenProof {
        let present = model.registrations.values.first { $0.device == device }?.token
        return ContractFixture.proof(chance(70) ? present ?? "none" : "t-0-\(Int.random(in: 0..<6, using: &random))")
    }

    /// Adds a requesting session to a registration, mostly one for its own device.
    mutating func ask(for device: DeviceToRegister) -> DeviceToRegister {
        guard !model.sessions.isEmpty, chance(60) else { return device }
        let session = any(model.sessions)
        var device = device
        device.session = session.token
        device.consumer = ConsumerID(trusted: session.consumer)
        if let bound = session.device, let number = bound.last?.wholeNumberValue, chance(80) {
            device.device = DeviceID(trusted: bound)
            device.token = "t-\(number % 2)-\(Int.random(in: 0..<6, using: &random))"
            device.pushType = number.isMultiple(of: 2) ? .apns : .fcm
            device.platform = number.isMultiple(of: 2) ? .ios : .android
        }
        if chance(30) { device.currentToken = proof(for: device.device.rawValue) }
        return device
    }

    private func session(_ consumer: String, _ device: String?) -> StoredSession {
        var session = f.session(0, consumer, device: device)
        session.tokenHash = (0..<32).map { UInt8(truncatingIfNeeded: logins >> ($0 % 4 * 8)) }
        return session
    }

    mutating func applyLogin(_ change: StoreChange, _ result: StoreChangeResult) throws {
        guard case .openSession(let session, let terms) = change else {
            guard case .upsertConsumer(_, let id, _, _) = change, case .consumer(let consumer) = result else {
                throw Unexpected(what: "\(change) resulted in \(result)")
            }
            #expect(consumer.id == id && consumer.anonymous)
            model.anonymous.insert(id.rawValue)
            consumers.append(id.rawValue)
            return
        }
        let opening = try result.opening
        let consumer = model.name(session.consumer.rawValue)
        let isAnonymous = model.anonymous.contains(consumer)
        #expect(opening.consumer.rawValue == consumer && opening.anonymous == isAnonymous)
        let device = session.device?.rawValue
        let merged = isAnonymous ? [] : model.anonymousConsumers(of: session, terms)
        #expect(Set(opening.merged.map(\.id.rawValue)) == merged && opening.merged.count == merged.count)
        var ended = 0
        var registrations = model.registrations.filter {
            merged.contains($0.value.consumer) && $0.value.device != device
        }.map(\.key)
        model.end(registrations)
        for name in merged {
            ended += model.endSessions(of: name)
            model.merge(name, into: consumer)
        }
        if !merged.isEmpty { released += model.release(f.name(consumer), f.windows) }
        if terms.singleDevice, let device {
            ended += model.endSessions(of: consumer)
            registrations += model.registrations.filter { $0.value.consumer == consumer && $0.value.device != device }
                .map(\.key)
        }
        if let device, let proof = terms.currentToken {
            registrations += model.registrations.filter {
                $0.value.device == device && $0.value.consumer != consumer && proof.proves($0.value.token)
                    && !(isAnonymous && model.anonymous.contains($0.value.consumer))
            }.map(\.key)
        }
        #expect(opening.endedSessions == ended && Set(opening.endedRegistrations) == Set(registrations))
        #expect(opening.endedRegistrations.count == registrations.count)
        model.end(registrations)
        model.sessions.append(
            WalkModel.Session(
                token: session.tokenHash,
                consumer: consumer,
                device: device,
                createdAt: session.createdAt
            )
        )
    }

    /// Checks that the consumers that lost a session in the turn, or have one that was bound, were notified, and nobody
    /// else.
    func checkEnds(_ before: [WalkModel.Session]) {
        let live = Dictionary(uniqueKeysWithValues: model.sessions.map { ($0.createdAt, $0.device) })
        let ended = Set(before.filter { live[$0.createdAt] != .some($0.device) }.map { f.end(of: $0.consumer) })
        let reported = heard.take()
        #expect(reported.isSuperset(of: ended) && reported.isEmpty == ended.isEmpty)
    }

    // MARK: Retries

    /// Returns a retry of a finished delivery whose response is not pending any more.
    mutating func anyRetry() -> [StoreChange] {
        let finished = model.finished.subtracting(held.map(\.id)).sorted()
        guard !finished.isEmpty else { return [] }
        let ttl = Int64.random(in: 1...60, using: &random)
        return [.retry(RetryRequest(brand: f.brand, delivery: any(finished), ttlSeconds: ttl))]
    }

    /// Returns the state of a retried delivery before the turn.
    func retriedState(_ changes: [StoreChange]) async throws -> (id: DeliveryID, state: DeliveryState)? {
        guard case .retry(let request)? = changes.first else { return nil }
        return (request.delivery, try await f.delivery(request.delivery).record.state)
    }

    mutating func applyRetry(
        _ request: RetryRequest,
        _ result: StoreChangeResult,
        stateBefore: DeliveryState?
    ) throws {
        let state = try #require(stateBefore)
        let row = try #require(model.rows[request.delivery])
        guard state == .failed || state == .expired else {
            guard case .notRetried(.state(state)) = result else { throw Unexpected(what: "\(state): \(result)") }
            return
        }
        let expected = model.rejection(request.delivery, row)
        switch result {
        case .retried: #expect(expected == nil)
        case .notRetried(let rejection): #expect(expected == rejection)
        default: throw Unexpected(what: "\(result)")
        }
        if expected == nil { model.retry(request.delivery, until: f.now.adding(seconds: request.ttlSeconds)) }
    }
}

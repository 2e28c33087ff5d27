import GatewayModel
import GatewayStorage
import TurnRules

extension SimulatedStore {
    mutating func apply(_ change: StoreChange, _ context: inout TurnContext) -> StoreChangeResult {
        if let brand = change.brand, !hasBrand(brand) { return Self.result(ofNoBrand: change) }
        // What is not one of the product's rules reads the counters of the turn so far.
        flush(&context)
        switch change {
        case .register(let device): return register(device, &context)
        case .unregister(let brand, let consumer, let app, let device, let scope):
            guard let key = consumerKeys[brand]?[consumer] else { return .unregistered(RegistrationsChange()) }
            return .unregistered(unregister(key, app: app, device: device, scope, .unregistered, &context))
        case .read(let request): return read(request, &context)
        case .upsertConsumer(let brand, let id, let anonymous, _):
            return upsert(id, brand: brand, anonymous: anonymous)
        case .openSession(let session, let terms): return open(session, terms, &context)
        case .endSession(let tokenHash, let scope): return endSession(tokenHash, scope, &context)
        case .endSessions(let brand, let consumer, let device, let scope, _):
            return endSessions(brand, consumer, device, scope, &context)
        case .tap(let request): return tap(request, &context)
        case .receipts(let brand, let consumer, let receipts): return record(receipts, brand, consumer)
        case .retry(let request): return retry(request, &context)
        case .merge(let request): return merge(request, &context)
        case .changeProfile(let profile): return self.change(profile, &context)
        case .erase(let request):
            let result = erase(request, &context)
            if flaw == .endsOthers, case .erased = result { endStranger(to: 0, &context) }
            return result
        case .endStale(let stale): return endStale(stale, &context)
        case .openConversation, .write, .resolve:
            // These do not affect deliveries.
            return .notFound
        }
    }

    /// Returns the result of a change whose brand was deleted.
    private static func result(ofNoBrand change: StoreChange) -> StoreChangeResult {
        switch change {
        case .unregister, .endStale: .unregistered(RegistrationsChange())
        case .endSessions: .sessionsEnded(EndedSessions())
        case .receipts(_, _, let receipts): .receipts(met: receipts.map { _ in false })
        default: .notFound
        }
    }

    // MARK: Registrations

    private mutating func register(_ device: DeviceToRegister, _ context: inout TurnContext) -> StoreChangeResult {
        let name = LaneKey(
            brand: device.brand,
            app: device.app,
            pushType: device.pushType,
            environment: device.environment
        )
        guard let lane = self.lane(of: name) else { return .notFound }
        let owner = turnConsumer(consumerKey(device.brand, device.consumer, at: now))
        let existing = storedRegistrations(.device(device.device, brand: owner.name.brand)).first
        return .registered(register(device, over: existing, of: owner, lane: lane.rawValue, &context).change)
    }

    func storedRegistrations(_ lookup: RegistrationLookup) -> [StoredRegistration] {
        var found: [StoredRegistration] = []
        for (place, registration) in registrations.enumerated() {
            let id = Int64(place) + 1
            guard let registration else { continue }
            let isFound =
                switch lookup {
                case .id(let wanted): id == wanted
                case .consumer(let consumer): registration.consumer == consumer
                case .device(let device, let brand):
                    registration.device == device && registration.brand == self.brand(brand) && hasApp(registration)
                case .token(let token, let pushType, let brand):
                    registration.token == token && registration.pushType == pushType
                        && registration.brand == self.brand(brand)
                }
            guard isFound else { continue }
            found.append(
                StoredRegistration(
                    id: id,
                    consumer: registration.consumer,
                    lane: registration.lane.rawValue,
                    app: registration.app,
                    device: registration.device,
                    token: registration.token,
                    timeZone: registration.timeZone,
                    receives: registration.receives,
                    registeredAt: registration.registeredAt,
                    createdAt: registration.createdAt,
                    isStopped: registration.stoppedAt != nil,
                    isDeleted: !hasLane(registration)
                )
            )
        }
        return found
    }

    mutating func insert(_ device: DeviceToRegister, of owner: KnownConsumer, lane: Int64, at now: Timestamp) -> Int64 {
        registrations.append(
            Registration(
                brand: device.brand,
                app: device.app,
                device: device.device,
                consumer: owner.key,
                lane: LaneID(lane),
                token: device.token,
                pushType: device.pushType,
                platform: device.platform,
                timeZone: device.timeZone,
                receives: device.receives,
                registeredAt: now,
                lastSeenAt: now,
                createdAt: now
            )
        )
        let key = Int64(registrations.count)
        consumers[Int(owner.key) - 1].registrations.append(key)
        return key
    }

    mutating func renew(_ kept: StoredRegistration, as device: DeviceToRegister, at now: Timestamp) {
        change(kept) {
            $0.token = device.token
            $0.platform = device.platform
            $0.receives = device.receives
            $0.timeZone = device.timeZone
            $0.isActive = true
            $0.stoppedAt = nil
            $0.stopped = []
            $0.registeredAt = now
            $0.lastSeenAt = now
        }
    }

    mutating func narrow(_ narrowed: StoredRegistration, _ reason: UnregisterReason, at now: Timestamp) {
        change(narrowed) { $0.receives = narrowed.receives }
    }

    mutating func quarantine(_ registration: StoredRegistration) { change(registration) { $0.isActive = false } }

    mutating func change(_ registration: StoredRegistration, _ work: (inout Registration) -> Void) {
        let place = Int(registration.id) - 1
        guard var changed = registrations[place] else { return }
        work(&changed)
        registrations[place] = changed
    }

    mutating func delete(_ ended: StoredRegistration, _ reason: UnregisterReason?, at now: Timestamp) {
        // Only an erasure publishes no reason.
        if flaw == .keepsErased, reason == nil { return }
        consumers[Int(ended.consumer) - 1].registrations.removeAll { $0 == ended.id }
        registrations[Int(ended.id) - 1] = nil
    }

    mutating func consumerKey(_ brand: BrandID, _ id: ConsumerID, at now: Timestamp) -> Int64 {
        if let known = consumerKeys[brand]?[id] { return known }
        consumers.append(Consumer(brand: brand, id: id, createdAt: now))
        let key = Int64(consumers.count)
        consumerKeys[brand]?[id] = key
        return key
    }
}

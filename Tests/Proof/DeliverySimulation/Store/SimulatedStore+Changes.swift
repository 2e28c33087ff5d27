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
            return .unregistered(unregister(key, app: app, device: device, scope, &context))
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
        case .erase(let request): return erase(request, &context)
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
        let consumer = consumerKey(device.brand, device.consumer, at: now)
        var ended: [RegistrationID] = []
        var kept: Int64?
        var old: (id: Int64, reason: SuppressedBy)?
        for (place, found) in registrations.enumerated() {
            guard let found, found.brand == device.brand, !consumers[Int(found.consumer) - 1].isDeleted else {
                continue
            }
            let key = Int64(place) + 1
            if found.app == device.app, found.device == device.device {
                // Another consumer, or another lane: waiting rows must neither be shown to the new consumer nor sent on
                // the new lane.
                let hasMoved = hasLane(found) && found.token == device.token
                if found.consumer == consumer, found.lane == lane {
                    kept = key
                } else {
                    old = (key, hasMoved ? .tokenMoved : .unregistered)
                }
            } else if found.token == device.token, found.pushType == device.pushType, hasLane(found) {
                ended += end(key, by: .tokenMoved, &context)
            }
        }
        if let old { ended += end(old.id, by: old.reason, &context) }
        let key: Int64
        var isStopped = false
        if let kept {
            key = kept
            isStopped = registration(kept)?.stoppedAt != nil
            if !device.receives.contains(.agent) { withdrawAgents(of: kept, &context) }
            if !device.receives.contains(.proactive) { withdrawProactive(of: kept, &context) }
            registrations[Int(kept) - 1]?.token = device.token
            registrations[Int(kept) - 1]?.platform = device.platform
            registrations[Int(kept) - 1]?.receives = device.receives
            let hasMoved = registration(kept)?.timeZone != device.timeZone
            registrations[Int(kept) - 1]?.timeZone = device.timeZone
            context.renew(kept, as: device)
            if hasMoved { requeue(registration: kept, &context) }
            registrations[Int(kept) - 1]?.isActive = true
            registrations[Int(kept) - 1]?.stoppedAt = nil
            registrations[Int(kept) - 1]?.stopped = []
            registrations[Int(kept) - 1]?.registeredAt = now
            registrations[Int(kept) - 1]?.lastSeenAt = now
        } else {
            registrations.append(
                Registration(
                    brand: device.brand,
                    app: device.app,
                    device: device.device,
                    consumer: consumer,
                    lane: lane,
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
            key = Int64(registrations.count)
            consumers[Int(consumer) - 1].registrations.append(key)
        }
        let registration = DeviceRegistration(
            id: RegistrationID(key),
            brand: device.brand,
            app: device.app,
            device: device.device,
            consumer: consumers[Int(consumer) - 1].id,
            lane: lane,
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
            createdAt: self.registration(key)?.createdAt ?? now
        )
        let isCreated = kept == nil || isStopped
        return .registered(RegistrationChange(registration: registration, created: isCreated, ended: ended))
    }

    mutating func unregister(
        _ consumer: Int64,
        app: AppID?,
        device: DeviceID?,
        _ scope: UnregisterScope,
        _ context: inout TurnContext
    ) -> RegistrationsChange {
        var change = RegistrationsChange()
        guard scope != .none else { return change }
        for key in consumers[Int(consumer) - 1].registrations {
            guard let found = registration(key), hasLane(found), app == nil || found.app == app,
                device == nil || found.device == device
            else { continue }
            if scope == .all {
                change.ended += end(key, by: .unregistered, &context)
            } else if found.receives.contains(.agent) {
                withdrawAgents(of: key, &context)
                registrations[Int(key) - 1]?.receives.remove(.agent)
                if found.stoppedAt == nil { change.narrowed.append(RegistrationID(key)) }
            }
        }
        return change
    }

    /// Ends a registration; returns it, unless it was stopped and therefore hidden.
    @discardableResult
    mutating func end(_ key: Int64, by reason: SuppressedBy, _ context: inout TurnContext) -> [RegistrationID] {
        guard let found = registration(key) else { return [] }
        for id in found.pending { withdraw(id, state: .cancelled, by: reason, &context) }
        consumers[Int(found.consumer) - 1].registrations.removeAll { $0 == key }
        registrations[Int(key) - 1] = nil
        return found.stoppedAt == nil ? [RegistrationID(key)] : []
    }

    /// Withdraws agents' messages and the badges that follow them.
    private mutating func withdrawAgents(of key: Int64, _ context: inout TurnContext) {
        for id in registration(key)?.pending ?? [] where delivery(id).message.map({ $0.kind == .agent }) ?? true {
            withdraw(id, state: .cancelled, by: .unregisteredAgent, &context)
        }
    }

    private mutating func withdrawProactive(of key: Int64, _ context: inout TurnContext) {
        for id in registration(key)?.pending ?? []
        where delivery(id).message.map({ [.proactive, .c2m].contains($0.kind) }) ?? false {
            withdraw(id, state: .cancelled, by: .noConsent, &context)
        }
    }

    mutating func consumerKey(_ brand: BrandID, _ id: ConsumerID, at now: Timestamp) -> Int64 {
        if let known = consumerKeys[brand]?[id] { return known }
        consumers.append(Consumer(brand: brand, id: id, createdAt: now))
        let key = Int64(consumers.count)
        consumerKeys[brand]?[id] = key
        return key
    }
}

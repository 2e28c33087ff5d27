import GatewayModel
import GatewayStorage

extension SimulatedStore {
    mutating func apply(_ change: StoreChange, _ context: inout Context) -> StoreChangeResult {
        if let brand = change.brand, !hasBrand(brand) { return Self.result(ofNoBrand: change) }
        switch change {
        case .register(let device): return register(device, &context)
        case .unregister(let brand, let consumer, let app, let device, let scope):
            guard let key = consumerKeys[brand]?[consumer] else { return .unregistered(RegistrationsChange()) }
            return .unregistered(unregister(key, app: app, device: device, scope))
        case .read(let request): return read(request, &context)
        case .upsertConsumer(let brand, let id, let anonymous, _):
            return upsert(id, brand: brand, anonymous: anonymous, context)
        case .openSession(let session, let terms): return open(session, terms, &context)
        case .endSession(let tokenHash, let scope): return endSession(tokenHash, scope)
        case .endSessions(let brand, let consumer, let device, let scope, _):
            return endSessions(brand, consumer, device, scope)
        case .tap(let request): return tap(request)
        case .receipts(let brand, let consumer, let receipts): return record(receipts, brand, consumer)
        case .retry(let request): return retry(request)
        case .merge(let request): return merge(request, &context)
        case .changeProfile(let profile): return self.change(profile, context)
        case .erase(let request): return erase(request)
        case .endStale(let stale): return endStale(stale)
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

    private mutating func register(_ device: DeviceToRegister, _ context: inout Context) -> StoreChangeResult {
        let name = LaneKey(
            brand: device.brand,
            app: device.app,
            pushType: device.pushType,
            environment: device.environment
        )
        guard let lane = self.lane(of: name) else { return .notFound }
        let consumer = consumerKey(device.brand, device.consumer, at: context.now)
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
                ended += end(key, by: .tokenMoved)
            }
        }
        if let old { ended += end(old.id, by: old.reason) }
        let key: Int64
        var isStopped = false
        if let kept {
            key = kept
            isStopped = registration(kept)?.stoppedAt != nil
            if !device.receives.contains(.agent) { withdrawAgents(of: kept) }
            if !device.receives.contains(.proactive) { withdrawProactive(of: kept) }
            registrations[Int(kept) - 1]?.token = device.token
            registrations[Int(kept) - 1]?.platform = device.platform
            registrations[Int(kept) - 1]?.receives = device.receives
            let hasMoved = registration(kept)?.timeZone != device.timeZone
            registrations[Int(kept) - 1]?.timeZone = device.timeZone
            if hasMoved { requeue(kept) }
            registrations[Int(kept) - 1]?.isActive = true
            registrations[Int(kept) - 1]?.stoppedAt = nil
            registrations[Int(kept) - 1]?.stopped = []
            registrations[Int(kept) - 1]?.registeredAt = context.now
            registrations[Int(kept) - 1]?.lastSeenAt = context.now
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
                    registeredAt: context.now,
                    lastSeenAt: context.now,
                    createdAt: context.now
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
            registeredAt: context.now,
            createdAt: self.registration(key)?.createdAt ?? context.now
        )
        let isCreated = kept == nil || isStopped
        return .registered(RegistrationChange(registration: registration, created: isCreated, ended: ended))
    }

    mutating func unregister(
        _ consumer: Int64,
        app: AppID?,
        device: DeviceID?,
        _ scope: UnregisterScope
    ) -> RegistrationsChange {
        var change = RegistrationsChange()
        guard scope != .none else { return change }
        for key in consumers[Int(consumer) - 1].registrations {
            guard let found = registration(key), hasLane(found), app == nil || found.app == app,
                device == nil || found.device == device
            else { continue }
            if scope == .all {
                change.ended += end(key, by: .unregistered)
            } else if found.receives.contains(.agent) {
                withdrawAgents(of: key)
                registrations[Int(key) - 1]?.receives.remove(.agent)
                if found.stoppedAt == nil { change.narrowed.append(RegistrationID(key)) }
            }
        }
        return change
    }

    /// Ends a registration; returns it, unless it was stopped and therefore hidden.
    @discardableResult
    mutating func end(_ key: Int64, by reason: SuppressedBy) -> [RegistrationID] {
        guard let found = registration(key) else { return [] }
        for id in found.pending { withdraw(id, .cancelled, by: reason) }
        consumers[Int(found.consumer) - 1].registrations.removeAll { $0 == key }
        registrations[Int(key) - 1] = nil
        return found.stoppedAt == nil ? [RegistrationID(key)] : []
    }

    /// Withdraws agents' messages and the badges that follow them.
    private mutating func withdrawAgents(of key: Int64) {
        for id in registration(key)?.pending ?? [] where delivery(id).message.map({ $0.kind == .agent }) ?? true {
            withdraw(id, .cancelled, by: .unregisteredAgent)
        }
    }

    private mutating func withdrawProactive(of key: Int64) {
        for id in registration(key)?.pending ?? []
        where delivery(id).message.map({ [.proactive, .c2m].contains($0.kind) }) ?? false {
            withdraw(id, .cancelled, by: .noConsent)
        }
    }

    func consumerKey(existing brand: BrandID, _ id: ConsumerID) -> Int64? { consumerKeys[brand]?[id] }

    mutating func consumerKey(_ brand: BrandID, _ id: ConsumerID, at now: Timestamp) -> Int64 {
        if let known = consumerKeys[brand]?[id] { return known }
        consumers.append(Consumer(brand: brand, id: id, createdAt: now))
        let key = Int64(consumers.count)
        consumerKeys[brand]?[id] = key
        return key
    }

    // MARK: Reads

    private mutating func read(_ request: ReadRequest, _ context: inout Context) -> StoreChangeResult {
        guard let key = conversationKeys[request.brand]?[request.conversation],
            let consumer = consumerKeys[request.brand]?[request.consumer],
            conversations[Int(key) - 1].consumer == consumer,
            let sequence = sequence(of: request.target, in: key)
        else { return .notFound }
        read(key, upTo: sequence, on: request.device, &context)
        return .read(
            ReadChange(
                consumer: ConsumerKey(consumer),
                conversation: ConversationKey(key),
                readSequence: conversations[Int(key) - 1].readSequence,
                unread: consumers[Int(consumer) - 1].unread
            )
        )
    }

    /// Returns the position of a target in a conversation; the simulation uses only targets by our own ids.
    func sequence(of target: ReadTarget, in conversation: Int64) -> Int64? {
        if case .sequence(let sequence) = target { sequence } else { nil }
    }

    /// Moves a read mark forward, never past the last message.
    mutating func read(_ key: Int64, upTo target: Int64, on device: DeviceID?, _ context: inout Context) {
        var conversation = conversations[Int(key) - 1]
        let mark = min(target, conversation.lastSequence)
        guard mark > conversation.readSequence else { return }
        var unread: Int64 = 0
        for counts in conversation.counts.dropFirst(Int(mark)) where counts { unread += 1 }
        let moved = unread - conversation.unread
        let before = conversation.readSequence
        let isShown = moved != 0 || conversation.proactive.contains { $0 > before && $0 <= mark }
        conversation.unread = unread
        conversation.readSequence = mark
        conversations[Int(key) - 1] = conversation
        let consumer = conversation.consumer
        consumers[Int(consumer) - 1].unread += moved
        for registration in consumers[Int(consumer) - 1].registrations {
            for id in self.registration(registration)?.pending ?? []
            where delivery(id).conversation == key && delivery(id).sequence <= mark {
                if delivery(id).isHeld {
                    context.held.suppressed += 1
                    withdraw(id, .suppressed, by: .windowOpen)
                } else {
                    withdraw(id, .cancelled, by: .read)
                }
            }
        }
        let unreadNow = consumers[Int(consumer) - 1].unread
        notifyWindows(consumer, .read(conversation.name, upToSequence: mark, unread: unreadNow), &context)
        if moved != 0 { context.changed.insert(consumer) }
        guard isShown else { return }
        queueBadges(consumer, except: device, &context)
    }

    /// Queues the new badge for the consumer's other devices; of several that wait only the newest is sent.
    private mutating func queueBadges(_ consumer: Int64, except device: DeviceID?, _ context: inout Context) {
        for key in consumers[Int(consumer) - 1].registrations {
            guard let found = registration(key), isPushedTo(found), found.receives.contains(.agent),
                found.device != device, flaw != .losesBadges
            else { continue }
            queue(
                Delivery(
                    device: found.device,
                    lane: found.lane,
                    registration: key,
                    consumer: consumer,
                    conversation: nil,
                    message: nil,
                    kind: .badge,
                    owner: nil,
                    expiresAt: context.now.adding(seconds: 86_400),
                    queuedAt: context.now
                ),
                &context
            )
        }
    }
}

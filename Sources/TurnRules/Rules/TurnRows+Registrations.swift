package import GatewayModel
internal import GatewayStorage

/// The upper bound of a consumer's registrations: more than people have; each costs every message a row.
private let registrationsPerConsumer = 100

/// Registrations of devices, and their ends.
extension TurnRows {
    /// Registers a device, and binds the session that does so to it.
    mutating func register(
        _ device: DeviceToRegister,
        _ context: inout TurnContext
    ) throws(Failure) -> StoreChangeResult {
        guard let brand = try brandKey(device.brand), let lane = try self.lane(of: device, brand: brand) else {
            return .notFound
        }
        let now = context.turn.now
        let name = BrandedName(brand: brand, id: device.consumer.rawValue)
        defer { if device.isImported { forgetUnused(name) } }
        let known = try consumer(name)
        let existing = try storedRegistrations(.device(device.device, brand: brand)).first { $0.app == device.app }
        if let session = device.session {
            guard try isLive(session, of: known?.key, at: now) else { return .sessionEnded }
            guard try !isBound(session, elsewhereThan: device.device) else { return .boundElsewhere }
        }
        // Knowing a device's id must not suffice to get its pushes or to end its registration: its token proves who has
        // it.
        if device.session != nil || device.needsProof {
            if let existing, !existing.isHidden, existing.consumer != known?.key,
                !PushTokenProof(forms: [Array(device.token.utf8)]).proves(existing.token),
                device.currentToken?.proves(existing.token) != true
            {
                return .conflict
            }
        }
        if device.isImported {
            guard try !isTaken(device, existing, brand: brand) else { return .kept }
            if let known, try !hasRoom(known.key) { return .conflict }
        }
        let owner: KnownConsumer
        if let known { owner = known } else { owner = try makeConsumer(name, isAnonymous: false, at: now) }
        let (made, isOthers) = try register(device, over: existing, of: owner, lane: lane, &context)
        guard let session = device.session else {
            if isOthers { try write(device.audit) }
            return .registered(made)
        }
        var change = made
        var changed = try bind(session, to: device.device)
        if device.singleDevice {
            changed += try endSessions(of: owner.key, before: session)
            change.ended += try endOthers(than: device.device, of: owner.key, &context)
        }
        // The sessions in memory do not have the device of a session that was bound.
        if changed > 0 { context.noteEnd(device.brand, ConsumerID(trusted: owner.name.id)) }
        return .registered(change)
    }

    /// Whether an imported device would end or replace a registration, also one that is stopped.
    private mutating func isTaken(
        _ device: DeviceToRegister,
        _ existing: StoredRegistration?,
        brand: Int64
    ) throws(Failure) -> Bool {
        if let existing, !existing.isDeleted { return true }
        return try storedRegistrations(.token(device.token, device.pushType, brand: brand)).contains { !$0.isDeleted }
    }

    /// Whether a consumer may have one more registration without losing its oldest.
    private mutating func hasRoom(_ consumer: Int64) throws(Failure) -> Bool {
        try storedRegistrations(.consumer(consumer)).count { !$0.isHidden } < registrationsPerConsumer
    }

    /// Registers a device over its existing registration for the app, if it has one, and ends those that it replaces;
    /// returns also whether one of these was another consumer's.
    private mutating func register(
        _ device: DeviceToRegister,
        over existing: StoredRegistration?,
        of owner: KnownConsumer,
        lane: Int64,
        _ context: inout TurnContext
    ) throws(Failure) -> (change: RegistrationChange, isOthers: Bool) {
        let now = context.turn.now
        var ended: [RegistrationID] = []
        var isOthers = false
        // An imported device replaces none.
        let others =
            device.isImported
            ? [] : try storedRegistrations(.token(device.token, device.pushType, brand: owner.name.brand))
        for other in others where !other.isDeleted && (other.app != device.app || other.device != device.device) {
            if other.consumer != owner.key, !other.isStopped { isOthers = true }
            ended += try end(other.id, by: .tokenMoved, .tokenMoved, &context)
        }
        var kept: StoredRegistration?
        if let existing, !existing.isDeleted, existing.consumer == owner.key, existing.lane == lane {
            kept = existing
        } else if let existing {
            // Waiting rows must neither be shown to another consumer nor sent on another lane.
            if existing.consumer != owner.key, !existing.isHidden { isOthers = true }
            let hasMoved = !existing.isDeleted && existing.has(device.token)
            let reason: UnregisterReason = existing.isDeleted ? .appDeleted : hasMoved ? .tokenMoved : .replaced
            ended += try end(existing.id, by: hasMoved ? .tokenMoved : .unregistered, reason, &context)
        }
        let id: Int64
        if let kept {
            id = kept.id
            // Pushes that the device no longer wants must not arrive late.
            if !device.receives.contains(.agent) { try withdraw(.agent, of: id, by: .unregisteredAgent, &context) }
            if !device.receives.contains(.proactive) { try withdraw(.proactive, of: id, by: .noConsent, &context) }
            try renew(kept, as: device, at: now)
            context.renew(id, as: device)
            // Rows that wait for the end of quiet hours now wait for that of another time zone.
            if kept.timeZone != device.timeZone { try requeue(registration: id, &context) }
        } else {
            id = try insert(device, of: owner, lane: lane, at: now)
            if !device.isImported { ended += try endOldest(of: owner.key, &context) }
        }
        var registration = DeviceRegistration(
            id: RegistrationID(id),
            brand: device.brand,
            app: device.app,
            device: device.device,
            consumer: ConsumerID(trusted: owner.name.id),
            lane: LaneID(lane),
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
            createdAt: kept?.createdAt ?? now
        )
        registration.extraTokens = device.extraTokens
        context.note(.registered(ConsumerKey(owner.key), registration))
        let isCreated = kept?.isStopped ?? true
        return (RegistrationChange(registration: registration, created: isCreated, ended: ended), isOthers)
    }

    /// Ends or narrows registrations of a consumer; nil app and device mean all of them.
    mutating func unregister(
        _ consumer: Int64,
        app: AppID?,
        device: DeviceID?,
        _ scope: UnregisterScope,
        _ reason: UnregisterReason,
        _ context: inout TurnContext
    ) throws(Failure) -> RegistrationsChange {
        var change = RegistrationsChange()
        guard scope != .none else { return change }
        for found in try storedRegistrations(.consumer(consumer))
        where !found.isDeleted && found.app == (app ?? found.app) && found.device == (device ?? found.device) {
            if scope == .all {
                change.ended += try end(found.id, by: .unregistered, reason, &context)
            } else if found.receives.contains(.agent) {
                try withdraw(.agent, of: found.id, by: .unregisteredAgent, &context)
                var narrowed = found
                narrowed.receives.remove(.agent)
                try narrow(narrowed, reason, at: context.turn.now)
                guard !found.isStopped else { continue }
                context.note(.narrowed(ConsumerKey(consumer), RegistrationID(found.id)))
                change.narrowed.append(RegistrationID(found.id))
            }
        }
        return change
    }

    /// Ends a consumer's registrations of other devices; nil ends them all.
    mutating func endOthers(
        than device: DeviceID?,
        of consumer: Int64,
        _ context: inout TurnContext
    ) throws(Failure) -> [RegistrationID] {
        var ended: [RegistrationID] = []
        for registration in try storedRegistrations(.consumer(consumer)) where registration.device != device {
            ended += try end(registration.id, by: .unregistered, .unregistered, &context)
        }
        return ended
    }

    /// Ends a consumer's registrations beyond the limit, the oldest.
    mutating func endOldest(of consumer: Int64, _ context: inout TurnContext) throws(Failure) -> [RegistrationID] {
        let found = try storedRegistrations(.consumer(consumer)).filter { !$0.isHidden }
        guard found.count > registrationsPerConsumer else { return [] }
        var ended: [RegistrationID] = []
        let newest = found.sorted { ($0.registeredAt, $0.id) > ($1.registeredAt, $1.id) }
        for registration in newest.dropFirst(registrationsPerConsumer) {
            ended += try end(registration.id, by: .unregistered, .replaced, &context)
        }
        return ended
    }

    /// Ends a registration and cancels its rows; returns it, unless it was stopped and so hidden.
    @discardableResult
    package mutating func end(
        _ registration: Int64,
        by suppressedBy: SuppressedBy,
        _ reason: UnregisterReason?,
        _ context: inout TurnContext
    ) throws(Failure) -> [RegistrationID] {
        try withdraw(.all, of: registration, by: suppressedBy, &context)
        guard let found = try storedRegistrations(.id(registration)).first else { return [] }
        try delete(found, reason, at: context.turn.now)
        return found.isStopped ? [] : [RegistrationID(registration)]
    }

    /// Ends rows of a registration without a provider's response.
    mutating func withdraw(
        _ part: RegistrationRows,
        of registration: Int64,
        state: DeliveryState = .cancelled,
        by suppressedBy: SuppressedBy?,
        _ context: inout TurnContext
    ) throws(Failure) {
        for id in try rows(part, of: registration) { try withdraw(id, state: state, by: suppressedBy, &context) }
    }

    /// Erases a consumer and those that were merged into it, except for what housekeeping removes.
    mutating func erase(
        _ request: ErasureRequest,
        _ context: inout TurnContext
    ) throws(Failure) -> StoreChangeResult {
        guard let brand = try brandKey(request.brand),
            let consumer = try self.consumer(BrandedName(brand: brand, id: request.consumer.rawValue))
        else { return .notFound }
        try flush(&context)
        var ended: [RegistrationID] = []
        for registration in try storedRegistrations(.consumer(consumer.key)) {
            // Nobody is notified: the item would name the consumer.
            try end(registration.id, by: .unregistered, nil, &context)
            ended.append(RegistrationID(registration.id))
        }
        if try endSessions(of: consumer.key) > 0 {
            context.noteEnd(request.brand, ConsumerID(trusted: consumer.name.id))
        }
        try erase(consumer, of: request.brand)
        return .erased(ended)
    }
}

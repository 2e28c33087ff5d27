import GatewayModel
import GatewayStorage
import TurnRules

/// Registrations of devices.
extension SimulatedStore {
    func lane(of device: DeviceToRegister, brand: Int64) -> Int64? {
        let name = LaneKey(
            brand: device.brand,
            app: device.app,
            pushType: device.pushType,
            environment: device.environment
        )
        let isThere: (Int) -> Bool = { flaw == .findsOldLane || !deletedLanes.contains(LaneID(Int64($0) + 1)) }
        return lanes.indices.first { lanes[$0] == name && isThere($0) }.map { Int64($0) + 1 }
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
                    isDeleted: !hasLane(registration),
                    isImported: registration.isImported
                )
            )
        }
        return found
    }

    func owner(of token: AgentEvent.TokenName, brand: Int64) -> TokenOwner? {
        for found in storedRegistrations(.token(token.text, token.pushType, brand: brand))
        where !found.isHidden && found.app == token.app ?? found.app {
            return TokenOwner(
                registration: RegistrationID(found.id),
                consumer: consumers[Int(found.consumer) - 1].id,
                receives: registration(found.id).map(isPushedTo) == true ? found.receives : []
            )
        }
        return nil
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
                isImported: device.isImported,
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
            $0.isImported = false
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

    mutating func confirm(_ registration: StoredRegistration) { change(registration) { $0.isImported = false } }

    mutating func change(_ registration: StoredRegistration, _ work: (inout Registration) -> Void) {
        let place = Int(registration.id) - 1
        guard var changed = registrations[place] else { return }
        work(&changed)
        registrations[place] = changed
    }

    mutating func delete(_ ended: StoredRegistration, _ reason: UnregisterReason?, at now: Timestamp) {
        // Only an erasure publishes no reason.
        if flaw == .keepsErased, reason == nil { return }
        if flaw == .endsOthers, reason == .appDeleted { endsStrangerTo = ended.consumer }
        consumers[Int(ended.consumer) - 1].registrations.removeAll { $0 == ended.id }
        registrations[Int(ended.id) - 1] = nil
    }
}

import GatewayModel
import GatewayStorage

/// Logins and retries of deliveries.
extension WalkModel {
    /// Returns the consumers to merge at a login with an identifier; no walk is so long that a session's proof expires.
    func anonymousConsumers(of login: StoredSession, _ terms: LoginTerms) -> Set<String> {
        var found = anonymous.intersection(sessions.filter { $0.token == terms.anonymousToken }.map(\.consumer))
        if terms.anonymousMerge == .device, let device = login.device {
            found.formUnion(anonymousConsumers(on: device.rawValue))
        }
        return found
    }

    /// Returns the reason why a session does not get a device; nil when it does.
    func rejection(_ device: DeviceToRegister) -> DeviceRejection? {
        guard let session = sessions.first(where: { $0.token == device.session }) else { return nil }
        if let bound = session.device, bound != device.device.rawValue { return .boundElsewhere }
        let owned = registrations.values.first { $0.device == device.device.rawValue }
        guard let owned, owned.consumer != name(device.consumer.rawValue), owned.token != device.token,
            device.currentToken?.proves(owned.token) != true
        else { return nil }
        return .conflict
    }

    enum DeviceRejection {
        case boundElsewhere, conflict
    }

    /// Binds the session that requested a registration, if it is bound to none.
    mutating func bind(_ device: DeviceToRegister) {
        guard let place = sessions.firstIndex(where: { $0.token == device.session }) else { return }
        sessions[place].device = sessions[place].device ?? device.device.rawValue
    }

    private func anonymousConsumers(on device: String) -> Set<String> {
        let latest = sessions.filter { $0.device == device }.max { $0.createdAt < $1.createdAt }?.consumer
        let owners = registrations.values.filter { $0.device == device }.map(\.consumer)
        return anonymous.intersection(owners + [latest].compactMap(\.self))
    }

    /// Ends the sessions of a consumer; returns their number.
    mutating func endSessions(of consumer: String) -> Int {
        let before = sessions.count
        sessions.removeAll { $0.consumer == consumer }
        return before - sessions.count
    }

    mutating func merge(_ consumer: String, into other: String) {
        merged[consumer] = other
        anonymous.remove(consumer)
        for thread in conversations.keys where conversations[thread]?.consumer == consumer {
            conversations[thread]?.consumer = other
        }
        for id in registrations.keys where registrations[id]?.consumer == consumer {
            registrations[id]?.consumer = other
        }
    }

    /// Returns a finished row's present registration; nil when its device is no longer its consumer's.
    func registration(of row: Row) -> (key: RegistrationID, value: Registration)? {
        registrations.first { $0.value.device == row.device && $0.value.consumer == name(row.consumer) }
    }

    /// Returns the reason why a failed or expired delivery is not retried; nil when it is.
    func rejection(_ id: DeliveryID, _ row: Row) -> RetryRejection? {
        guard let registration = registration(of: row) else { return .registrationGone }
        guard registration.value.isActive else { return .registrationQuarantined }
        if let message = row.message, made[message] == nil { return .messageGone }
        if let conversation = row.conversation, conversations[conversation].map({ $0.mark >= row.sequence }) == true {
            return .read
        }
        let wanted: Receives = row.kind == nil || row.kind == .agent ? .agent : .proactive
        guard registration.value.receives.contains(wanted) else { return .notReceived }
        var now = row
        now.registration = registration.key
        return open.contains { $0.key > id && $0.value.takesPlace(of: now) } ? .collapsed : nil
    }

    /// Requeues a delivery, unowned.
    mutating func retry(_ id: DeliveryID, until: Timestamp) {
        guard var row = rows[id], let registration = registration(of: row) else { return }
        row.registration = registration.key
        row.expiresAt = until
        row.isHeld = false
        row.isForWindow = false
        rows[id] = row
        open[id] = row
        finished.remove(id)
    }
}

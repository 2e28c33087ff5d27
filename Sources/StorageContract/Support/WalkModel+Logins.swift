import GatewayModel
import GatewayStorage

/// Logins, and deliveries that are tried again.
extension WalkModel {
    /// Who is merged when somebody with an identifier logs in on a device.
    func anonymousConsumers(on device: String) -> Set<String> {
        let latest = sessions.filter { $0.device == device }.max { $0.createdAt < $1.createdAt }?.consumer
        let owners = registrations.values.filter { $0.device == device }.map(\.consumer)
        return anonymous.intersection(owners + [latest].compactMap(\.self))
    }

    /// Ends the sessions of a consumer; returns how many.
    mutating func endSessions(of consumer: String) -> Int {
        let before = sessions.count
        sessions.removeAll { $0.consumer == consumer }
        return before - sessions.count
    }

    mutating func merge(_ consumer: String, into other: String) {
        merged[consumer] = other
        anonymous.remove(consumer)
        for name in conversations.keys where conversations[name]?.consumer == consumer {
            conversations[name]?.consumer = other
        }
        for id in registrations.keys where registrations[id]?.consumer == consumer {
            registrations[id]?.consumer = other
        }
    }

    /// A finished row's registration as it is now; nil when its device is not its consumer's any more.
    func registration(of row: Row) -> (key: RegistrationID, value: Registration)? {
        registrations.first { $0.value.device == row.device && $0.value.consumer == name(row.consumer) }
    }

    /// Why a delivery that failed or expired is not tried again; nil when it is.
    func refusal(_ id: DeliveryID, _ row: Row) -> RetryRefusal? {
        guard let registration = registration(of: row) else { return .registrationGone }
        guard registration.value.isActive else { return .registrationQuarantined }
        if let message = row.message, made[message] == nil { return .messageGone }
        if let conversation = row.conversation, conversations[conversation].map({ $0.mark >= row.sequence }) == true {
            return .read
        }
        var now = row
        now.registration = registration.key
        return open.contains { $0.key > id && $0.value.takesPlace(of: now) } ? .collapsed : nil
    }

    /// Puts a delivery back; nobody owns it.
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

import GatewayModel
import GatewayStorage

/// Results of the store as the model writes them.
extension StoreChangeResult {
    var text: String {
        switch self {
        case .registered(let change):
            let kind = change.created ? "created" : "renewed"
            return "registered \(change.registration.id) \(kind) \(ContractModel.list(change.ended))"
        case .kept: return "kept"
        case .unregistered(let change): return "unregistered \(ContractModel.text(change))"
        case .read(let change): return "read \(change.readSequence) \(change.unread)"
        case .tapped(let tap):
            let facts = "\(tap.message.id) \(tap.message.sequence) \(tap.message.kind.rawValue)"
            return "tapped \(facts) \(tap.tappedAt) \(tap.first ? "first" : "again")"
        case .receipts(let met): return "receipts \(met)"
        case .consumer(let consumer): return consumer.text
        case .sessionOpened(let opening), .merged(let opening):
            let kind = opening.anonymous ? "anonymous" : "known"
            let merged = opening.merged.map(\.id.rawValue).sorted()
            let ended = ContractModel.list(opening.endedRegistrations)
            return "opened \(opening.consumer) \(kind) \(opening.endedSessions) \(ended) \(merged)"
        case .sessionEnded: return "session ended"
        case .boundElsewhere: return "bound elsewhere"
        case .sessionsEnded(let ended):
            return "sessions ended \(ended.count) \(ContractModel.text(ended.registrations))"
        case .retried: return "retried"
        case .notRetried(let rejection): return "not retried \(rejection)"
        case .conversation(let found, let isNew):
            let counts = "\(found.unread) \(found.lastSequence) \(found.readSequence)"
            return "conversation \(found.id) \(counts) \(isNew ? "new" : "active")"
        case .written(let message):
            return "written \(message.messageID) \(message.sequence) \(message.isRepeated ? "again" : "new")"
        case .tracked(let consumer): return "tracked \(consumer?.rawValue ?? "nobody")"
        case .resolved: return "resolved"
        case .notMerged(let rejection): return "not merged \(rejection)"
        case .erased(let registrations): return "erased \(ContractModel.list(registrations))"
        case .conflict: return "conflict"
        case .notFound: return "not found"
        case .gone: return "gone"
        case .credentialRevoked, .alreadyPresented: return "\(self)"
        }
    }
}

extension StoredConsumer {
    var text: String {
        "consumer \(id) \(anonymous ? "anonymous" : "known") \(profile.name ?? "-") \(unread)"
    }
}

extension WindowEvent {
    var text: String {
        switch kind {
        case .message(let message):
            "\(consumer.consumer) message \(message.conversation) \(message.sequence) \(message.kind.rawValue)"
        case .read(let conversation, let sequence, let unread):
            "\(consumer.consumer) read \(conversation) \(sequence) \(unread)"
        case .resolved(let conversation, let byConsumer):
            "\(consumer.consumer) resolved \(conversation) \(byConsumer)"
        case .typing(let conversation, let byConsumer):
            "\(consumer.consumer) typing \(conversation) \(byConsumer)"
        }
    }
}

extension OutboundItem {
    /// The type and the data, of a failed delivery only up to its state.
    var text: String {
        var facts = data.text[...]
        if type == .deliveryFailed {
            for member in [#","status""#, #","reason""#, #","attempts""#] {
                if let found = facts.firstRange(of: member) { facts = facts[..<found.lowerBound] }
            }
        }
        return "\(type.rawValue) \(facts)"
    }
}

extension DeliveryRecord {
    var text: String {
        let message = messageID.map(\.description) ?? "badge"
        let times = [sentAt, finishedAt, tappedAt, deliveredAt, displayedAt, dismissedAt].map { $0?.milliseconds ?? 0 }
        let facts = "\(status ?? 0) \(reason ?? "-") \(badge ?? -1) \(providerID ?? "-")"
        return """
            \(id) \(message) \(consumer) \(device) \(provider.rawValue) \(state.rawValue) \
            \(suppressedBy?.rawValue ?? "-") \(attempts) \(facts) \(queuedAt.milliseconds) \(times)
            """
    }
}

extension DeviceRegistration {
    var text: String {
        """
        \(id) \(device) \(consumer) \(token) \(receives.rawValue) \(state.rawValue) \
        \(registeredAt.milliseconds) \(createdAt.milliseconds)
        """
    }
}

extension ContractModel {
    func text(of consumer: String) -> String? {
        consumers[consumer].map { known in
            let kind = known.isAnonymous ? "anonymous" : "known"
            return "consumer \(consumer) \(kind) \(known.name ?? "-") \(unread(consumer))"
        }
    }

    func text(_ id: DeliveryID, _ row: Row) -> String {
        let message = row.message.map(\.description) ?? "badge"
        let times = [
            row.sentAt, row.finishedAt, row.tappedAt, row.deliveredAt, row.displayedAt, row.dismissedAt,
        ].map { $0?.milliseconds ?? 0 }
        let facts = "\(row.status ?? 0) \(row.reason ?? "-") \(row.badge ?? -1) \(row.providerID ?? "-")"
        return """
            \(id) \(message) \(name(row.consumer)) \(row.device) \(row.pushType.rawValue) \(row.state.rawValue) \
            \(row.suppressedBy?.rawValue ?? "-") \(row.attempts) \(facts) \(row.queuedAt.milliseconds) \(times)
            """
    }

    func text(_ id: RegistrationID, _ device: Registration) -> String {
        """
        \(id) \(device.device) \(device.consumer) \(device.token) \(device.receives.rawValue) \
        \(device.state.rawValue) \(device.registeredAt.milliseconds) \(device.createdAt.milliseconds)
        """
    }
}

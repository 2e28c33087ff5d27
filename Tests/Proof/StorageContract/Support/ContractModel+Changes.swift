import GatewayModel
import GatewayStorage

/// Changes by devices and back-ends.
extension ContractModel {
    /// Makes a change and returns its result as text; of `result` it takes only the number of a new registration, and
    /// the order in which consumers were merged.
    mutating func apply(_ change: StoreChange, _ result: StoreChangeResult) -> String {
        switch change {
        case .register(let device):
            guard case .registered(let made) = result else { return register(device, as: nil) }
            return register(device, as: made.registration.id)
        case .unregister(_, let consumer, _, let device, let scope):
            let change = unregister(known(consumer), device, scope, .unregistered)
            return "unregistered \(Self.text(change))"
        case .read(let request):
            guard let owner = known(request.consumer),
                let found = number(request.conversation.rawValue, of: owner),
                read(found, request.target, on: request.device)
            else { return "not found" }
            return "read \(conversations[found]?.mark ?? 0) \(unread(owner))"
        case .tap(let request): return tap(request)
        case .receipts(_, let consumer, let receipts): return "receipts \(record(receipts, of: known(consumer)))"
        case .upsertConsumer(_, let id, let isAnonymous, let profile):
            let owner = name(id.rawValue)
            meet(owner, isAnonymous: isAnonymous)
            // One that has had an identifier keeps it.
            if !isAnonymous { consumers[owner]?.isAnonymous = false }
            if let name = profile.name { consumers[owner]?.name = name }
            return text(of: owner) ?? "not found"
        case .changeProfile(let change):
            guard let owner = known(change.consumer) else { return "not found" }
            if let name = change.name { consumers[owner]?.name = name }
            return text(of: owner) ?? "not found"
        case .openSession(let session, let terms):
            guard case .sessionOpened(let opening) = result else { return logIn(session, terms, order: []) }
            return logIn(session, terms, order: opening.merged.map(\.id.rawValue))
        case .endSession(let token, let scope): return endSession(token, scope)
        case .endSessions(_, let consumer, let device, let scope, _): return endSessions(of: consumer, device, scope)
        case .retry(let request): return retry(request)
        case .openConversation(let request): return openConversation(request)
        case .write(let message): return write(message)
        case .resolve(_, let consumer, let conversation): return resolve(consumer, conversation)
        case .erase(let request): return erase(request.consumer)
        case .merge(let request): return merge(request)
        case .endStale, .track: return "not in the walk"
        }
    }
}

extension StoreChange {
    /// The name of its kind.
    var kind: String {
        switch self {
        case .register: "register"
        case .unregister: "unregister"
        case .read: "read"
        case .tap: "tap"
        case .receipts: "receipts"
        case .upsertConsumer: "upsert"
        case .changeProfile: "profile"
        case .openSession: "log in"
        case .endSession: "log out"
        case .endSessions: "remote logout"
        case .retry: "retry"
        case .openConversation: "open"
        case .write: "write"
        case .resolve: "resolve"
        case .erase: "erase"
        case .merge: "merge"
        case .track: "track"
        case .endStale: "stale"
        }
    }

    /// The name of the consumer that it changes; nil when it names none.
    var consumer: ConsumerID? {
        switch self {
        case .register(let device): device.consumer
        case .unregister(_, let consumer, _, _, _), .receipts(_, let consumer, _): consumer
        case .endSessions(_, let consumer, _, _, _), .resolve(_, let consumer, _): consumer
        case .read(let request): request.consumer
        case .tap(let request): request.consumer
        case .upsertConsumer(_, let consumer, _, _): consumer
        case .changeProfile(let change): change.consumer
        case .openSession(let session, _): session.consumer
        case .openConversation(let request): request.consumer
        case .write(let message): message.consumer
        case .erase(let request): request.consumer
        case .merge(let request): request.consumer
        case .track(let change): change.consumer
        case .endSession, .retry, .endStale: nil
        }
    }
}

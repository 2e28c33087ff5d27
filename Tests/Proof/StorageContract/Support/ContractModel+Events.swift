import GatewayModel
import GatewayStorage

/// Events of back-ends, and the removal of what is old.
extension ContractModel {
    /// Accepts an event; `proactive` is the conversation that the store chose for a proactive message that names none.
    mutating func accept(_ event: AgentEvent, as id: MessageID, proactive: ConversationID?) -> EventResult {
        let owner = name(event.consumer.rawValue)
        let found = number(event.conversation?.rawValue, of: owner)
        if event.type == .agentTyping {
            if let found, let name = conversations[found]?.name { notify(owner, "typing \(name) false") }
            return .accepted(answer(event.conversation, owner))
        }
        if let first = first(event) {
            let duplicate = first.message.flatMap { answer($0) } ?? answer(event.conversation, owner)
            return .duplicate(duplicate, bodyDiffers: first.hash != event.bodyHash)
        }
        let key = EventName(consumer: event.consumer.rawValue, id: event.id.rawValue)
        switch event.type {
        case .agentMessage, .proactiveMessage:
            events[key] = (message: id, hash: event.bodyHash)
            return .accepted(add(event, id, to: owner, proactive))
        case .conversationResolved, .messagesRead, .agentTyping:
            guard let found else { return .rejected(.unknownConversation) }
            if let target = event.readTarget {
                guard read(found, target, on: nil) else { return .rejected(.unknownMessage) }
            } else {
                resolve(found, byConsumer: false)
            }
            events[key] = (message: nil, hash: event.bodyHash)
            return .accepted(answer(event.conversation, owner))
        }
    }

    /// Returns what is stored of an event: under the name of its consumer that it has, or else under another of the
    /// same consumer.
    private func first(_ event: AgentEvent) -> (message: MessageID?, hash: UInt64)? {
        let asked = event.consumer.rawValue
        for consumer in [asked] + names(of: name(asked)) {
            if let known = events[EventName(consumer: consumer, id: event.id.rawValue)] { return known }
        }
        return nil
    }

    /// Returns the result of an event without a message.
    private func answer(_ conversation: ConversationID?, _ consumer: String) -> AcceptedEvent {
        AcceptedEvent(
            messageID: nil,
            conversation: conversation,
            sequence: nil,
            unread: unread(consumer),
            deliveries: 0
        )
    }

    /// Returns the result of a replay of a message's event; nil when the message was removed.
    private func answer(_ message: MessageID) -> AcceptedEvent? {
        guard let (number, entry) = find(message), let conversation = conversations[number] else { return nil }
        return AcceptedEvent(
            messageID: message,
            conversation: ConversationID(trusted: conversation.name),
            sequence: entry.sequence,
            unread: unread(conversation.consumer),
            deliveries: 0
        )
    }

    private mutating func add(
        _ event: AgentEvent,
        _ id: MessageID,
        to owner: String,
        _ proactive: ConversationID?
    ) -> AcceptedEvent {
        meet(owner)
        let target: Int64
        if let named = event.conversation?.rawValue {
            target = make(named, of: owner)
        } else if event.kind == .agent {
            target = active(owner) ?? make(id.description, of: owner)
        } else {
            // Each consumer has one conversation for these, whatever its name.
            let name = consumers[owner]?.proactive ?? proactive?.rawValue ?? "none"
            consumers[owner]?.proactive = name
            target = make(name, of: owner)
        }
        // A proactive message opens no conversation and makes none active (R206).
        if event.kind == .agent { activate(target) }
        var entry = MessageEntry(
            id: id,
            sequence: 0,
            kind: event.kind,
            silent: event.silent,
            collapseKey: event.collapseKey,
            acceptedAt: turn.now,
            expiresAt: turn.now.adding(seconds: event.ttlSeconds ?? ContractFixture.settings.messageTtlSeconds)
        )
        entry.lookBackUntil = event.lookBackSeconds.map { turn.now.adding(seconds: $0) }
        entry.isPending = event.kind == .proactive
        entry.sequence = append(entry, to: target)
        let devices = receivers(owner, event.kind == .agent ? .agent : .proactive)
        for device in devices { push(entry, in: target, to: device, until: entry.expiresAt) }
        return AcceptedEvent(
            messageID: id,
            conversation: conversations[target].map { ConversationID(trusted: $0.name) },
            sequence: entry.sequence,
            unread: unread(owner),
            deliveries: devices.count
        )
    }

    // MARK: Time

    /// Returns the deliveries past their expiry that no lane has.
    func expired() -> [DeliveryID] {
        open.filter { $0.value.place != .lane && $0.value.expiresAt <= turn.now }.keys.sorted()
    }

    /// Ends expired deliveries.
    ///
    /// The model does not know when a delivery is due: one that was not due before its expiry counts as one that waited
    /// for quiet hours.
    mutating func expire(_ ids: [DeliveryID], quiet: Set<DeliveryID>) {
        for id in ids {
            let isQuiet = quiet.contains(id)
            withdraw(id, isQuiet ? .suppressed : .expired, isQuiet ? .quietHours : nil)
        }
    }

    /// Removes old finished deliveries; returns their number.
    mutating func removeDeliveries(before: Timestamp) -> Int {
        let count = finished.count
        finished = finished.filter { $0.value.queuedAt >= before }
        return count - finished.count
    }

    /// Removes old messages without a pending delivery; returns their number.
    mutating func removeMessages(before: Timestamp) -> Int {
        let pending = Set(open.values.compactMap(\.message))
        var count = 0
        for number in conversations.keys {
            let all = conversations[number]?.messages ?? []
            let kept = all.filter { $0.acceptedAt >= before || pending.contains($0.id) }
            conversations[number]?.messages = kept
            count += all.count - kept.count
        }
        return count
    }

    /// Makes the rows of an earlier process wait; returns the number of those that did not.
    mutating func restart() -> Int {
        let owned = open.filter { $0.value.place != .waiting }
        for id in owned.keys { open[id]?.place = .waiting }
        return owned.count
    }
}

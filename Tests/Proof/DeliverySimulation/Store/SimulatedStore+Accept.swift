import GatewayModel
import GatewayStorage

extension SimulatedStore {
    mutating func accept(_ request: AcceptRequest, _ context: inout Context) -> [EventResult] {
        guard hasBrand(request.brand) else { return request.events.map { _ in .rejected(.unknownBrand) } }
        var results: [EventResult] = []
        for posted in request.events { results.append(accept(posted.event, posted.messageID, request, &context)) }
        return results
    }

    private mutating func accept(
        _ event: AgentEvent,
        _ messageID: MessageID,
        _ request: AcceptRequest,
        _ context: inout Context
    ) -> EventResult {
        let day = context.now.milliseconds / 86_400_000
        let key = DayKey(day: day, brand: request.brand, event: event.source + "\u{1F}" + event.id.rawValue)
        if flaw != .countsReplay, let first = firstArrival(key, hours: request.dedupeHours) {
            return duplicate(of: first, event, request.brand)
        }
        var message: Message?
        let result: EventResult =
            switch event.type {
            case .agentMessage, .proactiveMessage: acceptMessage(event, messageID, request, &message, &context)
            case .messagesRead: acceptRead(event, request.brand, &context)
            case .conversationResolved, .agentTyping: .rejected(.unknownConversation)
            }
        if case .rejected = result { return result }
        dedupe[key] = FirstArrival(hash: event.bodyHash, message: message)
        dedupeDays.insert(day)
        return result
    }

    // MARK: Replays

    private func firstArrival(_ key: DayKey, hours: Int64) -> FirstArrival? {
        if let first = dedupe[key] { return first }
        // Later days are searched too: the clock may have been set back.
        for day in dedupeDays where day >= key.day - (hours + 23) / 24 && day != key.day {
            if let first = dedupe[DayKey(day: day, brand: key.brand, event: key.event)] { return first }
        }
        return nil
    }

    private func duplicate(of first: FirstArrival, _ event: AgentEvent, _ brand: BrandID) -> EventResult {
        let bodyDiffers = first.hash != event.bodyHash
        guard let message = first.message, let conversation = conversationKeys[brand]?[message.conversation] else {
            let unread = consumerKeys[brand]?[event.consumer].map { consumers[Int($0) - 1].unread } ?? 0
            return .duplicate(withoutMessage(event.conversation, unread: unread), bodyDiffers: bodyDiffers)
        }
        let consumer = conversations[Int(conversation) - 1].consumer
        let accepted = AcceptedEvent(
            messageID: message.id,
            conversation: message.conversation,
            sequence: message.sequence,
            unread: consumers[Int(consumer) - 1].unread,
            deliveries: 0
        )
        return .duplicate(accepted, bodyDiffers: bodyDiffers)
    }

    private func withoutMessage(_ conversation: ConversationID?, unread: Int64) -> AcceptedEvent {
        AcceptedEvent(messageID: nil, conversation: conversation, sequence: nil, unread: unread, deliveries: 0)
    }

    // MARK: Messages

    private mutating func acceptMessage(
        _ event: AgentEvent,
        _ messageID: MessageID,
        _ request: AcceptRequest,
        _ made: inout Message?,
        _ context: inout Context
    ) -> EventResult {
        var known: Int64?
        if let id = event.conversation {
            known = conversationKeys[request.brand]?[id]
            if let known,
                conversations[Int(known) - 1].consumer != consumerKey(existing: request.brand, event.consumer)
            {
                return .rejected(.conversationOfAnotherConsumer)
            }
        }
        let consumer = consumerKey(request.brand, event.consumer, at: context.now)
        let name = event.conversation ?? ConversationID(trusted: messageID.description)
        let active = event.conversation == nil ? activeConversation(of: consumer) : nil
        let key = known ?? active ?? makeConversation(request.brand, name, of: consumer)

        var conversation = conversations[Int(key) - 1]
        conversation.lastSequence += flaw == .skipsSequence ? 2 : 1
        conversation.lastMessage = messageID.high
        let message = Message(
            PostedEvent(event, messageID),
            brand: request.brand,
            conversation: conversation.name,
            sequence: conversation.lastSequence,
            acceptedAt: context.now,
            expiresAt: context.now.adding(seconds: event.ttlSeconds ?? request.messageTtlSeconds)
        )
        conversation.counts.append(message.countsAsUnread)
        if event.kind != .agent, !event.silent { conversation.proactive.append(conversation.lastSequence) }
        if event.kind != .agent { conversation.untapped.append(messageID) }
        if message.countsAsUnread, flaw != .miscounts {
            conversation.unread += 1
            consumers[Int(consumer) - 1].unread += 1
            context.changed.insert(consumer)
        }
        conversations[Int(key) - 1] = conversation
        made = message
        if messageID > lastMessage ?? messageID || lastMessage == nil { lastMessage = messageID }
        notifyWindows(consumer, .message(message), &context)
        let campaign = event.campaign.map { self.campaign($0, of: request.brand) }
        let deliveries = push(message, to: consumer, conversation: key, campaign, &context)
        return .accepted(
            AcceptedEvent(
                messageID: messageID,
                conversation: message.conversation,
                sequence: message.sequence,
                unread: consumers[Int(consumer) - 1].unread,
                deliveries: deliveries
            )
        )
    }

    /// Queues a message for the devices that want it.
    private mutating func push(
        _ message: Message,
        to consumer: Int64,
        conversation: Int64,
        _ campaign: Int64?,
        _ context: inout Context
    ) -> Int {
        let wanted: Receives = message.kind == .agent ? .agent : .proactive
        var deliveries = 0
        for registration in consumers[Int(consumer) - 1].registrations {
            guard let found = self.registration(registration), isPushedTo(found), found.receives.contains(wanted) else {
                continue
            }
            var row = Delivery(
                device: found.device,
                lane: found.lane,
                registration: registration,
                consumer: consumer,
                conversation: conversation,
                message: message,
                kind: .message,
                owner: nil,
                expiresAt: message.expiresAt,
                queuedAt: context.now
            )
            row.campaign = campaign
            row.isHeld = message.kind == .agent && context.windows.holds(name(of: consumer), device: found.device)
            queue(row, &context)
            deliveries += 1
        }
        return deliveries
    }

    /// Returns the id of a campaign; a new name gets one.
    private mutating func campaign(_ name: String, of brand: BrandID) -> Int64 {
        if let known = campaigns[brand]?[name] { return known }
        lastCampaign += 1
        campaigns[brand, default: [:]][name] = lastCampaign
        return lastCampaign
    }

    private mutating func makeConversation(_ brand: BrandID, _ name: ConversationID, of consumer: Int64) -> Int64 {
        conversations.append(Conversation(name: name, consumer: consumer))
        let key = Int64(conversations.count)
        conversationKeys[brand, default: [:]][name] = key
        consumers[Int(consumer) - 1].conversations.append(key)
        return key
    }

    /// Returns the consumer's conversation with the newest message.
    private func activeConversation(of consumer: Int64) -> Int64? {
        var newest: Int64?
        for key in consumers[Int(consumer) - 1].conversations {
            guard let found = newest else {
                newest = key
                continue
            }
            if conversations[Int(key) - 1].lastMessage > conversations[Int(found) - 1].lastMessage { newest = key }
        }
        return newest
    }

    private mutating func acceptRead(_ event: AgentEvent, _ brand: BrandID, _ context: inout Context) -> EventResult {
        guard let id = event.conversation, let target = event.readTarget, let key = conversationKeys[brand]?[id]
        else { return .rejected(.unknownConversation) }
        guard let consumer = consumerKeys[brand]?[event.consumer], conversations[Int(key) - 1].consumer == consumer
        else { return .rejected(.conversationOfAnotherConsumer) }
        guard let sequence = sequence(of: target, in: key) else { return .rejected(.unknownMessage) }
        read(key, upTo: sequence, on: nil, &context)
        return .accepted(withoutMessage(id, unread: consumers[Int(consumer) - 1].unread))
    }
}

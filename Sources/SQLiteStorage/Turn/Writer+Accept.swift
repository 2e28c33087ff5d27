import GatewayModel
import GatewayStorage

extension Writer {
    func accept(_ request: AcceptRequest, _ context: inout TurnContext) throws -> [EventResult] {
        guard let brand = try brandKey(request.brand) else {
            return request.events.map { _ in .rejected(.unknownBrand) }
        }
        var results: [EventResult] = []
        results.reserveCapacity(request.events.count)
        for posted in request.events {
            results.append(try accept(posted, request, brand: brand, &context))
        }
        return results
    }

    private func accept(
        _ posted: PostedEvent,
        _ request: AcceptRequest,
        brand: Int64,
        _ context: inout TurnContext
    ) throws -> EventResult {
        // Typing is only for open windows and never stored, not even its id.
        if posted.event.type == .agentTyping {
            return try acceptTyping(posted.event, request.brand, brand: brand, &context)
        }
        let replay = Replay(
            key: posted.event.source.isEmpty
                ? posted.event.id.rawValue : posted.event.source + "\u{1F}" + posted.event.id.rawValue,
            brand: brand,
            day: context.turn.now.milliseconds / 86_400_000,
            isHashed: true
        )
        let makesMessage = posted.event.type == .agentMessage || posted.event.type == .proactiveMessage
        let first = try remember(
            replay,
            hash: posted.event.bodyHash,
            message: makesMessage ? Int64(bitPattern: posted.messageID.high) : nil,
            hours: request.dedupeHours
        )
        if let first { return try duplicate(of: first, posted.event, brand: brand, &context) }
        let result: EventResult =
            switch posted.event.type {
            case .agentMessage, .proactiveMessage:
                try acceptMessage(posted, request, brand: brand, &context)
            case .messagesRead: try acceptRead(posted.event, request, brand: brand, &context)
            case .conversationResolved: try acceptResolved(posted.event, request, brand: brand, &context)
            case .agentTyping: .rejected(.unknownConversation)
            }
        // It may be sent again, corrected.
        if case .rejected = result { try forget(replay) }
        return result
    }

    // MARK: Messages

    private func acceptMessage(
        _ posted: PostedEvent,
        _ request: AcceptRequest,
        brand: Int64,
        _ context: inout TurnContext
    ) throws -> EventResult {
        let now = context.turn.now
        let consumerName = BrandedName(brand: brand, id: posted.event.consumer.rawValue)
        let knownConsumer = try self.consumer(consumerName)
        var knownConversation: KnownConversation?
        if let id = posted.event.conversation {
            switch try self.conversation(BrandedName(brand: brand, id: id.rawValue), of: knownConsumer) {
            case .none: break
            case .own(let conversation): knownConversation = conversation
            case .foreign: return .rejected(.conversationOfAnotherConsumer)
            }
        }
        let consumer = try knownConsumer ?? makeConsumer(consumerName, at: now)
        let conversation: KnownConversation
        if let knownConversation {
            conversation = knownConversation
        } else if let id = posted.event.conversation {
            conversation = try makeConversation(BrandedName(brand: brand, id: id.rawValue), of: consumer, at: now)
        } else {
            // A conversation that the gateway opens has the name of its first message.
            conversation =
                try activeConversation(of: consumer, &context)
                ?? makeConversation(posted.messageID, brand: brand, of: consumer, at: now)
        }

        let key = Int64(bitPattern: posted.messageID.high)
        let previous = conversation.append(key)
        let message = Message(
            posted,
            brand: request.brand,
            conversation: ConversationID(trusted: conversation.name.id),
            sequence: conversation.lastSequence,
            acceptedAt: now,
            expiresAt: now.adding(seconds: posted.event.ttlSeconds ?? request.messageTtlSeconds)
        )
        if message.countsAsUnread {
            conversation.unread += 1
            consumer.unread += 1
            context.changed(consumer)
        }
        context.changed(conversation)
        consumer.active = .conversation(conversation.name.id)
        try insert(message, key: key, after: previous, conversation: conversation.key)
        if posted.event.kind != .agent { try notePending(key, in: conversation.key) }
        let campaign = try posted.event.campaign.map { try self.campaign(BrandedName(brand: brand, id: $0), at: now) }
        context.notifyWindows(of: consumer, request.brand, .message(message))

        let wanted: Receives = posted.event.kind == .agent ? .agent : .proactive
        var deliveries = 0
        for registration in try registrations(of: consumer.key) where registration.receives.contains(wanted) {
            var row = TurnContext.NewRow(
                id: try newDelivery(),
                registration: registration,
                consumer: consumer,
                conversation: conversation.key,
                message: message,
                kind: .message,
                expiresAt: message.expiresAt
            )
            row.campaign = campaign
            // Only agents' messages wait for a window; proactive ones are always pushed (R97, R113).
            if context.hasWindows, posted.event.kind == .agent {
                row.isHeld = isHeld(request.brand, consumer, registration, context)
            }
            try queue(row, &context)
            deliveries += 1
        }
        if let campaign { context.campaigns[campaign, default: CampaignDelta()].add(deliveries: deliveries) }
        return .accepted(
            AcceptedEvent(
                messageID: posted.messageID,
                conversation: message.conversation,
                sequence: message.sequence,
                unread: consumer.unread,
                deliveries: deliveries
            )
        )
    }

    /// Inserts a message whose conversation has counted it.
    func insert(_ message: Message, key: Int64, after previous: Int64, conversation: Int64) throws {
        try db.prepare(
            """
            INSERT INTO messages (key, low, conversation, sequence, counts, kind, source_sequence, dialog, agent_id, \
            agent_nickname, text, title, data, link_ios, link_android, link_web, priority, collapse_key, category, sound, \
            silent, accepted_at, sent_at, expires_at, look_back_until, campaign, previous) \
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        .int(key).int(Int64(bitPattern: message.id.low)).int(conversation)
        .int(message.sequence).int(message.countsAsUnread ? 1 : 0).text(message.kind.rawValue)
        .int(message.sourceSequence).text(message.dialog).text(message.agentID).text(message.agentNickname)
        .text(message.text).text(message.title).text(message.data?.text)
        .text(message.link.ios).text(message.link.android).text(message.link.web)
        .text(message.priority.rawValue).text(message.collapseKey).text(message.category).text(message.sound)
        .int(message.silent ? 1 : 0).int(message.acceptedAt.milliseconds).int(message.sentAt.milliseconds)
        .int(message.expiresAt.milliseconds).int(message.lookBackUntil?.milliseconds).text(message.campaign)
        .int(previous).run()
        guard message.sequence.isMultiple(of: MessageChains.distance) else { return }
        try db.prepare("INSERT INTO message_positions (conversation, position, message) VALUES (?, ?, ?)")
            .int(conversation).int(message.sequence / MessageChains.distance).int(key).run()
    }

    // MARK: Typing, reads and resolutions

    private func acceptTyping(
        _ event: AgentEvent,
        _ brand: BrandID,
        brand key: Int64,
        _ context: inout TurnContext
    ) throws -> EventResult {
        let consumer = try consumer(BrandedName(brand: key, id: event.consumer.rawValue))
        if context.hasWindows, let consumer, let id = event.conversation,
            try conversation(BrandedName(brand: key, id: id.rawValue), of: consumer).own != nil
        {
            context.notifyWindows(of: consumer, brand, .typing(id, byConsumer: false))
        }
        return .accepted(.withoutMessage(event.conversation, unread: consumer?.unread ?? 0))
    }

    private func acceptRead(
        _ event: AgentEvent,
        _ request: AcceptRequest,
        brand: Int64,
        _ context: inout TurnContext
    ) throws -> EventResult {
        guard let id = event.conversation, let target = event.readTarget else { return .rejected(.unknownConversation) }
        let consumer = try consumer(BrandedName(brand: brand, id: event.consumer.rawValue))
        switch try conversation(BrandedName(brand: brand, id: id.rawValue), of: consumer) {
        case .none: return .rejected(.unknownConversation)
        case .foreign: return .rejected(.conversationOfAnotherConsumer)
        case .own(let conversation):
            guard let consumer, let sequence = try sequence(of: target, in: conversation) else {
                return .rejected(.unknownMessage)
            }
            try read(conversation, of: consumer, request.brand, upTo: sequence, on: nil, &context)
            return .accepted(.withoutMessage(id, unread: consumer.unread))
        }
    }

    private func acceptResolved(
        _ event: AgentEvent,
        _ request: AcceptRequest,
        brand: Int64,
        _ context: inout TurnContext
    ) throws -> EventResult {
        guard let id = event.conversation else { return .rejected(.unknownConversation) }
        let consumer = try consumer(BrandedName(brand: brand, id: event.consumer.rawValue))
        switch try conversation(BrandedName(brand: brand, id: id.rawValue), of: consumer) {
        case .none: return .rejected(.unknownConversation)
        case .foreign: return .rejected(.conversationOfAnotherConsumer)
        case .own(let conversation):
            if !conversation.isResolved {
                try publish(
                    brand,
                    at: context.turn.now,
                    .resolved(
                        consumer: consumer?.name.id ?? event.consumer.rawValue,
                        conversation: id.rawValue,
                        byConsumer: false
                    )
                )
                if let consumer {
                    context.notifyWindows(of: consumer, request.brand, .resolved(id, byConsumer: false))
                }
            }
            conversation.isResolved = true
            context.changed(conversation)
            consumer?.active = .unknown
            return .accepted(.withoutMessage(id, unread: consumer?.unread ?? 0))
        }
    }
}

extension AcceptedEvent {
    /// Returns the result of an event that creates no message.
    static func withoutMessage(_ conversation: ConversationID?, unread: Int64) -> AcceptedEvent {
        AcceptedEvent(messageID: nil, conversation: conversation, sequence: nil, unread: unread, deliveries: 0)
    }
}

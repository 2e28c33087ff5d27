internal import GatewayModel
internal import GatewayStorage

/// Events of back-ends.
extension TurnRows {
    /// Accepts the events of a request.
    mutating func accept(
        _ request: AcceptRequest,
        _ context: inout TurnContext
    ) throws(Failure) -> [EventResult] {
        guard let brand = try brandKey(request.brand) else {
            return request.events.map { _ in .rejected(.unknownBrand) }
        }
        var results: [EventResult] = []
        results.reserveCapacity(request.events.count)
        for posted in request.events {
            if let token = posted.event.token {
                results.append(try accept(posted, to: token, request, brand: brand, &context))
            } else {
                results.append(try accept(posted, request, brand: brand, &context))
            }
        }
        return results
    }

    /// Accepts an event for the device with a token, in the turn in which its registration is looked up: it cannot have
    /// moved to another consumer meanwhile.
    private mutating func accept(
        _ posted: PostedEvent,
        to token: AgentEvent.TokenName,
        _ request: AcceptRequest,
        brand: Int64,
        _ context: inout TurnContext
    ) throws(Failure) -> EventResult {
        guard let owner = try owner(of: token, brand: brand) else { return .rejected(.unknownToken) }
        guard owner.receives.contains(posted.event.wanted) else { return .rejected(.notReceived) }
        var event = posted.event
        event.consumer = owner.consumer
        event.registration = owner.registration
        return try accept(PostedEvent(event, posted.messageID), request, brand: brand, &context)
    }

    private mutating func accept(
        _ posted: PostedEvent,
        _ request: AcceptRequest,
        brand: Int64,
        _ context: inout TurnContext
    ) throws(Failure) -> EventResult {
        // Typing is only for open windows and never stored, not even its id.
        if posted.event.type == .agentTyping {
            return try acceptTyping(posted.event, request.brand, brand: brand, &context)
        }
        let known = try consumer(BrandedName(brand: brand, id: posted.event.consumer.rawValue))
        let key = EventKey(posted.event, of: known, brand: brand, at: context.turn.now)
        let makesMessage = posted.event.type == .agentMessage || posted.event.type == .proactiveMessage
        let hash = try hash(of: posted.event, known, key)
        let first = try remember(
            key,
            hash: hash,
            message: makesMessage ? Int64(bitPattern: posted.messageID.high) : nil,
            hours: request.dedupeHours
        )
        if let first { return try duplicate(of: first, posted.event, hash, known, key, request, &context) }
        let result: EventResult
        switch posted.event.type {
        case .agentMessage, .proactiveMessage:
            result = .accepted(try acceptMessage(posted, of: known, key, request, brand: brand, &context))
        case .messagesRead: result = try acceptRead(posted.event, of: known, request, &context)
        case .conversationResolved: result = try acceptResolved(posted.event, of: known, request, &context)
        case .agentTyping: result = .rejected(.unknownConversation)
        }
        // It may be sent again, corrected.
        if case .rejected = result { try forget(key) }
        return result
    }

    /// Returns the hash that is stored with an event: of its content, or of the push to the registration that it names;
    /// 0 when there is no such push.
    private mutating func hash(
        of event: AgentEvent,
        _ known: KnownConsumer?,
        _ key: EventKey
    ) throws(Failure) -> UInt64 {
        guard let named = event.registration else { return event.bodyHash }
        guard let known else { return 0 }
        let found = try registrations(of: known.key).first { $0.id == named.rawValue }
        return found.map { $0.receives.contains(event.wanted) ? EventKey(key, to: $0.token).hash : 0 } ?? 0
    }

    /// Returns the result of a replay: the first one's ids, and the present unread count.
    ///
    /// One that names another registration than the earlier ones queues its push.
    private mutating func duplicate(
        of first: FirstArrival,
        _ event: AgentEvent,
        _ hash: UInt64,
        _ known: KnownConsumer?,
        _ key: EventKey,
        _ request: AcceptRequest,
        _ context: inout TurnContext
    ) throws(Failure) -> EventResult {
        let bodyDiffers = event.registration == nil && first.hash != hash
        if let message = first.message {
            try flush(&context)
            if var result = try accepted(message) {
                if event.registration != nil, first.hash != hash, let known {
                    result.deliveries = try pushAgain(result, event, of: known, key, request, &context)
                }
                return .duplicate(result, bodyDiffers: bodyDiffers)
            }
        }
        return .duplicate(.withoutMessage(event.conversation, unread: known?.unread ?? 0), bodyDiffers: bodyDiffers)
    }

    // MARK: Messages

    private mutating func acceptMessage(
        _ posted: PostedEvent,
        of known: KnownConsumer?,
        _ event: EventKey,
        _ request: AcceptRequest,
        brand: Int64,
        _ context: inout TurnContext
    ) throws(Failure) -> AcceptedEvent {
        let now = context.turn.now
        let consumer: KnownConsumer
        if let known {
            consumer = known
        } else {
            let name = BrandedName(brand: brand, id: posted.event.consumer.rawValue)
            consumer = try makeConsumer(name, isAnonymous: false, at: now)
        }
        // A proactive message opens no conversation, and makes none active (R206).
        let opens = posted.event.kind == .agent
        var id = posted.event.conversation
        if id == nil, !opens { id = .proactive(of: ConsumerKey(consumer.key)) }
        var knownConversation: KnownConversation?
        // A new consumer has none.
        if let id, known != nil {
            knownConversation = try self.conversation(BrandedName(brand: brand, id: id.rawValue), of: consumer)
        }
        let conversation: KnownConversation
        if let knownConversation {
            conversation = knownConversation
        } else if let id {
            conversation = try makeConversation(BrandedName(brand: brand, id: id.rawValue), of: consumer)
        } else if let active = try activeConversation(of: consumer, &context) {
            conversation = active
        } else {
            // A conversation that the gateway opens has the name of its first message.
            conversation = try makeConversation(posted.messageID, brand: brand, of: consumer, at: now)
        }

        let key = Int64(bitPattern: posted.messageID.high)
        if opens { try open(conversation, of: consumer, at: now) }
        let previous = conversation.append(key, isProactive: !opens)
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
        if opens { consumer.active = .conversation(conversation.name.id) }
        try insert(message, key: key, after: previous, conversation: conversation.key)
        if posted.event.kind != .agent { try notePending(key, in: conversation.key) }
        var campaign: Int64?
        if let name = posted.event.campaign {
            campaign = try self.campaign(BrandedName(brand: brand, id: name), at: now)
        }
        context.notifyWindows(of: consumer, request.brand, .message(message))

        let deliveries = try push(
            message,
            posted.event,
            of: consumer,
            in: conversation.key,
            campaign,
            event,
            request,
            isAgain: false,
            &context
        )
        if let campaign { context.campaigns[campaign, default: CampaignDelta()].add(deliveries: deliveries) }
        return AcceptedEvent(
            messageID: posted.messageID,
            conversation: message.conversation,
            sequence: message.sequence,
            unread: consumer.unread,
            deliveries: deliveries
        )
    }

    /// Queues the pushes of a message, and returns their number; an event that names a registration has one push, once.
    private mutating func push(
        _ message: Message,
        _ event: AgentEvent,
        of consumer: KnownConsumer,
        in conversation: Int64,
        _ campaign: Int64?,
        _ key: EventKey,
        _ request: AcceptRequest,
        isAgain: Bool,
        _ context: inout TurnContext
    ) throws(Failure) -> Int {
        let isAllowed = try allows(event.consent, consumer.key, at: context.turn.now)
        var deliveries = 0
        for registration in try registrations(of: consumer.key) where registration.receives.contains(event.wanted) {
            if let named = event.registration {
                guard named.rawValue == registration.id else { continue }
                let own = EventKey(key, to: registration.token)
                // The first push is remembered by the hash of the event.
                if isAgain, try remember(own, hash: 0, message: nil, hours: request.dedupeHours) != nil { continue }
            }
            var row = TurnContext.NewRow(
                id: try newDelivery(),
                registration: registration,
                consumer: consumer,
                conversation: conversation,
                message: message,
                kind: .message,
                expiresAt: message.expiresAt
            )
            row.campaign = campaign
            row.isAgain = isAgain
            // Only agents' messages wait for a window; proactive ones are always pushed (R97, R113).
            if context.hasWindows, event.kind == .agent {
                row.isHeld = context.holds(request.brand, consumer, registration)
            }
            if isAllowed { try queue(row, &context) } else { try refuse(row, by: .noConsent, &context) }
            deliveries += 1
        }
        return deliveries
    }

    /// Queues the push of a stored message to the registration that its event names now, unless it was read or pushed
    /// there before.
    private mutating func pushAgain(
        _ first: AcceptedEvent,
        _ event: AgentEvent,
        of known: KnownConsumer,
        _ key: EventKey,
        _ request: AcceptRequest,
        _ context: inout TurnContext
    ) throws(Failure) -> Int {
        guard let id = first.messageID, let name = first.conversation, let sequence = first.sequence,
            let conversation = try self.conversation(BrandedName(brand: key.brand, id: name.rawValue), of: known),
            sequence > conversation.readSequence || event.kind != .agent
        else { return 0 }
        let now = context.turn.now
        let message = Message(
            PostedEvent(event, id),
            brand: request.brand,
            conversation: name,
            sequence: sequence,
            acceptedAt: now,
            expiresAt: now.adding(seconds: event.ttlSeconds ?? request.messageTtlSeconds)
        )
        return try push(
            message,
            event,
            of: known,
            in: conversation.key,
            nil,
            key,
            request,
            isAgain: true,
            &context
        )
    }

    // MARK: Typing, reads and resolutions

    private mutating func acceptTyping(
        _ event: AgentEvent,
        _ brand: BrandID,
        brand key: Int64,
        _ context: inout TurnContext
    ) throws(Failure) -> EventResult {
        let known = try consumer(BrandedName(brand: key, id: event.consumer.rawValue))
        if context.hasWindows, let known, let id = event.conversation,
            try conversation(BrandedName(brand: key, id: id.rawValue), of: known) != nil
        {
            context.notifyWindows(of: known, brand, .typing(id, byConsumer: false))
        }
        return .accepted(.withoutMessage(event.conversation, unread: known?.unread ?? 0))
    }

    private mutating func acceptRead(
        _ event: AgentEvent,
        of known: KnownConsumer?,
        _ request: AcceptRequest,
        _ context: inout TurnContext
    ) throws(Failure) -> EventResult {
        guard let known, let id = event.conversation, let target = event.readTarget,
            let conversation = try self.conversation(BrandedName(brand: known.name.brand, id: id.rawValue), of: known)
        else { return .rejected(.unknownConversation) }
        guard let sequence = try sequence(of: target, in: conversation) else { return .rejected(.unknownMessage) }
        try read(conversation, of: known, request.brand, upTo: sequence, on: nil, &context)
        return .accepted(.withoutMessage(id, unread: known.unread))
    }

    private mutating func acceptResolved(
        _ event: AgentEvent,
        of known: KnownConsumer?,
        _ request: AcceptRequest,
        _ context: inout TurnContext
    ) throws(Failure) -> EventResult {
        guard let known, let id = event.conversation,
            let conversation = try self.conversation(BrandedName(brand: known.name.brand, id: id.rawValue), of: known)
        else { return .rejected(.unknownConversation) }
        if !conversation.isResolved {
            try publish(
                known.name.brand,
                at: context.turn.now,
                .resolved(consumer: known.name.id, conversation: id.rawValue, byConsumer: false)
            )
            context.notifyWindows(of: known, request.brand, .resolved(id, byConsumer: false))
        }
        conversation.isResolved = true
        context.changed(conversation)
        known.active = .unknown
        return .accepted(.withoutMessage(id, unread: known.unread))
    }
}

extension AcceptedEvent {
    /// Returns the result of an event that creates no message.
    fileprivate static func withoutMessage(_ conversation: ConversationID?, unread: Int64) -> AcceptedEvent {
        AcceptedEvent(messageID: nil, conversation: conversation, sequence: nil, unread: unread, deliveries: 0)
    }
}

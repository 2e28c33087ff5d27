internal import GatewayModel
internal import GatewayStorage

/// Changes by consumers in their conversations.
extension TurnRows {
    /// Stores a consumer's message, once for its client's id.
    mutating func write(
        _ request: ConsumerMessage,
        _ context: inout TurnContext
    ) throws(Failure) -> StoreChangeResult {
        let now = context.turn.now
        guard let consumer = try self.consumer(request.brand, request.consumer) else { return .notFound }
        let brand = consumer.name.brand
        let client = ClientRequest(
            brand: brand,
            consumer: consumer.key,
            id: request.clientID,
            day: EventKey.day(of: now)
        )
        if let first = try firstMessage(of: client, hours: request.dedupeHours) {
            return try repeated(request, first: first.message, isOwn: first.isOwn)
        }
        guard
            let conversation = try self.conversation(
                BrandedName(brand: brand, id: request.conversation.rawValue),
                of: consumer
            )
        else { return .notFound }
        let key = Int64(bitPattern: request.messageID.high)
        try remember(client, message: key)
        try open(conversation, of: consumer, at: now)
        let previous = conversation.append(key)
        context.changed(conversation)
        consumer.active = .conversation(conversation.name.id)
        let message = Message(
            request,
            consumer: ConsumerID(trusted: consumer.name.id),
            sequence: conversation.lastSequence,
            at: now
        )
        try insert(message, key: key, after: previous, conversation: conversation.key)
        try publish(brand, at: now, .written(message, client: request.clientID))
        context.notifyWindows(of: consumer, request.brand, .message(message), from: request.window)
        return .written(WrittenMessage(messageID: message.id, sequence: message.sequence, isRepeated: false))
    }

    /// Returns the message of the first request with an id; it is not the consumer's own when an anonymous one has sent
    /// it that was merged into this one.
    private mutating func firstMessage(
        of request: ClientRequest,
        hours: Int64
    ) throws(Failure) -> (message: Int64, isOwn: Bool)? {
        if let first = try firstArrival(request, hours: hours)?.message { return (first, true) }
        var earlier = request
        for consumer in try mergedConsumers(into: request.consumer, limit: KnownConsumer.mergedLimit) {
            earlier.consumer = consumer
            if let first = try firstArrival(earlier, hours: hours)?.message { return (first, false) }
        }
        return nil
    }

    /// Returns the result for a message that is stored already, if its content is the same.
    ///
    /// The conversation of one that is not the consumer's own may have got another id at the merge.
    private mutating func repeated(
        _ request: ConsumerMessage,
        first: Int64,
        isOwn: Bool
    ) throws(Failure) -> StoreChangeResult {
        guard let message = try written(first) else { return .gone }
        guard !isOwn || message.conversation == request.conversation,
            message.text.utf8.elementsEqual(request.text.utf8),
            message.data.map({ Array($0.utf8) }) == request.data.map({ Array($0.text.utf8) })
        else { return .conflict }
        return .written(WrittenMessage(messageID: message.id, sequence: message.sequence, isRepeated: true))
    }

    /// Returns the active conversation, or opens one.
    mutating func openConversation(
        _ request: ConversationToOpen,
        _ context: inout TurnContext
    ) throws(Failure) -> StoreChangeResult {
        guard let consumer = try self.consumer(request.brand, request.consumer) else { return .notFound }
        if let active = try activeConversation(of: consumer, &context) {
            return .conversation(ConversationUnread(active), opened: false)
        }
        let most = ConversationToOpen.perConsumer
        guard try ownConversations(of: consumer.key, limit: most) < most else { return .conflict }
        let conversation = try makeConversation(
            request.messageID,
            brand: consumer.name.brand,
            of: consumer,
            at: context.turn.now,
            engagement: request.engagement
        )
        consumer.active = .conversation(conversation.name.id)
        return .conversation(ConversationUnread(conversation), opened: true)
    }

    /// Resolves a conversation from the consumer's side.
    mutating func resolve(
        _ brand: BrandID,
        _ consumer: ConsumerID,
        _ id: ConversationID,
        _ context: inout TurnContext
    ) throws(Failure) -> StoreChangeResult {
        guard let consumer = try self.consumer(brand, consumer) else { return .notFound }
        let name = BrandedName(brand: consumer.name.brand, id: id.rawValue)
        guard let conversation = try self.conversation(name, of: consumer) else { return .notFound }
        guard !conversation.isResolved else { return .conflict }
        conversation.isResolved = true
        context.changed(conversation)
        consumer.active = .unknown
        try publish(
            name.brand,
            at: context.turn.now,
            .resolved(consumer: consumer.name.id, conversation: id.rawValue, byConsumer: true)
        )
        context.notifyWindows(of: consumer, brand, .resolved(id, byConsumer: true))
        return .resolved
    }
}

extension ConversationUnread {
    fileprivate init(_ conversation: KnownConversation) {
        self.init(
            id: ConversationID(trusted: conversation.name.id),
            unread: conversation.unread,
            lastSequence: conversation.lastSequence,
            readSequence: conversation.readSequence
        )
    }
}

extension Message {
    /// Creates a consumer's message.
    fileprivate convenience init(
        _ request: ConsumerMessage,
        consumer: ConsumerID,
        sequence: Int64,
        at now: Timestamp
    ) {
        self.init(
            id: request.messageID,
            brand: request.brand,
            consumer: consumer,
            conversation: request.conversation,
            dialog: nil,
            sequence: sequence,
            sourceSequence: nil,
            kind: .consumer,
            agentID: nil,
            agentNickname: nil,
            text: request.text,
            title: nil,
            data: request.data,
            link: PlatformLinks(),
            priority: .normal,
            collapseKey: nil,
            category: nil,
            sound: nil,
            silent: false,
            acceptedAt: now,
            sentAt: now,
            expiresAt: now,
            lookBackUntil: nil,
            campaign: nil,
            consentCategory: nil
        )
    }
}

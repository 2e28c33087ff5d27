import GatewayModel
import GatewayStorage
import TurnRules

/// Changes by consumers in their conversations.
extension Writer {
    // MARK: Messages

    func write(_ request: ConsumerMessage, _ context: inout TurnContext) throws -> StoreChangeResult {
        guard let brand = try brandKey(request.brand),
            let consumer = try consumer(BrandedName(brand: brand, id: request.consumer.rawValue))
        else { return .notFound }
        let key = Int64(bitPattern: request.messageID.high)
        let client = ClientRequest(brand: brand, consumer: consumer.key, id: request.clientID)
        if let first = try find(client, hours: request.dedupeHours, context) {
            return try repeated(request, first: first)
        }
        guard
            let conversation = try conversation(
                BrandedName(brand: brand, id: request.conversation.rawValue),
                of: consumer
            ).own
        else { return .notFound }
        _ = try remember(client.replay(context), hash: 0, message: key, hours: request.dedupeHours)
        var rows = self
        try rows.open(conversation, of: consumer, at: context.turn.now)
        let previous = conversation.append(key)
        context.changed(conversation)
        consumer.active = .conversation(conversation.name.id)
        let message = Message(
            request,
            consumer: ConsumerID(trusted: consumer.name.id),
            sequence: conversation.lastSequence,
            at: context.turn.now
        )
        try insert(message, key: key, after: previous, conversation: conversation.key)
        try publish(brand, at: context.turn.now, .written(message, client: request.clientID))
        context.notifyWindows(of: consumer, request.brand, .message(message))
        return .written(
            WrittenMessage(messageID: message.id, sequence: message.sequence, isRepeated: false)
        )
    }

    /// Returns the result for a message that is stored already, if its content is the same.
    private func repeated(_ request: ConsumerMessage, first: Int64) throws -> StoreChangeResult {
        let row = try db.prepare(
            """
            SELECT m.low, m.sequence, c.id, m.text, m.data FROM messages m JOIN conversations c ON c.key = m.conversation \
            WHERE m.key = ?
            """
        ).int(first)
        guard try row.next() else { return .gone }
        defer { row.end() }
        guard ConversationID(trusted: row.string(2)) == request.conversation,
            row.string(3).utf8.elementsEqual(request.text.utf8),
            row.optionalString(4).map({ Array($0.utf8) }) == request.data.map({ Array($0.text.utf8) })
        else { return .conflict }
        return .written(
            WrittenMessage(
                messageID: MessageID(high: UInt64(bitPattern: first), low: UInt64(bitPattern: row.int64(0))),
                sequence: row.int64(1),
                isRepeated: true
            )
        )
    }

    // MARK: Conversations

    func openConversation(
        _ request: ConversationToOpen,
        _ context: inout TurnContext
    ) throws -> StoreChangeResult {
        guard let brand = try brandKey(request.brand),
            let consumer = try consumer(BrandedName(brand: brand, id: request.consumer.rawValue))
        else { return .notFound }
        var rows = self
        if let active = try rows.activeConversation(of: consumer, &context) {
            return .conversation(ConversationUnread(active), opened: false)
        }
        guard try ownConversations(of: consumer.key) < ConversationToOpen.perConsumer else { return .conflict }
        let conversation = try rows.makeConversation(
            request.messageID,
            brand: brand,
            of: consumer,
            at: context.turn.now,
            engagement: request.engagement
        )
        consumer.active = .conversation(conversation.name.id)
        return .conversation(ConversationUnread(conversation), opened: true)
    }

    /// Returns the number of a consumer's conversations that the gateway named; not counted beyond the limit.
    private func ownConversations(of consumer: Int64) throws -> Int {
        let row = try db.prepare(
            "SELECT count(*) FROM (SELECT 1 FROM conversations WHERE consumer = ? AND own = 1 LIMIT ?)"
        ).int(consumer).int(ConversationToOpen.perConsumer)
        defer { row.end() }
        return try row.next() ? Int(row.int64(0)) : 0
    }

    func resolve(
        _ brand: BrandID,
        _ consumer: ConsumerID,
        _ id: ConversationID,
        _ context: inout TurnContext
    ) throws -> StoreChangeResult {
        guard let key = try brandKey(brand),
            let consumer = try self.consumer(BrandedName(brand: key, id: consumer.rawValue)),
            let conversation = try conversation(BrandedName(brand: key, id: id.rawValue), of: consumer).own
        else { return .notFound }
        guard !conversation.isResolved else { return .conflict }
        conversation.isResolved = true
        context.changed(conversation)
        consumer.active = .unknown
        try publish(
            key,
            at: context.turn.now,
            .resolved(consumer: consumer.name.id, conversation: id.rawValue, byConsumer: true)
        )
        context.notifyWindows(of: consumer, brand, .resolved(id, byConsumer: true))
        return .resolved
    }

    // MARK: Repetitions

    /// A request of an app with an id of its own, as a key among the ids of events: those have no such first character.
    struct ClientRequest {
        var brand: Int64
        var consumer: Int64
        var id: ClientID

        /// The range of all keys of a consumer, from their common prefix.
        static func keys(of consumer: Int64) -> Range<String> { "\u{1E}\(consumer)\u{1F}"..<"\u{1E}\(consumer) " }

        func replay(_ context: TurnContext) -> Replay {
            Replay(
                key: "\u{1E}\(consumer)\u{1F}\(id.rawValue)",
                brand: brand,
                day: EventKey.day(of: context.turn.now),
                isHashed: false
            )
        }
    }

    /// The upper bound of the merged consumers that are searched, the youngest: an app logs in again a few times while
    /// its ids are stored, and each costs every message a lookup.
    private static let mergedLimit: Int64 = 20

    /// Returns the result of the first request with an id.
    private func find(_ request: ClientRequest, hours: Int64, _ context: TurnContext) throws -> Int64? {
        if let first = try find(request.replay(context), hours: hours) { return first.message }
        // An anonymous consumer that was merged into this one may have sent it.
        let merged = try db.prepare(
            "SELECT key FROM consumers WHERE merged_into = ? ORDER BY key DESC LIMIT ?"
        ).int(request.consumer).int(Self.mergedLimit)
        var earlier: [Int64] = []
        while try merged.next() { earlier.append(merged.int64(0)) }
        for consumer in earlier {
            var request = request
            request.consumer = consumer
            if let first = try find(request.replay(context), hours: hours) { return first.message }
        }
        return nil
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
            campaign: nil
        )
    }
}

import GatewayModel
import GatewayStorage

extension Writer {
    func accept(_ request: AcceptRequest, _ context: inout TurnContext) throws -> [EventResult] {
        guard let brand = try brandKey(request.brand) else {
            return request.events.map { _ in .rejected(.unknownBrand) }
        }
        var results: [EventResult] = []
        results.reserveCapacity(request.events.count)
        for (event, messageID) in request.events {
            results.append(try accept(event, messageID, request, brand: brand, &context))
        }
        return results
    }

    private func accept(
        _ event: AgentEvent,
        _ messageID: MessageID,
        _ request: AcceptRequest,
        brand: Int64,
        _ context: inout TurnContext
    ) throws -> EventResult {
        // Typing is for open windows only and never stored; not even its id is.
        if event.type == .agentTyping {
            let consumer = try consumer(event.consumer, brand: brand, &context)
            return .accepted(
                AcceptedEvent(
                    messageID: nil,
                    conversation: event.conversation,
                    sequence: nil,
                    unread: consumer.unread,
                    deliveries: 0
                )
            )
        }
        let key = event.source.isEmpty ? event.id.rawValue : event.source + "\u{1F}" + event.id.rawValue
        let today = day(context.turn.now)
        if let first = try firstSeen(key, brand: brand, today: today, hours: request.dedupeHours) {
            return try duplicate(of: first, event, brand: brand, &context)
        }
        let result: EventResult
        switch event.type {
        case .agentMessage, .proactiveMessage:
            result = try acceptMessage(event, messageID, request, brand: brand, &context)
        case .messagesRead:
            result = try acceptRead(event, request.brand, &context)
        case .conversationResolved:
            result = try acceptResolved(event, brand: brand, &context)
        case .agentTyping:
            return .rejected(.unknownConversation)
        }
        guard case .accepted(let accepted) = result else { return result }
        try db.prepare("INSERT INTO dedupe (day, brand, event, body_hash, message) VALUES (?, ?, ?, ?, ?)")
            .int(today).int(brand).text(key).int(Int64(bitPattern: event.bodyHash))
            .int(accepted.messageID.map { Int64(bitPattern: $0.high) }).run()
        return result
    }

    // MARK: Replays

    private func day(_ time: Timestamp) -> Int64 { time.milliseconds / 86_400_000 }

    private func firstSeen(_ key: String, brand: Int64, today: Int64, hours: Int64) throws -> (
        message: Int64?, hash: UInt64
    )? {
        // One day more than the hours say, because they may begin late in the first one.
        for day in stride(from: today, through: today - (hours + 23) / 24, by: -1) {
            let row = try db.prepare("SELECT message, body_hash FROM dedupe WHERE day = ? AND brand = ? AND event = ?")
                .int(day).int(brand).text(key)
            if try row.next() {
                defer { row.end() }
                return (row.optionalInt64(0), UInt64(bitPattern: row.int64(1)))
            }
        }
        return nil
    }

    private func duplicate(
        of first: (message: Int64?, hash: UInt64),
        _ event: AgentEvent,
        brand: Int64,
        _ context: inout TurnContext
    ) throws -> EventResult {
        var accepted = AcceptedEvent(
            messageID: nil,
            conversation: event.conversation,
            sequence: nil,
            unread: try consumer(event.consumer, brand: brand, &context).unread,
            deliveries: 0
        )
        if let message = first.message {
            let row = try db.prepare(
                """
                SELECT m.low, m.sequence, c.id, u.unread, u.id FROM messages m JOIN conversations c ON c.key = m.conversation \
                JOIN consumers u ON u.key = c.consumer WHERE m.key = ?
                """
            ).int(message)
            if try row.next() {
                accepted.messageID = MessageID(high: UInt64(bitPattern: message), low: UInt64(bitPattern: row.int64(0)))
                accepted.sequence = row.int64(1)
                accepted.conversation = ConversationID(trusted: row.string(2))
                let owner = TurnContext.Name(brand: brand, id: row.string(4))
                accepted.unread = context.consumers[owner]?.unread ?? row.int64(3)
                row.end()
            }
        }
        return .duplicate(accepted, bodyDiffers: first.hash != event.bodyHash)
    }

    // MARK: Messages

    private func acceptMessage(
        _ event: AgentEvent,
        _ messageID: MessageID,
        _ request: AcceptRequest,
        brand: Int64,
        _ context: inout TurnContext
    ) throws -> EventResult {
        let now = context.turn.now
        let consumerName = TurnContext.Name(brand: brand, id: event.consumer.rawValue)
        var consumer = try consumer(event.consumer, brand: brand, &context)
        let conversationID = try event.conversation?.rawValue ?? activeConversation(&consumer, messageID, &context)
        let conversationName = TurnContext.Name(brand: brand, id: conversationID)
        var conversation = try conversation(conversationName, owner: consumer.key, &context)
        guard conversation.consumer == consumer.key else { return .rejected(.conversationOfAnotherConsumer) }

        let counts = event.kind == .agent && !event.silent
        conversation.lastSequence += 1
        conversation.isChanged = true
        conversation.isResolved = false
        if counts {
            conversation.unread += 1
            consumer.unread += 1
            consumer.isChanged = true
            context.unread[ConsumerKey(consumer.key)] = consumer.unread
        }
        consumer.activeConversation = conversationID
        let message = Message(
            id: messageID,
            brand: request.brand,
            event: event,
            conversation: ConversationID(trusted: conversationID),
            sequence: conversation.lastSequence,
            acceptedAt: now,
            expiresAt: now.adding(seconds: event.ttlSeconds ?? request.messageTtlSeconds)
        )
        try insert(message, conversation: conversation.key, counts: counts)

        let wanted: Receives = event.kind == .agent ? .agent : .proactive
        let registrations = try consumer.registrations ?? registrations(of: consumer.key)
        consumer.registrations = registrations
        var deliveries = 0
        for registration in registrations where registration.receives.contains(wanted) {
            let owned = TurnContext.Owned(
                id: try newDelivery(),
                registration: registration,
                consumer: consumer.key,
                conversation: conversation.key,
                message: message,
                kind: .message,
                expiresAt: message.expiresAt
            )
            try queue(owned, &context)
            deliveries += 1
        }
        context.consumers[consumerName] = consumer
        context.conversations[conversationName] = conversation
        return .accepted(
            AcceptedEvent(
                messageID: messageID,
                conversation: message.conversation,
                sequence: message.sequence,
                unread: consumer.unread,
                deliveries: deliveries
            )
        )
    }

    /// Writes an outbox row, owned when its lane has a slot and nothing older of the registration waits.
    func queue(_ row: TurnContext.Owned, _ context: inout TurnContext) throws {
        let lane = LaneID(row.registration.lane)
        let now = context.turn.now
        var due = now
        var isOwned = false
        if let slots = context.slots[lane], slots > 0, !context.waiting.contains(row.registration.id) {
            isOwned = true
            if context.turn.budgets[lane]?.mayHaveBacklog == true {
                let older = try db.prepare(
                    "SELECT max(due) FROM outbox WHERE registration = ? AND owner IS NULL"
                ).int(row.registration.id)
                _ = try older.next()
                if let olderDue = older.optionalInt64(0) {
                    isOwned = false
                    due = max(now, Timestamp(milliseconds: olderDue))
                }
                older.end()
            }
            if isOwned { context.slots[lane] = slots - 1 }
        } else {
            // Behind what waits already, so that the order by due time is the order of the device.
            let older = try db.prepare("SELECT max(due) FROM outbox WHERE registration = ? AND owner IS NULL")
                .int(row.registration.id)
            _ = try older.next()
            if let olderDue = older.optionalInt64(0) { due = max(now, Timestamp(milliseconds: olderDue)) }
            older.end()
        }
        try db.prepare(
            """
            INSERT INTO outbox (id, lane, registration, consumer, conversation, sequence, message, kind, owner, due, \
            expires_at, queued_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        .int(row.id).int(row.registration.lane).int(row.registration.id).int(row.consumer).int(row.conversation)
        .int(row.message?.sequence).int(row.message.map { Int64(bitPattern: $0.id.high) }).int(row.kind.rawValue)
        .int(isOwned ? context.turn.incarnation.rawValue : nil).int(due.milliseconds)
        .int(row.expiresAt.milliseconds).int(now.milliseconds).run()
        if isOwned {
            context.owned.append(row)
        } else {
            context.waiting.insert(row.registration.id)
            context.noteUnowned(lane: row.registration.lane, due: due)
        }
    }

    private func insert(_ message: Message, conversation: Int64, counts: Bool) throws {
        try db.prepare(
            """
            INSERT INTO messages (key, low, conversation, sequence, counts, kind, source_sequence, dialog, agent_id, \
            agent_nickname, text, title, data, link_ios, link_android, link_web, priority, collapse_key, category, sound, \
            silent, accepted_at, sent_at, expires_at, look_back_until, campaign) \
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        .int(Int64(bitPattern: message.id.high)).int(Int64(bitPattern: message.id.low)).int(conversation)
        .int(message.sequence).int(counts ? 1 : 0).text(message.kind.rawValue).int(message.sourceSequence)
        .text(message.dialog).text(message.agentID).text(message.agentNickname).text(message.text).text(message.title)
        .text(message.data?.text).text(message.link.ios).text(message.link.android).text(message.link.web)
        .text(message.priority.rawValue).text(message.collapseKey).text(message.category).text(message.sound)
        .int(message.silent ? 1 : 0).int(message.acceptedAt.milliseconds).int(message.sentAt.milliseconds)
        .int(message.expiresAt.milliseconds).int(message.lookBackUntil?.milliseconds).text(message.campaign).run()
    }

    // MARK: Other events

    private func acceptRead(_ event: AgentEvent, _ brand: BrandID, _ context: inout TurnContext) throws -> EventResult {
        guard let conversation = event.conversation, let target = event.readTarget else {
            return .rejected(.unknownConversation)
        }
        try flush(&context)
        let request = ReadRequest(
            brand: brand,
            consumer: event.consumer,
            conversation: conversation,
            target: target,
            device: nil
        )
        switch try read(request, &context) {
        case .changed(let change):
            return .accepted(
                AcceptedEvent(
                    messageID: nil,
                    conversation: conversation,
                    sequence: nil,
                    unread: change.unread,
                    deliveries: 0
                )
            )
        case .unknownConversation: return .rejected(.unknownConversation)
        case .unknownMessage: return .rejected(.unknownMessage)
        }
    }

    private func acceptResolved(_ event: AgentEvent, brand: Int64, _ context: inout TurnContext) throws -> EventResult {
        guard let id = event.conversation else { return .rejected(.unknownConversation) }
        let name = TurnContext.Name(brand: brand, id: id.rawValue)
        let consumer = try consumer(event.consumer, brand: brand, &context)
        guard var conversation = try existingConversation(name, &context) else {
            return .rejected(.unknownConversation)
        }
        guard conversation.consumer == consumer.key else { return .rejected(.conversationOfAnotherConsumer) }
        conversation.isResolved = true
        conversation.isChanged = true
        context.conversations[name] = conversation
        context.consumers[TurnContext.Name(brand: brand, id: event.consumer.rawValue)]?.activeConversation = nil
        return .accepted(
            AcceptedEvent(messageID: nil, conversation: id, sequence: nil, unread: consumer.unread, deliveries: 0)
        )
    }

    // MARK: Consumers and conversations of the turn

    func consumer(_ id: ConsumerID, brand: Int64, _ context: inout TurnContext) throws -> TurnContext.Consumer {
        let name = TurnContext.Name(brand: brand, id: id.rawValue)
        if let known = context.consumers[name] { return known }
        let row = try db.prepare("SELECT key, unread FROM consumers WHERE brand = ? AND id = ?").int(brand).text(
            id.rawValue
        )
        let consumer: TurnContext.Consumer
        if try row.next() {
            consumer = TurnContext.Consumer(key: row.int64(0), unread: row.int64(1))
            row.end()
        } else {
            try db.prepare("INSERT INTO consumers (brand, id, anonymous, created_at) VALUES (?, ?, 0, ?)")
                .int(brand).text(id.rawValue).int(context.turn.now.milliseconds).run()
            consumer = TurnContext.Consumer(key: db.lastInsertedRow, unread: 0, registrations: [])
        }
        context.consumers[name] = consumer
        return consumer
    }

    private func existingConversation(
        _ name: TurnContext.Name,
        _ context: inout TurnContext
    ) throws -> TurnContext.Conversation? {
        if let known = context.conversations[name] { return known }
        let row = try db.prepare(
            "SELECT key, consumer, last_sequence, unread, resolved FROM conversations WHERE brand = ? AND id = ?"
        ).int(name.brand).text(name.id)
        guard try row.next() else { return nil }
        let conversation = TurnContext.Conversation(
            key: row.int64(0),
            consumer: row.int64(1),
            lastSequence: row.int64(2),
            unread: row.int64(3),
            isResolved: row.int64(4) != 0
        )
        row.end()
        context.conversations[name] = conversation
        return conversation
    }

    private func conversation(
        _ name: TurnContext.Name,
        owner: Int64,
        _ context: inout TurnContext
    ) throws -> TurnContext.Conversation {
        if let known = try existingConversation(name, &context) { return known }
        try db.prepare("INSERT INTO conversations (brand, id, consumer, active_at) VALUES (?, ?, ?, ?)")
            .int(name.brand).text(name.id).int(owner).int(context.turn.now.milliseconds).run()
        let made = TurnContext.Conversation(
            key: db.lastInsertedRow,
            consumer: owner,
            lastSequence: 0,
            unread: 0,
            isResolved: false
        )
        context.conversations[name] = made
        return made
    }

    /// The consumer's newest conversation that is not resolved, or the name of a new one: that of its first message.
    private func activeConversation(
        _ consumer: inout TurnContext.Consumer,
        _ messageID: MessageID,
        _ context: inout TurnContext
    ) throws -> String {
        if let known = consumer.activeConversation { return known }
        try flush(&context)
        let row = try db.prepare(
            "SELECT id FROM conversations WHERE consumer = ? AND resolved = 0 ORDER BY active_at DESC, key DESC LIMIT 1"
        ).int(consumer.key)
        guard try row.next() else { return messageID.description }
        defer { row.end() }
        return row.string(0)
    }

    func registrations(of consumer: Int64) throws -> [TurnContext.Registration] {
        var found: [TurnContext.Registration] = []
        let row = try db.prepare(
            "SELECT id, lane, token, platform, receives, device FROM registrations WHERE consumer = ? AND state = 'active' ORDER BY id"
        ).int(consumer)
        while try row.next() {
            found.append(
                TurnContext.Registration(
                    id: row.int64(0),
                    lane: row.int64(1),
                    token: row.string(2),
                    platform: DevicePlatform(rawValue: row.string(3)) ?? .ios,
                    receives: Receives(rawValue: Int(row.int64(4))),
                    device: row.string(5)
                )
            )
        }
        return found
    }

    /// Writes the counters that events of this turn moved; one statement for each consumer and conversation.
    func flush(_ context: inout TurnContext) throws {
        for (name, consumer) in context.consumers where consumer.isChanged {
            try db.prepare("UPDATE consumers SET unread = ? WHERE key = ?").int(consumer.unread).int(consumer.key).run()
            context.consumers[name]?.isChanged = false
        }
        for (name, conversation) in context.conversations where conversation.isChanged {
            try db.prepare(
                "UPDATE conversations SET last_sequence = ?, unread = ?, resolved = ?, active_at = ? WHERE key = ?"
            )
            .int(conversation.lastSequence).int(conversation.unread).int(conversation.isResolved ? 1 : 0)
            .int(context.turn.now.milliseconds).int(conversation.key).run()
            context.conversations[name]?.isChanged = false
        }
    }

    /// Forgets what was read, because rows are about to change behind it.
    func forget(_ context: inout TurnContext) throws {
        try flush(&context)
        context.consumers = [:]
        context.conversations = [:]
    }
}

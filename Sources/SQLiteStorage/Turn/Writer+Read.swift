import GatewayModel
import GatewayStorage

extension Writer {
    /// Handles a device's or a back-end's read.
    func read(_ request: ReadRequest, _ context: inout TurnContext) throws -> StoreChangeResult {
        guard let brand = try brandKey(request.brand),
            let consumer = try consumer(BrandedName(brand: brand, id: request.consumer.rawValue)),
            let conversation = try conversation(
                BrandedName(brand: brand, id: request.conversation.rawValue),
                of: consumer
            ).own,
            let sequence = try sequence(of: request.target, in: conversation)
        else { return .notFound }
        try read(conversation, of: consumer, request.brand, upTo: sequence, on: request.device, &context)
        return .read(
            ReadChange(
                consumer: ConsumerKey(consumer.key),
                conversation: ConversationKey(conversation.key),
                readSequence: conversation.readSequence,
                unread: consumer.unread
            )
        )
    }

    /// Moves a read mark forward, never past the last message.
    func read(
        _ conversation: KnownConversation,
        of consumer: KnownConsumer,
        _ brand: BrandID,
        upTo target: Int64,
        on device: DeviceID?,
        _ context: inout TurnContext
    ) throws {
        let mark = min(target, conversation.lastSequence)
        guard mark > conversation.readSequence else { return }
        let unread = try countUnread(conversation, above: mark)
        let isRead = unread != conversation.unread
        let isShown = try isRead || hasProactive(conversation, after: conversation.readSequence, upTo: mark)
        consumer.unread += unread - conversation.unread
        conversation.unread = unread
        conversation.readSequence = mark
        context.changed(conversation)
        for registration in try allRegistrations(of: consumer.key) {
            try cancelRead(registration: registration, conversation: conversation.key, upTo: mark, &context)
        }
        context.notifyWindows(
            of: consumer,
            brand,
            .read(ConversationID(trusted: conversation.name.id), upToSequence: mark, unread: consumer.unread)
        )
        if isRead { context.changed(consumer) }
        // Messages that do not count, such as the consumer's own, have no notification to remove.
        guard isShown else { return }
        try queueBadges(conversation, of: consumer, except: device, &context)
    }

    /// Whether a proactive message is among those that were just read: it never counted, but it has a notification.
    private func hasProactive(
        _ conversation: KnownConversation,
        after sequence: Int64,
        upTo mark: Int64
    ) throws -> Bool {
        let floor = max(sequence, mark - ReadMark.messagesLookedAt)
        var isFound = false
        try chains.visit(upTo: mark, of: conversation.head) { link in
            guard link.sequence > floor else { return false }
            let kind = MessageKind(rawValue: link.kind)
            isFound = !link.isSilent && (kind == .proactive || kind == .c2m)
            return !isFound
        }
        return isFound
    }

    /// Returns the number of unread messages above a mark, which lies above the present one.
    ///
    /// Counts those that stay unread, or those that become read: whichever are fewer.
    private func countUnread(_ conversation: KnownConversation, above mark: Int64) throws -> Int64 {
        let stay = conversation.lastSequence - mark
        guard stay > 0 else { return 0 }
        let areFewer = stay <= mark - conversation.readSequence
        let floor = areFewer ? mark : conversation.readSequence
        var count: Int64 = 0
        try chains.visit(upTo: areFewer ? conversation.lastSequence : mark, of: conversation.head) { link in
            guard link.sequence > floor else { return false }
            if link.countsAsUnread { count += 1 }
            return true
        }
        return areFewer ? count : conversation.unread - count
    }

    /// Returns the sequence of a target in a conversation; nil when it names nothing in it.
    func sequence(of target: ReadTarget, in conversation: KnownConversation) throws -> Int64? {
        switch target {
        case .sequence(let sequence): return sequence
        case .sourceSequence(let source):
            // Events may have come in another order: messages after the first unread one that the back-end counts
            // behind the target stay unread.
            var newest: Int64?
            var firstBehind: Int64?
            try chains.visit(from: conversation.lastMessage, in: conversation.key) { link in
                if let other = link.sourceSequence {
                    if other <= source {
                        newest = newest ?? link.sequence
                    } else if link.sequence > conversation.readSequence {
                        firstBehind = link.sequence
                    }
                }
                return newest == nil || link.sequence > conversation.readSequence + 1
            }
            guard let last = newest else { return nil }
            return firstBehind.map { min(last, $0 - 1) } ?? last
        case .message(let id):
            let row = try db.prepare("SELECT sequence FROM messages WHERE key = ? AND low = ? AND conversation = ?")
                .int(Int64(bitPattern: id.high)).int(Int64(bitPattern: id.low)).int(conversation.key)
            guard try row.next() else { return nil }
            defer { row.end() }
            return row.int64(0)
        }
    }

    private func allRegistrations(of consumer: Int64) throws -> [Int64] {
        var ids: [Int64] = []
        let rows = try db.prepare("SELECT id FROM registrations WHERE consumer = ?").int(consumer)
        while try rows.next() { ids.append(rows.int64(0)) }
        return ids
    }

    /// Queues a badge for the consumer's other devices, which also remove the notifications of read messages; of
    /// several that wait only the newest is sent.
    private func queueBadges(
        _ conversation: KnownConversation,
        of consumer: KnownConsumer,
        except device: DeviceID?,
        _ context: inout TurnContext
    ) throws {
        // A badge that is a day late adds nothing to the next push.
        let expiresAt = context.turn.now.adding(seconds: ReadMark.sentForSeconds)
        var isReported = false
        for registration in try registrations(of: consumer.key)
        where registration.receives.contains(.agent) && registration.device != device?.rawValue {
            let row = TurnContext.NewRow(
                id: try newDelivery(),
                registration: registration,
                consumer: consumer,
                conversation: nil,
                message: nil,
                kind: .badge,
                expiresAt: expiresAt
            )
            try queue(row, &context)
            isReported = true
        }
        // A consumer with one device, as most have, costs nothing more.
        guard isReported else { return }
        context.hasBadges = true
        try db.prepare("UPDATE conversations SET told_at = ? WHERE key = ?")
            .int(context.turn.now.milliseconds).int(conversation.key).run()
    }
}

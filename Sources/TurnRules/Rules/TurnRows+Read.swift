internal import GatewayModel
internal import GatewayStorage

/// Reads, and the badges that follow them.
extension TurnRows {
    /// Handles a device's or a back-end's read.
    mutating func read(
        _ request: ReadRequest,
        _ context: inout TurnContext
    ) throws(Failure) -> StoreChangeResult {
        guard let brand = try brandKey(request.brand),
            let consumer = try self.consumer(BrandedName(brand: brand, id: request.consumer.rawValue)),
            let conversation = try self.conversation(
                BrandedName(brand: brand, id: request.conversation.rawValue),
                of: consumer
            ),
            let sequence = try self.sequence(of: request.target, in: conversation)
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
    mutating func read(
        _ conversation: KnownConversation,
        of consumer: KnownConsumer,
        _ brand: BrandID,
        upTo target: Int64,
        on device: DeviceID?,
        _ context: inout TurnContext
    ) throws(Failure) {
        let mark = min(target, conversation.lastSequence)
        guard mark > conversation.readSequence else { return }
        let unread = try countUnread(conversation, above: mark)
        let isRead = unread != conversation.unread
        var isShown = isRead
        if !isShown { isShown = try hasProactive(conversation, after: conversation.readSequence, upTo: mark) }
        consumer.unread += unread - conversation.unread
        conversation.unread = unread
        conversation.readSequence = mark
        context.changed(conversation)
        try cancelRead(conversation, upTo: mark, &context)
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
    private mutating func hasProactive(
        _ conversation: KnownConversation,
        after sequence: Int64,
        upTo mark: Int64
    ) throws(Failure) -> Bool {
        let floor = max(sequence, mark - ReadMark.messagesLookedAt)
        var isFound = false
        try visit(upTo: mark, of: conversation) { link in
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
    private mutating func countUnread(_ conversation: KnownConversation, above mark: Int64) throws(Failure) -> Int64 {
        let stay = conversation.lastSequence - mark
        guard stay > 0 else { return 0 }
        let areFewer = stay <= mark - conversation.readSequence
        let floor = areFewer ? mark : conversation.readSequence
        var count: Int64 = 0
        try visit(upTo: areFewer ? conversation.lastSequence : mark, of: conversation) { link in
            guard link.sequence > floor else { return false }
            if link.countsAsUnread { count += 1 }
            return true
        }
        return areFewer ? count : conversation.unread - count
    }

    /// Returns the sequence of a target in a conversation; nil when it names nothing in it.
    mutating func sequence(
        of target: ReadTarget,
        in conversation: KnownConversation
    ) throws(Failure) -> Int64? {
        switch target {
        case .sequence(let sequence): return sequence
        case .sourceSequence(let source):
            // Events may have come in another order: messages after the first unread one that the back-end counts
            // behind the target stay unread.
            let readSequence = conversation.readSequence
            var newest: Int64?
            var firstBehind: Int64?
            try visit(upTo: nil, of: conversation) { link in
                if let other = link.sourceSequence {
                    if other <= source {
                        newest = newest ?? link.sequence
                    } else if link.sequence > readSequence {
                        firstBehind = link.sequence
                    }
                }
                return newest == nil || link.sequence > readSequence + 1
            }
            guard let last = newest else { return nil }
            return firstBehind.map { min(last, $0 - 1) } ?? last
        case .message(let id): return try sequence(ofMessage: id, in: conversation.key)
        }
    }

    /// Queues a badge for the consumer's other devices, which also remove the notifications of read messages; of
    /// several that wait only the newest is sent.
    private mutating func queueBadges(
        _ conversation: KnownConversation,
        of consumer: KnownConsumer,
        except device: DeviceID?,
        _ context: inout TurnContext
    ) throws(Failure) {
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
        try storeReadSent(conversation.key, at: context.turn.now)
    }
}

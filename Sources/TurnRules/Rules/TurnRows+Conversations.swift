internal import GatewayModel
internal import GatewayStorage

/// Conversations that are opened, and the one for events that name none.
extension TurnRows {
    /// Makes a conversation that is not named after an id of the gateway; closed until ``open(_:of:at:)``.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - consumer: Its consumer.
    /// - Returns: The conversation, without messages; its first message stores whether it is closed.
    /// - Throws: The engine's error.
    mutating func makeConversation(
        _ name: BrandedName,
        of consumer: KnownConsumer
    ) throws(Failure) -> KnownConversation {
        let conversation = try insertConversation(name, of: consumer, own: nil)
        conversation.isResolved = true
        return conversation
    }

    /// Opens a conversation that is named after an id of the gateway.
    mutating func makeConversation(
        _ id: MessageID,
        brand: Int64,
        of consumer: KnownConsumer,
        at now: Timestamp,
        engagement: Engagement? = nil
    ) throws(Failure) -> KnownConversation {
        let name = BrandedName(brand: brand, id: id.description)
        let conversation = try insertConversation(name, of: consumer, own: Int64(bitPattern: id.high))
        try publishOpened(conversation, of: consumer, at: now, engagement: engagement)
        return conversation
    }

    /// Opens a conversation that is closed, and publishes that it is open; the caller marks it as changed.
    mutating func open(
        _ conversation: KnownConversation,
        of consumer: KnownConsumer,
        at now: Timestamp
    ) throws(Failure) {
        guard conversation.isResolved else { return }
        conversation.isResolved = false
        try publishOpened(conversation, of: consumer, at: now, engagement: nil)
    }

    private mutating func publishOpened(
        _ conversation: KnownConversation,
        of consumer: KnownConsumer,
        at now: Timestamp,
        engagement: Engagement?
    ) throws(Failure) {
        try publish(
            conversation.name.brand,
            at: now,
            .opened(consumer: consumer.name.id, conversation: conversation.name.id, engagement: engagement)
        )
    }

    /// Returns the unresolved conversation with the consumer's newest message that is not proactive (R206).
    mutating func activeConversation(
        of consumer: KnownConsumer,
        _ context: inout TurnContext
    ) throws(Failure) -> KnownConversation? {
        switch consumer.active {
        case .conversation(let id):
            return try conversation(BrandedName(brand: consumer.name.brand, id: id), of: consumer)
        case .none: return nil
        case .unknown: break
        }
        try flush(&context)
        guard let id = try newestConversation(of: consumer.key) else {
            consumer.active = .none
            return nil
        }
        consumer.active = .conversation(id)
        return try conversation(BrandedName(brand: consumer.name.brand, id: id), of: consumer)
    }
}

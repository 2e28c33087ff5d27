package import GatewayModel
internal import GatewayStorage

/// Conversations that are opened, and the one for events that name none.
extension TurnRows {
    /// Opens a conversation that a back-end has named.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - consumer: Its consumer.
    ///   - now: The time of the turn.
    /// - Returns: The conversation, without messages.
    /// - Throws: The engine's error.
    package mutating func makeConversation(
        _ name: BrandedName,
        of consumer: KnownConsumer,
        at now: Timestamp
    ) throws(Failure) -> KnownConversation {
        try open(name, of: consumer, own: nil, at: now, engagement: nil)
    }

    /// Opens a conversation that is named after an id of the gateway.
    ///
    /// - Parameters:
    ///   - id: The id.
    ///   - brand: The number of the brand.
    ///   - consumer: Its consumer.
    ///   - now: The time of the turn.
    ///   - engagement: The engagement from which the consumer opened it.
    /// - Returns: The conversation, without messages.
    /// - Throws: The engine's error.
    package mutating func makeConversation(
        _ id: MessageID,
        brand: Int64,
        of consumer: KnownConsumer,
        at now: Timestamp,
        engagement: Engagement? = nil
    ) throws(Failure) -> KnownConversation {
        try open(
            BrandedName(brand: brand, id: id.description),
            of: consumer,
            own: Int64(bitPattern: id.high),
            at: now,
            engagement: engagement
        )
    }

    private mutating func open(
        _ name: BrandedName,
        of consumer: KnownConsumer,
        own: Int64?,
        at now: Timestamp,
        engagement: Engagement?
    ) throws(Failure) -> KnownConversation {
        let conversation = try insertConversation(name, of: consumer, own: own)
        try publish(
            name.brand,
            at: now,
            .opened(consumer: consumer.name.id, conversation: name.id, engagement: engagement)
        )
        return conversation
    }

    /// Returns the unresolved conversation with the consumer's newest message.
    ///
    /// - Parameters:
    ///   - consumer: The consumer.
    ///   - context: The turn.
    /// - Returns: Nil when there is none.
    /// - Throws: The engine's error.
    package mutating func activeConversation(
        of consumer: KnownConsumer,
        _ context: inout TurnContext
    ) throws(Failure) -> KnownConversation? {
        switch consumer.active {
        case .conversation(let id):
            return try conversation(BrandedName(brand: consumer.name.brand, id: id), of: consumer).own
        case .none: return nil
        case .unknown: break
        }
        try flush(&context)
        guard let id = try newestConversation(of: consumer.key) else {
            consumer.active = .none
            return nil
        }
        consumer.active = .conversation(id)
        return try conversation(BrandedName(brand: consumer.name.brand, id: id), of: consumer).own
    }
}

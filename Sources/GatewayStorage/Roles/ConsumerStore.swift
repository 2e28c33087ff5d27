package import GatewayModel

/// The part of a ``GatewayStore`` that reads consumers with their devices and messages; turns write them.
package protocol ConsumerStore: Sendable {
    /// Returns a consumer.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - id: The consumer.
    /// - Returns: Nil when the brand has never seen it.
    /// - Throws: `StorageError`.
    func consumer(brand: BrandID, id: ConsumerID) async throws(StorageError) -> StoredConsumer?

    /// Returns a consumer with its stored facts other than conversations, devices and deliveries.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - id: The consumer.
    /// - Returns: Nil when the brand has never seen it.
    /// - Throws: `StorageError`.
    func consumerRecord(brand: BrandID, id: ConsumerID) async throws(StorageError) -> ConsumerRecord?

    /// Returns a registration.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - app: The app.
    ///   - device: The device.
    /// - Returns: Nil when there is none.
    /// - Throws: `StorageError`.
    func registration(
        brand: BrandID,
        app: AppID,
        device: DeviceID
    ) async throws(StorageError) -> DeviceRegistration?

    /// Returns a consumer's registrations, oldest first.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: The consumer.
    /// - Returns: All of them: a consumer has few.
    /// - Throws: `StorageError`.
    func registrations(brand: BrandID, consumer: ConsumerID) async throws(StorageError) -> [DeviceRegistration]

    /// Returns a consumer's conversations, oldest first. Those without messages are included, except resolved ones
    /// whose messages are past their retention (``HousekeepingBatch/Work/conversations(before:)``).
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: The consumer.
    ///   - after: Only conversations after this one.
    ///   - limit: At most this many.
    /// - Returns: Nil when the brand has never seen the consumer.
    /// - Throws: `StorageError`.
    func conversations(
        brand: BrandID,
        consumer: ConsumerID,
        after: ConversationKey?,
        limit: Int
    ) async throws(StorageError) -> [StoredConversation]?

    /// Returns the conversation of an event that names none: the unresolved one with the newest message that is not
    /// proactive.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: The consumer.
    /// - Returns: Nil when there is none, or the brand has never seen the consumer.
    /// - Throws: `StorageError`.
    func activeConversation(
        brand: BrandID,
        consumer: ConsumerID
    ) async throws(StorageError) -> ConversationID?

    /// Returns messages of one conversation in order.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: The consumer whose conversation it is.
    ///   - conversation: The conversation; nil reads all of the consumer's conversations in the order of acceptance and
    ///     ignores `afterSequence`.
    ///   - afterSequence: Only messages above it.
    ///   - after: Only messages after this one (a cursor for the form without a conversation).
    ///   - limit: At most this many.
    /// - Returns: Nil when the conversation is unknown or another consumer's.
    /// - Throws: `StorageError`.
    func messages(
        brand: BrandID,
        consumer: ConsumerID,
        conversation: ConversationID?,
        afterSequence: Int64,
        after: MessageID?,
        limit: Int
    ) async throws(StorageError) -> [Message]?

    /// Returns messages of one conversation in order, with their taps.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: The consumer whose conversation it is.
    ///   - conversation: The conversation.
    ///   - afterSequence: Only messages above it.
    ///   - limit: At most this many.
    /// - Returns: Nil when the conversation is unknown or another consumer's.
    /// - Throws: `StorageError`.
    func messageRecords(
        brand: BrandID,
        consumer: ConsumerID,
        conversation: ConversationID,
        afterSequence: Int64,
        limit: Int
    ) async throws(StorageError) -> [MessageRecord]?

    /// Returns a consumer's unread count, over open and closed conversations (R87).
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: The consumer.
    /// - Returns: The total, and the conversations with messages, at most ``UnreadCounts/maxConversations``.
    /// - Throws: `StorageError`.
    func unread(brand: BrandID, consumer: ConsumerID) async throws(StorageError) -> UnreadCounts

    /// Returns a consumer's proactive messages that were neither tapped nor cleared and are within their look-back
    /// (R115).
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: The consumer.
    ///   - before: Only messages before this one (a cursor); nil begins with the newest.
    ///   - now: The time to which look-backs are compared.
    ///   - limit: At most this many.
    /// - Returns: The messages, newest first; empty when the brand has never seen the consumer.
    /// - Throws: `StorageError`.
    func pendingProactive(
        brand: BrandID,
        consumer: ConsumerID,
        before: MessageID?,
        now: Timestamp,
        limit: Int
    ) async throws(StorageError) -> [Message]
}

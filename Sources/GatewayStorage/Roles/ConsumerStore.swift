package import GatewayModel

/// The part of a ``GatewayStore`` that reads consumers with their devices and messages; turns write them.
package protocol ConsumerStore: Sendable {
    /// Returns a consumer; nil when the brand has never seen it.
    func consumer(brand: BrandID, id: ConsumerID) async throws(StorageError) -> StoredConsumer?

    /// Returns a consumer with its stored facts other than conversations, devices and deliveries; nil when the brand
    /// has never seen it.
    func consumerRecord(brand: BrandID, id: ConsumerID) async throws(StorageError) -> ConsumerRecord?

    /// Returns a registration; nil when there is none.
    func registration(
        brand: BrandID,
        app: AppID,
        device: DeviceID
    ) async throws(StorageError) -> DeviceRegistration?

    /// Returns all of a consumer's registrations, oldest first: a consumer has few.
    func registrations(brand: BrandID, consumer: ConsumerID) async throws(StorageError) -> [DeviceRegistration]

    /// Returns a brand's registrations with providers' tokens: at most a few hundred tokens.
    func registrations(
        brand: BrandID,
        tokens: [String],
        pushType: PushType
    ) async throws(StorageError) -> [DeviceRegistration]

    /// Returns a consumer's conversations, oldest first; nil when the brand has never seen the consumer.
    ///
    /// Those without messages are included, except resolved ones whose messages are past their retention
    /// (``HousekeepingBatch/Work/conversations(before:)``).
    func conversations(
        brand: BrandID,
        consumer: ConsumerID,
        after: ConversationKey?,
        limit: Int
    ) async throws(StorageError) -> [StoredConversation]?

    /// Returns the conversation of an event that names none: the unresolved one with the newest message that is not
    /// proactive; nil when there is none, or the brand has never seen the consumer.
    func activeConversation(
        brand: BrandID,
        consumer: ConsumerID
    ) async throws(StorageError) -> ConversationID?

    /// Returns messages of one conversation in order; nil when the conversation is unknown or another consumer's.
    ///
    /// Without `conversation` it reads all of the consumer's conversations in the order of acceptance, from `after` on,
    /// and ignores `afterSequence`.
    func messages(
        brand: BrandID,
        consumer: ConsumerID,
        conversation: ConversationID?,
        afterSequence: Int64,
        after: MessageID?,
        limit: Int
    ) async throws(StorageError) -> [Message]?

    /// Returns a message of a brand, of whatever consumer and kind; nil when there is none.
    func message(_ id: MessageID, of brand: BrandID) async throws(StorageError) -> Message?

    /// Returns messages of one conversation in order, with their taps; nil when the conversation is unknown or another
    /// consumer's.
    func messageRecords(
        brand: BrandID,
        consumer: ConsumerID,
        conversation: ConversationID,
        afterSequence: Int64,
        limit: Int
    ) async throws(StorageError) -> [MessageRecord]?

    /// Returns the messages of a campaign between two keys, oldest first; nil when more than ``maxMessagesBetween`` of
    /// whatever kind lie there.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - campaign: The campaign.
    ///   - first: The lowest ``MessageID/high``.
    ///   - last: The highest ``MessageID/high``.
    /// - Returns: The ids; empty for an unknown brand.
    /// - Throws: `StorageError`.
    func campaignMessages(
        brand: BrandID,
        campaign: CampaignID,
        from first: UInt64,
        through last: UInt64
    ) async throws(StorageError) -> [MessageID]?

    /// Returns a consumer's unread count, over open and closed conversations (R87), and the conversations with
    /// messages, at most ``UnreadCounts/maxConversations``.
    func unread(brand: BrandID, consumer: ConsumerID) async throws(StorageError) -> UnreadCounts

    /// Returns a brand's consumers with unread messages and without an active device, those first seen first.
    ///
    /// The work for a page is bounded, whatever the store holds of this brand or others: a page may be shorter than the
    /// limit, even empty, with another after it.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - before: Only those whose oldest unread message was accepted before this time. It is looked for among the
    ///     first 64 messages behind the read mark in each of at most 100 conversations; another does not count.
    ///   - after: Only those behind this consumer (the cursor).
    ///   - limit: At most this many, 1 to 500.
    /// - Returns: The page; an empty last one for an unknown brand.
    /// - Throws: `StorageError`.
    func unreachable(
        brand: BrandID,
        before: Timestamp,
        after: ConsumerKey?,
        limit: Int
    ) async throws(StorageError) -> UnreachablePage

    /// Returns a consumer's proactive messages that were neither tapped nor cleared and are within their look-back at
    /// `now` (R115), newest first; empty when the brand has never seen the consumer.
    func pendingProactive(
        brand: BrandID,
        consumer: ConsumerID,
        before: MessageID?,
        now: Timestamp,
        limit: Int
    ) async throws(StorageError) -> [Message]
}

extension ConsumerStore {
    /// The maximum of messages between which those of a campaign are searched: about 10 ms of reading.
    package static var maxMessagesBetween: Int { 20_000 }
}

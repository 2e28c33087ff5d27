import GatewayModel
import GatewayStorage

/// A store that accepts every event and stores nothing, to measure a server without storage.
struct NotStoringStore: GatewayStore {
    /// Makes the session for a token's hash, for session lookups.
    var makeSession: (@Sendable ([UInt8]) -> StoredSession)?

    func begin(
        now: Timestamp,
        quietUntil: @escaping QuietUntil
    ) async throws(StorageError) -> IncarnationStart {
        IncarnationStart(incarnation: IncarnationID(1), backlog: [:], recovered: 0, lastMessage: nil)
    }

    func commit(_ turn: WriterTurn) async throws(StorageError) -> WriterTurnResult {
        var result = WriterTurnResult()
        result.accepts = turn.accepts.map { request in
            request.events.map { posted in
                .accepted(
                    AcceptedEvent(
                        messageID: posted.messageID,
                        conversation: posted.event.conversation,
                        sequence: 1,
                        unread: 1,
                        deliveries: 1
                    )
                )
            }
        }
        return result
    }

    func close() async {}
    func probe() async throws(StorageError) {}
    func probeWriting() async throws(StorageError) {}
    func runHousekeeping(_ batch: HousekeepingBatch) async throws(StorageError) -> HousekeepingProgress {
        throw Self.notKept
    }

    // MARK: Not used by events

    private static let notKept = StorageError.unavailable(detail: "this store stores nothing")

    func insertBrand(_ brand: Brand, audit: AuditEntry?) async throws(StorageError) {}
    func updateBrand(_ brand: Brand, audit: AuditEntry?) async throws(StorageError) -> Bool { throw Self.notKept }
    func deleteBrand(_ brand: BrandID, audit: AuditEntry?) async throws(StorageError) -> [LaneID]? {
        throw Self.notKept
    }
    func brands() async throws(StorageError) -> [Brand] { [] }
    func putApp(_ app: StoredApp, lanes: [LaneKey], audit: AuditEntry?) async throws(StorageError) -> Bool { true }
    func deleteApp(
        brand: BrandID,
        app: AppID,
        audit: AuditEntry?
    ) async throws(StorageError) -> [LaneID]? {
        throw Self.notKept
    }
    func apps() async throws(StorageError) -> [StoredApp] { [] }
    func lanes() async throws(StorageError) -> [LaneID: LaneKey] { [:] }
    func insertCredential(_ credential: StoredCredential, audit: AuditEntry?) async throws(StorageError) {}
    func revokeCredential(
        brand: BrandID,
        id: String,
        now: Timestamp,
        audit: AuditEntry?
    ) async throws(StorageError) -> Bool {
        throw Self.notKept
    }
    func credentials() async throws(StorageError) -> [StoredCredential] { [] }
    func resealSecrets(
        at now: Timestamp,
        _ reseal: @escaping @Sendable (SealedSecret) -> [UInt8]?,
        verify: @escaping @Sendable (SealedSecret) -> Bool
    ) async throws(StorageError) -> ResealedCounts {
        throw Self.notKept
    }
    func storedTime() async throws(StorageError) -> StoredTime { StoredTime() }
    func keep(_ mark: ClockMark, audit: AuditEntry?) async throws(StorageError) {}
    func beginIdempotent(
        _ record: IdempotencyRecord,
        forgetting oldest: Timestamp?
    ) async throws(StorageError) -> IdempotencyRecord? {
        nil
    }
    func markCodeUsed(_ code: RedeemedCode) async throws(StorageError) -> Bool { true }
    func endIdempotent(key: [UInt8], response: IdempotencyRecord.Response?) async throws(StorageError) {}
    func appendAudit(_ entry: AuditEntry) async throws(StorageError) {}
    func audit(_ query: AuditQuery) async throws(StorageError) -> [AuditRecord] { [] }
    func session(tokenHash: [UInt8]) async throws(StorageError) -> StoredSession? {
        guard let makeSession else { throw Self.notKept }
        return makeSession(tokenHash)
    }
    func consumer(brand: BrandID, id: ConsumerID) async throws(StorageError) -> StoredConsumer? { throw Self.notKept }
    func consumerRecord(brand: BrandID, id: ConsumerID) async throws(StorageError) -> ConsumerRecord? { nil }
    func conversations(
        brand: BrandID,
        consumer: ConsumerID,
        after: ConversationKey?,
        limit: Int
    ) async throws(StorageError) -> [StoredConversation]? { nil }
    func messageRecords(
        brand: BrandID,
        consumer: ConsumerID,
        conversation: ConversationID,
        afterSequence: Int64,
        limit: Int
    ) async throws(StorageError) -> [MessageRecord]? { nil }
    func unread(brand: BrandID, consumer: ConsumerID) async throws(StorageError) -> UnreadCounts {
        throw Self.notKept
    }
    func messages(
        brand: BrandID,
        consumer: ConsumerID,
        conversation: ConversationID?,
        afterSequence: Int64,
        after: MessageID?,
        limit: Int
    ) async throws(StorageError) -> [Message]? { throw Self.notKept }
    func activeConversation(
        brand: BrandID,
        consumer: ConsumerID
    ) async throws(StorageError) -> ConversationID? { nil }
    func campaign(brand: BrandID, id: CampaignID) async throws(StorageError) -> CampaignStats? { nil }
    func campaigns(brand: BrandID, before: Int64?, limit: Int) async throws(StorageError) -> [CampaignStats] { [] }
    func pendingProactive(
        brand: BrandID,
        consumer: ConsumerID,
        before: MessageID?,
        now: Timestamp,
        limit: Int
    ) async throws(StorageError) -> [Message] { throw Self.notKept }
    func registration(
        brand: BrandID,
        app: AppID,
        device: DeviceID
    ) async throws(StorageError) -> DeviceRegistration? { throw Self.notKept }
    func registrations(brand: BrandID, consumer: ConsumerID) async throws(StorageError) -> [DeviceRegistration] {
        throw Self.notKept
    }
    func deliveries(_ query: DeliveryQuery) async throws(StorageError) -> DeliveryPage { throw Self.notKept }
    func delivery(brand: BrandID, id: DeliveryID) async throws(StorageError) -> DeliveryDetail? { throw Self.notKept }
    func onDamage(_ listener: @escaping @Sendable (StorageError) -> Void) {}
    func onSessionEnd(_ listener: @escaping @Sendable (SessionEnd) -> Void) {}
    func onOutbound(_ listener: @escaping @Sendable (BrandID, Int) -> Void) {}
    func openSubscription(
        brand id: BrandID,
        _ subscription: SubscriptionID,
        fromStart: Bool,
        owner: String?,
        formerOwner: String?,
        now: Timestamp
    ) async throws(StorageError) -> SubscriptionOpening { throw Self.notKept }
    func subscriptions(brand: BrandID) async throws(StorageError) -> OutboundOverview { throw Self.notKept }
    func acknowledge(
        brand: BrandID,
        _ subscription: SubscriptionID,
        upTo: Int64,
        now: Timestamp
    ) async throws(StorageError) -> SubscriptionAck { throw Self.notKept }
    func deleteSubscription(
        brand: BrandID,
        _ subscription: SubscriptionID,
        audit: AuditEntry?
    ) async throws(StorageError) -> Bool { throw Self.notKept }
    func outbound(_ query: OutboundQuery) async throws(StorageError) -> OutboundPage { throw Self.notKept }
    func webhookState(brand: BrandID) async throws(StorageError) -> WebhookState? { throw Self.notKept }
    func putWebhookState(_ state: WebhookState, brand: BrandID) async throws(StorageError) -> Bool {
        throw Self.notKept
    }
    func replayWebhook(
        brand: BrandID,
        after: Int64,
        audit: AuditEntry?
    ) async throws(StorageError) -> WebhookState? { throw Self.notKept }
    func deliveryChanges(
        _ query: DeliveryQuery,
        after position: Int64
    ) async throws(StorageError) -> DeliveryChanges { throw Self.notKept }
    func lastDeliveryChange(brand: BrandID) async throws(StorageError) -> Int64 { throw Self.notKept }
    func deliveryStats(
        brand: BrandID,
        window: StatsWindow,
        now: Timestamp
    ) async throws(StorageError) -> DeliveryStats { throw Self.notKept }
}

package import GatewayModel
package import GatewayStorage

/// A store that forwards every call to another, for tests that replace one or two of them.
package protocol ForwardingStore: GatewayStore {
    /// The store that does the work.
    var base: any GatewayStore { get }
}

// Each of these is described at its requirement, in `GatewayStore`.
extension ForwardingStore {
    package func commit(_ turn: WriterTurn) async throws(StorageError) -> WriterTurnResult {
        try await base.commit(turn)
    }
    package func begin(
        now: Timestamp,
        quietUntil: @escaping QuietUntil
    ) async throws(StorageError) -> IncarnationStart {
        try await base.begin(now: now, quietUntil: quietUntil)
    }
    package func close() async { await base.close() }
    package func probe() async throws(StorageError) { try await base.probe() }
    package func probeWriting() async throws(StorageError) {
        try await base.probeWriting()
    }
    package func runHousekeeping(_ batch: HousekeepingBatch) async throws(StorageError) -> HousekeepingProgress {
        try await base.runHousekeeping(batch)
    }
    package func insertBrand(_ brand: Brand, audit: AuditEntry?) async throws(StorageError) {
        try await base.insertBrand(brand, audit: audit)
    }
    package func updateBrand(_ brand: Brand, audit: AuditEntry?) async throws(StorageError) -> Bool {
        try await base.updateBrand(brand, audit: audit)
    }
    package func deleteBrand(_ brand: BrandID, audit: AuditEntry?) async throws(StorageError) -> [LaneID]? {
        try await base.deleteBrand(brand, audit: audit)
    }
    package func brands() async throws(StorageError) -> [Brand] { try await base.brands() }
    package func putApp(_ app: StoredApp, lanes: [LaneKey], audit: AuditEntry?) async throws(StorageError) -> Bool {
        try await base.putApp(app, lanes: lanes, audit: audit)
    }
    package func deleteApp(
        brand: BrandID,
        app: AppID,
        audit: AuditEntry?
    ) async throws(StorageError) -> [LaneID]? {
        try await base.deleteApp(brand: brand, app: app, audit: audit)
    }
    package func apps() async throws(StorageError) -> [StoredApp] { try await base.apps() }
    package func lanes() async throws(StorageError) -> [LaneID: LaneKey] { try await base.lanes() }
    package func insertCredential(_ credential: StoredCredential, audit: AuditEntry?) async throws(StorageError) {
        try await base.insertCredential(credential, audit: audit)
    }
    package func revokeCredential(
        brand: BrandID,
        id: String,
        now: Timestamp,
        audit: AuditEntry?
    ) async throws(StorageError) -> Bool {
        try await base.revokeCredential(brand: brand, id: id, now: now, audit: audit)
    }
    package func credentials() async throws(StorageError) -> [StoredCredential] { try await base.credentials() }
    package func resealSecrets(
        at now: Timestamp,
        _ reseal: @escaping @Sendable (SealedSecret) -> [UInt8]?,
        verify: @escaping @Sendable (SealedSecret) -> Bool
    ) async throws(StorageError) -> ResealedCounts {
        try await base.resealSecrets(at: now, reseal, verify: verify)
    }
    package func storedTime() async throws(StorageError) -> StoredTime { try await base.storedTime() }
    package func keep(_ mark: ClockMark, audit: AuditEntry?) async throws(StorageError) {
        try await base.keep(mark, audit: audit)
    }
    package func beginIdempotent(
        _ record: IdempotencyRecord,
        forgetting oldest: Timestamp?
    ) async throws(StorageError) -> IdempotencyRecord? {
        try await base.beginIdempotent(record, forgetting: oldest)
    }
    package func markCodeUsed(_ code: RedeemedCode) async throws(StorageError) -> Bool {
        try await base.markCodeUsed(code)
    }
    package func endIdempotent(key: [UInt8], response: IdempotencyRecord.Response?) async throws(StorageError) {
        try await base.endIdempotent(key: key, response: response)
    }
    package func appendAudit(_ entry: AuditEntry) async throws(StorageError) { try await base.appendAudit(entry) }
    package func audit(_ query: AuditQuery) async throws(StorageError) -> [AuditRecord] { try await base.audit(query) }
    package func session(tokenHash: [UInt8]) async throws(StorageError) -> StoredSession? {
        try await base.session(tokenHash: tokenHash)
    }
    package func consumer(brand: BrandID, id: ConsumerID) async throws(StorageError) -> StoredConsumer? {
        try await base.consumer(brand: brand, id: id)
    }
    package func consumerRecord(brand: BrandID, id: ConsumerID) async throws(StorageError) -> ConsumerRecord? {
        try await base.consumerRecord(brand: brand, id: id)
    }
    package func conversations(
        brand: BrandID,
        consumer: ConsumerID,
        after: ConversationKey?,
        limit: Int
    ) async throws(StorageError) -> [StoredConversation]? {
        try await base.conversations(brand: brand, consumer: consumer, after: after, limit: limit)
    }
    package func messageRecords(
        brand: BrandID,
        consumer: ConsumerID,
        conversation: ConversationID,
        afterSequence: Int64,
        limit: Int
    ) async throws(StorageError) -> [MessageRecord]? {
        try await base.messageRecords(
            brand: brand,
            consumer: consumer,
            conversation: conversation,
            afterSequence: afterSequence,
            limit: limit
        )
    }
    package func unread(brand: BrandID, consumer: ConsumerID) async throws(StorageError) -> UnreadCounts {
        try await base.unread(brand: brand, consumer: consumer)
    }
    package func messages(
        brand: BrandID,
        consumer: ConsumerID,
        conversation: ConversationID?,
        afterSequence: Int64,
        after: MessageID?,
        limit: Int
    ) async throws(StorageError) -> [Message]? {
        try await base.messages(
            brand: brand,
            consumer: consumer,
            conversation: conversation,
            afterSequence: afterSequence,
            after: after,
            limit: limit
        )
    }
    package func activeConversation(
        brand: BrandID,
        consumer: ConsumerID
    ) async throws(StorageError) -> ConversationID? {
        try await base.activeConversation(brand: brand, consumer: consumer)
    }
    package func campaign(brand: BrandID, id: CampaignID) async throws(StorageError) -> CampaignStats? {
        try await base.campaign(brand: brand, id: id)
    }
    package func campaigns(brand: BrandID, before: Int64?, limit: Int) async throws(StorageError) -> [CampaignStats] {
        try await base.campaigns(brand: brand, before: before, limit: limit)
    }
    package func pendingProactive(
        brand: BrandID,
        consumer: ConsumerID,
        before: MessageID?,
        now: Timestamp,
        limit: Int
    ) async throws(StorageError) -> [Message] {
        try await base.pendingProactive(brand: brand, consumer: consumer, before: before, now: now, limit: limit)
    }
    package func registration(
        brand: BrandID,
        app: AppID,
        device: DeviceID
    ) async throws(StorageError) -> DeviceRegistration? {
        try await base.registration(brand: brand, app: app, device: device)
    }
    package func registrations(brand: BrandID, consumer: ConsumerID) async throws(StorageError) -> [DeviceRegistration]
    {
        try await base.registrations(brand: brand, consumer: consumer)
    }
    package func deliveries(_ query: DeliveryQuery) async throws(StorageError) -> DeliveryPage {
        try await base.deliveries(query)
    }
    package func delivery(brand: BrandID, id: DeliveryID) async throws(StorageError) -> DeliveryDetail? {
        try await base.delivery(brand: brand, id: id)
    }
    package func deliveryChanges(
        _ query: DeliveryQuery,
        after position: Int64
    ) async throws(StorageError) -> DeliveryChanges {
        try await base.deliveryChanges(query, after: position)
    }
    package func lastDeliveryChange(brand: BrandID) async throws(StorageError) -> Int64 {
        try await base.lastDeliveryChange(brand: brand)
    }
    package func deliveryStats(
        brand: BrandID,
        window: StatsWindow,
        now: Timestamp
    ) async throws(StorageError) -> DeliveryStats {
        try await base.deliveryStats(brand: brand, window: window, now: now)
    }
    package func onDamage(_ listener: @escaping @Sendable (StorageError) -> Void) { base.onDamage(listener) }
    package func onSessionEnd(_ listener: @escaping @Sendable (SessionEnd) -> Void) { base.onSessionEnd(listener) }
    package func onOutbound(_ listener: @escaping @Sendable (BrandID, Int) -> Void) { base.onOutbound(listener) }
    package func openSubscription(
        brand id: BrandID,
        _ subscription: SubscriptionID,
        fromStart: Bool,
        owner: String?,
        formerOwner: String?,
        now: Timestamp
    ) async throws(StorageError) -> SubscriptionOpening {
        try await base.openSubscription(
            brand: id,
            subscription,
            fromStart: fromStart,
            owner: owner,
            formerOwner: formerOwner,
            now: now
        )
    }
    package func subscriptions(brand: BrandID) async throws(StorageError) -> OutboundOverview {
        try await base.subscriptions(brand: brand)
    }
    package func acknowledge(
        brand: BrandID,
        _ subscription: SubscriptionID,
        upTo: Int64,
        now: Timestamp
    ) async throws(StorageError) -> SubscriptionAck {
        try await base.acknowledge(brand: brand, subscription, upTo: upTo, now: now)
    }
    package func deleteSubscription(
        brand: BrandID,
        _ subscription: SubscriptionID,
        audit: AuditEntry?
    ) async throws(StorageError) -> Bool {
        try await base.deleteSubscription(brand: brand, subscription, audit: audit)
    }
    package func outbound(_ query: OutboundQuery) async throws(StorageError) -> OutboundPage {
        try await base.outbound(query)
    }
    package func webhookState(brand: BrandID) async throws(StorageError) -> WebhookState? {
        try await base.webhookState(brand: brand)
    }
    package func putWebhookState(_ state: WebhookState, brand: BrandID) async throws(StorageError) -> Bool {
        try await base.putWebhookState(state, brand: brand)
    }
    package func replayWebhook(
        brand: BrandID,
        after: Int64,
        audit: AuditEntry?
    ) async throws(StorageError) -> WebhookState? {
        try await base.replayWebhook(brand: brand, after: after, audit: audit)
    }
}

import GatewayModel
import GatewayStorage

/// A real store that tells what the delivery core wrote down about its pushes, once that is committed.
final class RecordingStore: GatewayStore {
    let outcomes = Chronicle<OutcomeRecord>()
    private let base: any GatewayStore

    init(_ base: any GatewayStore) { self.base = base }

    func commit(_ turn: WriterTurn) async throws(StorageError) -> WriterTurnResult {
        let result = try await base.commit(turn)
        outcomes.add(turn.outcomes)
        return result
    }

    func begin(now: Timestamp) async throws(StorageError) -> IncarnationStart { try await base.begin(now: now) }
    func close() async { await base.close() }
    func probe() async throws(StorageError) { try await base.probe() }
    func probeWriting() async throws(StorageError) {
        try await base.probeWriting()
    }
    func keepHouse(_ batch: HousekeepingBatch) async throws(StorageError) -> HousekeepingProgress {
        try await base.keepHouse(batch)
    }
    func insertBrand(_ brand: Brand) async throws(StorageError) { try await base.insertBrand(brand) }
    func updateBrand(_ brand: Brand) async throws(StorageError) -> Bool { try await base.updateBrand(brand) }
    func deleteBrand(_ brand: BrandID) async throws(StorageError) -> [LaneID]? { try await base.deleteBrand(brand) }
    func brands() async throws(StorageError) -> [Brand] { try await base.brands() }
    func putApp(_ app: StoredApp, lanes: [LaneKey]) async throws(StorageError) -> Bool {
        try await base.putApp(app, lanes: lanes)
    }
    func deleteApp(brand: BrandID, app: AppID, now: Timestamp) async throws(StorageError) -> [LaneID]? {
        try await base.deleteApp(brand: brand, app: app, now: now)
    }
    func apps() async throws(StorageError) -> [StoredApp] { try await base.apps() }
    func lanes() async throws(StorageError) -> [LaneID: LaneKey] { try await base.lanes() }
    func insertCredential(_ credential: StoredCredential) async throws(StorageError) {
        try await base.insertCredential(credential)
    }
    func revokeCredential(brand: BrandID, id: String, now: Timestamp) async throws(StorageError) -> Bool {
        try await base.revokeCredential(brand: brand, id: id, now: now)
    }
    func credentials() async throws(StorageError) -> [StoredCredential] { try await base.credentials() }
    func session(tokenHash: [UInt8]) async throws(StorageError) -> StoredSession? {
        try await base.session(tokenHash: tokenHash)
    }
    func consumer(brand: BrandID, id: ConsumerID) async throws(StorageError) -> StoredConsumer? {
        try await base.consumer(brand: brand, id: id)
    }
    func unread(brand: BrandID, consumer: ConsumerID) async throws(StorageError) -> UnreadCounts {
        try await base.unread(brand: brand, consumer: consumer)
    }
    func messages(
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
    func registration(
        brand: BrandID,
        app: AppID,
        device: DeviceID
    ) async throws(StorageError) -> DeviceRegistration? {
        try await base.registration(brand: brand, app: app, device: device)
    }
    func registrations(brand: BrandID, consumer: ConsumerID) async throws(StorageError) -> [DeviceRegistration] {
        try await base.registrations(brand: brand, consumer: consumer)
    }
    func deliveries(_ query: DeliveryQuery) async throws(StorageError) -> DeliveryPage {
        try await base.deliveries(query)
    }
    func delivery(brand: BrandID, id: DeliveryID) async throws(StorageError) -> DeliveryDetail? {
        try await base.delivery(brand: brand, id: id)
    }
}

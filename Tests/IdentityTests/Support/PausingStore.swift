import GatewayModel
import GatewayStorage
import Synchronization

/// The real store, except that a look-up of a session may be held after it was read and before it is answered.
final class PausingStore: GatewayStore {
    private struct State {
        var pausing = false
        var held: [CheckedContinuation<Void, Never>] = []
        var lookUps = 0
    }

    private let real: any GatewayStore
    private let state = Mutex(State())
    private let arrivals: AsyncStream<Void>
    private let arrived: AsyncStream<Void>.Continuation

    init(_ real: any GatewayStore) {
        self.real = real
        (arrivals, arrived) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(16))
    }

    /// How many look-ups came as far as the store.
    var lookUps: Int { state.withLock { $0.lookUps } }

    /// Holds every look-up from now on.
    func pause() { state.withLock { $0.pausing = true } }

    /// Waits until a look-up is held.
    func waitUntilHeld() async {
        for await _ in arrivals { return }
    }

    /// Lets everything go on.
    func resume() {
        let held = state.withLock { state in
            state.pausing = false
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    func session(tokenHash: [UInt8]) async throws(StorageError) -> StoredSession? {
        let session = try await real.session(tokenHash: tokenHash)
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                state.lookUps += 1
                guard state.pausing else { return false }
                state.held.append(continuation)
                return true
            }
            if isHeld { arrived.yield() } else { continuation.resume() }
        }
        return session
    }

    // MARK: Everything else goes through

    func begin(now: Timestamp) async throws(StorageError) -> IncarnationStart { try await real.begin(now: now) }
    func close() async { await real.close() }
    func probe() async throws(StorageError) { try await real.probe() }
    func probeWriting() async throws(StorageError) { try await real.probeWriting() }
    func commit(_ turn: WriterTurn) async throws(StorageError) -> WriterTurnResult { try await real.commit(turn) }
    func keepHouse(_ batch: HousekeepingBatch) async throws(StorageError) -> HousekeepingProgress {
        try await real.keepHouse(batch)
    }
    func insertBrand(_ brand: Brand) async throws(StorageError) { try await real.insertBrand(brand) }
    func updateBrand(_ brand: Brand) async throws(StorageError) -> Bool { try await real.updateBrand(brand) }
    func deleteBrand(_ brand: BrandID) async throws(StorageError) -> [LaneID]? { try await real.deleteBrand(brand) }
    func brands() async throws(StorageError) -> [Brand] { try await real.brands() }

    func putApp(_ app: StoredApp, lanes: [LaneKey]) async throws(StorageError) -> Bool {
        try await real.putApp(app, lanes: lanes)
    }

    func deleteApp(brand: BrandID, app: AppID, now: Timestamp) async throws(StorageError) -> [LaneID]? {
        try await real.deleteApp(brand: brand, app: app, now: now)
    }

    func apps() async throws(StorageError) -> [StoredApp] { try await real.apps() }
    func lanes() async throws(StorageError) -> [LaneID: LaneKey] { try await real.lanes() }

    func insertCredential(_ credential: StoredCredential) async throws(StorageError) {
        try await real.insertCredential(credential)
    }

    func revokeCredential(brand: BrandID, id: String, now: Timestamp) async throws(StorageError) -> Bool {
        try await real.revokeCredential(brand: brand, id: id, now: now)
    }

    func credentials() async throws(StorageError) -> [StoredCredential] { try await real.credentials() }

    func consumer(brand: BrandID, id: ConsumerID) async throws(StorageError) -> StoredConsumer? {
        try await real.consumer(brand: brand, id: id)
    }

    func unread(brand: BrandID, consumer: ConsumerID) async throws(StorageError) -> UnreadCounts {
        try await real.unread(brand: brand, consumer: consumer)
    }

    func messages(
        brand: BrandID,
        consumer: ConsumerID,
        conversation: ConversationID?,
        afterSequence: Int64,
        after: MessageID?,
        limit: Int
    ) async throws(StorageError) -> [Message]? {
        try await real.messages(
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
        try await real.registration(brand: brand, app: app, device: device)
    }

    func registrations(brand: BrandID, consumer: ConsumerID) async throws(StorageError) -> [DeviceRegistration] {
        try await real.registrations(brand: brand, consumer: consumer)
    }

    func deliveries(_ query: DeliveryQuery) async throws(StorageError) -> DeliveryPage {
        try await real.deliveries(query)
    }

    func delivery(brand: BrandID, id: DeliveryID) async throws(StorageError) -> DeliveryDetail? {
        try await real.delivery(brand: brand, id: id)
    }
}

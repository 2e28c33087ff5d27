import GatewayModel
import GatewayStorage
import Testing

/// A store with one brand, one app and its lanes, and short helpers for the cases; confined to its case.
final class ContractFixture {
    static let settings = BrandSettings()
    let engine: any ContractEngine
    let brand = BrandID(trusted: "acme")
    let app = AppID(trusted: "shop")
    private(set) var store: any GatewayStore
    private(set) var incarnation: IncarnationID
    private(set) var apns: LaneID
    private(set) var fcm: LaneID
    /// The time of the next turn; only a case moves it.
    var now = Timestamp(milliseconds: 1_767_323_045_678)
    var budgets: LaneBudgets = [:]
    /// The windows that are open in the next turn.
    var windows = OpenWindows()
    private var generator = MessageIDGenerator()
    private var events = 0

    init(engine: any ContractEngine) async throws {
        self.engine = engine
        store = try await engine.open()
        apns = LaneID(0)
        fcm = LaneID(0)
        incarnation = IncarnationID(0)
        incarnation = try await store.begin(now: now).incarnation
        try await makeBrand(brand, app: app)
        apns = try await lane(brand, app, .apns)
        fcm = try await lane(brand, app, .fcm)
    }

    /// The brand's webhook, if a case gives it one.
    var webhook: OutboundReceiver { OutboundReceiver(brand: brand) }

    // MARK: Brands and lanes

    func makeBrand(_ brand: BrandID, app: AppID) async throws {
        try await store.insertBrand(Brand(id: brand, name: "Acme", settings: Self.settings, createdAt: now), audit: nil)
        _ = try await putApp(brand, app)
    }

    func makeOtherBrand() async throws -> BrandID {
        let other = BrandID(trusted: "other")
        try await makeBrand(other, app: app)
        return other
    }

    func putApp(_ brand: BrandID, _ app: AppID) async throws -> Bool {
        try await store.putApp(
            StoredApp(brand: brand, id: app, sealedSettings: [1, 2, 0, 3], updatedAt: now),
            lanes: [
                LaneKey(brand: brand, app: app, pushType: .apns, environment: .production),
                LaneKey(brand: brand, app: app, pushType: .apns, environment: .sandbox),
                LaneKey(brand: brand, app: app, pushType: .fcm, environment: .production),
            ],
            audit: nil
        )
    }

    func lane(
        _ brand: BrandID,
        _ app: AppID,
        _ pushType: PushType,
        _ environment: PushEnvironment = .production
    ) async throws -> LaneID {
        let key = LaneKey(brand: brand, app: app, pushType: pushType, environment: environment)
        return try #require(try await store.lanes().first { $0.value == key }?.key)
    }

    // MARK: Restarts

    /// Ends this process and starts the next one on the same data, with the quiet hours of `quietUntil`.
    func restart(quietUntil: @escaping QuietUntil = { _, _ in nil }) async throws -> IncarnationStart {
        await store.close()
        store = try await engine.reopen(store)
        let start = try await store.begin(now: now, quietUntil: quietUntil)
        incarnation = start.incarnation
        windows = OpenWindows()
        return start
    }

    // MARK: Turns

    func turn() -> WriterTurn {
        var turn = WriterTurn(now: now, incarnation: incarnation)
        turn.budgets = budgets
        turn.windows = windows
        return turn
    }

    @discardableResult
    func commit(_ fill: (inout WriterTurn) -> Void) async throws -> WriterTurnResult {
        var turn = turn()
        fill(&turn)
        let result = try await store.commit(turn)
        #expect(result.outcomes.count == turn.outcomes.count)
        #expect(result.changes.count == turn.changes.count)
        #expect(result.accepts.map(\.count) == turn.accepts.map(\.events.count))
        #expect(result.claims.map(\.lane) == turn.claims.map(\.lane))
        return result
    }

    func request(_ events: [AgentEvent], brand: BrandID? = nil) -> AcceptRequest {
        AcceptRequest(
            brand: brand ?? self.brand,
            messageTtlSeconds: Self.settings.messageTtlSeconds,
            dedupeHours: Self.settings.dedupeHours,
            events: events.map { PostedEvent($0, generator.next(at: now)) }
        )
    }

    /// Runs one turn with these events in one request.
    func accept(_ events: AgentEvent...) async throws -> [EventResult] {
        let request = request(events)
        let result = try await commit { $0.accepts = [request] }
        return try #require(result.accepts.first)
    }

    /// Runs one turn with one event that must be accepted.
    @discardableResult
    func accepted(_ event: AgentEvent) async throws -> AcceptedEvent {
        try #require(try await accept(event).first).acceptedEvent
    }

    /// Runs one turn with one change.
    @discardableResult
    func change(_ change: StoreChange) async throws -> StoreChangeResult {
        try #require(try await commit { $0.changes = [change] }.changes.first)
    }

    /// Runs one turn with one outcome.
    @discardableResult
    func outcome(_ outcome: OutcomeRecord) async throws -> OutcomeEffect {
        try #require(try await commit { $0.outcomes = [outcome] }.outcomes.first)
    }

    /// Returns the queue of agents' messages of a lane.
    func agents(_ lane: LaneID) -> LaneQueue { LaneQueue(lane, .agent) }

    /// Runs one turn with one claim.
    func claim(_ lane: LaneID? = nil, queue: OutboxQueue = .agent, limit: Int = 100) async throws -> ClaimResult {
        let request = ClaimRequest(lane: lane ?? apns, queue: queue, limit: limit)
        return try #require(try await commit { $0.claims = [request] }.claims.first)
    }

    /// Runs a whole pass of housekeeping in batches of `limit`; returns the number of removed rows.
    func runHousekeeping(_ work: HousekeepingBatch.Work, limit: Int = 100) async throws -> Int {
        var batch = HousekeepingBatch(work: work, now: now, limit: limit)
        var removed = 0
        repeat {
            let progress = try await store.runHousekeeping(batch)
            #expect(progress.removed <= limit && progress.heldMilliseconds >= 0)
            #expect(progress.next == nil || progress.next != batch.position || progress.removed > 0)
            removed += progress.removed
            batch.position = progress.next
        } while batch.position != nil
        return removed
    }

    // MARK: Windows

    func name(_ consumer: String) -> ConsumerName {
        ConsumerName(brand: brand, consumer: ConsumerID(trusted: consumer))
    }

    func openWindow(_ consumer: String, device: String? = nil) {
        windows.open(name(consumer), device: device.map(DeviceID.init(trusted:)))
    }

    func closeWindow(_ consumer: String, device: String? = nil) {
        windows.close(name(consumer), device: device.map(DeviceID.init(trusted:)))
    }

    func wait(seconds: Int64) { now = now.adding(seconds: seconds) }

    /// Moves the time ten days ahead; returns a retention of one day.
    func age() -> [BrandID: Timestamp] {
        wait(seconds: 10 * 86_400)
        return [brand: now.adding(seconds: -86_400)]
    }

    /// Returns the ids of a consumer's conversations, oldest first.
    func conversationIDs(of consumer: String) async throws -> [String] {
        let id = ConsumerID(trusted: consumer)
        return try await store.conversations(brand: brand, consumer: id, after: nil, limit: 100)?
            .map(\.unread.id.rawValue) ?? []
    }

    /// Returns a change with the next message id.
    func numbered(_ change: StoreChange) -> StoreChange {
        var change = change
        change.number { generator.next(at: now) }
        return change
    }

    // MARK: Events

    /// Returns an agent's message with an id of its own.
    func message(
        _ consumer: String,
        in conversation: String? = "c-1",
        id: String? = nil,
        text: String = "Your order has shipped"
    ) -> AgentEvent {
        var event = event(.agentMessage, consumer, in: conversation, id: id)
        event.text = text
        return event
    }

    func proactive(_ consumer: String, in conversation: String? = "c-1") -> AgentEvent {
        var event = event(.proactiveMessage, consumer, in: conversation)
        event.kind = .proactive
        event.text = "A table is free tonight"
        return event
    }

    func readEvent(
        _ consumer: String,
        in conversation: String,
        _ target: ReadTarget,
        id: String? = nil
    ) -> AgentEvent {
        var event = event(.messagesRead, consumer, in: conversation, id: id)
        event.readTarget = target
        return event
    }

    func event(_ type: EventType, _ consumer: String, in conversation: String?, id: String? = nil) -> AgentEvent {
        events += 1
        var event = AgentEvent(
            id: EventID(trusted: id ?? "evt-\(events)"),
            type: type,
            consumer: ConsumerID(trusted: consumer)
        )
        event.conversation = conversation.map(ConversationID.init(trusted:))
        event.bodyHash = 0xFEED_0000_0000_0001
        return event
    }

    // MARK: Devices

    func device(
        _ device: String,
        of consumer: String,
        token: String? = nil,
        app: AppID? = nil,
        pushType: PushType = .apns,
        environment: PushEnvironment = .production,
        receives: Receives = .all
    ) -> DeviceToRegister {
        DeviceToRegister(
            brand: brand,
            app: app ?? self.app,
            device: DeviceID(trusted: device),
            consumer: ConsumerID(trusted: consumer),
            token: token ?? "token-of-\(device)",
            pushType: pushType,
            environment: environment,
            platform: pushType == .apns ? .ios : .android,
            receives: receives
        )
    }

    @discardableResult
    func register(_ device: DeviceToRegister) async throws -> RegistrationChange {
        let result = try await change(.register(device))
        guard case .registered(let change) = result else { throw Unexpected(what: "\(result)") }
        return change
    }

    @discardableResult
    func register(_ device: String, of consumer: String) async throws -> RegistrationChange {
        try await register(self.device(device, of: consumer))
    }

    // MARK: Stored data

    func unread(_ consumer: String) async throws -> Int64 {
        try await store.unread(brand: brand, consumer: ConsumerID(trusted: consumer)).total
    }

    func messages(_ consumer: String, in conversation: String) async throws -> [Message] {
        try await store.messages(
            brand: brand,
            consumer: ConsumerID(trusted: consumer),
            conversation: ConversationID(trusted: conversation),
            afterSequence: 0,
            after: nil,
            limit: 500
        ) ?? []
    }

    /// Returns all deliveries, newest first.
    func deliveries() async throws -> [DeliveryRecord] {
        try await store.deliveries(DeliveryQuery(brand: brand, limit: 500)).items
    }

    func delivery(_ id: DeliveryID) async throws -> DeliveryDetail {
        try #require(try await store.delivery(brand: brand, id: id))
    }

    func registrations(_ consumer: String) async throws -> [DeviceRegistration] {
        try await store.registrations(brand: brand, consumer: ConsumerID(trusted: consumer))
    }
}

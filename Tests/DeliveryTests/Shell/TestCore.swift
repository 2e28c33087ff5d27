import Delivery
import Foundation
import GatewayModel
import GatewayStorage
import Logging
import Metrics
import PushProviders
import SQLiteStorage
import ServiceLifecycle
import Synchronization
import Telemetry

/// A delivery core on a real SQLite file, with one brand, one iOS app and a scripted provider.
final class TestCore: LaneDirectory {
    static let brand = Brand(
        id: BrandID(trusted: "brand"),
        name: "Brand",
        settings: BrandSettings(),
        createdAt: Timestamp(milliseconds: 1)
    )
    static let lane = LaneKey(
        brand: brand.id,
        app: AppID(trusted: "app"),
        pushType: .apns,
        environment: .production
    )

    let folder: URL
    let respond: ScriptedProvider.Responder
    /// Called before a provider is created; false creates none, as while a credential is being loaded.
    let mayMake = Mutex<@Sendable () -> Bool>({ true })
    /// The lanes that are paused at the next start.
    let pausedAtStart = Mutex<[LaneID]>([])
    /// The paces of lanes at the next start, in pushes a second.
    let pacedAtStart = Mutex<[LaneID: Int64]>([:])
    private let made = Mutex<[ScriptedProvider]>([])
    private let waiting = Mutex<[CheckedContinuation<ScriptedProvider, Never>]>([])

    init(respond: @escaping ScriptedProvider.Responder = { _ in .accepted(providerID: "id") }) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("core-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.respond = respond
        owner = nil
    }

    /// Creates another process on the data of an earlier one, with a provider that accepts everything.
    init(sharing other: TestCore) throws {
        folder = other.folder
        respond = { _ in .accepted(providerID: "id") }
        owner = other
    }

    /// The core that owns the folder, kept until its last user is released.
    private let owner: TestCore?

    deinit {
        if owner == nil { try? FileManager.default.removeItem(at: folder) }
    }

    func lane(_ id: LaneID) -> LaneDescription? {
        LaneDescription(id: id, key: Self.lane, app: AppSettings(platform: .ios), brand: Self.brand)
    }

    var pausedLanes: [LaneID] { pausedAtStart.withLock { $0 } }

    var lanePaces: [LaneID: Int64] { pacedAtStart.withLock { $0 } }

    private func makeProvider(source: any PushSource) -> (any PushProvider)? {
        guard mayMake.withLock({ $0 })() else { return nil }
        let provider = ScriptedProvider(source: source, respond: respond)
        made.withLock { $0.append(provider) }
        let ready = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for continuation in ready { continuation.resume(returning: provider) }
        return provider
    }

    /// The providers that were created since the core started.
    var providers: [ScriptedProvider] { made.withLock { $0 } }

    /// The newest provider, once there is one.
    func provider() async -> ScriptedProvider {
        if let provider = made.withLock({ $0.last }) { return provider }
        return await withCheckedContinuation { continuation in
            waiting.withLock { $0.append(continuation) }
            if let provider = made.withLock({ $0.last }) {
                let mine = waiting.withLock { waiting in
                    defer { waiting = [] }
                    return waiting
                }
                for continuation in mine { continuation.resume(returning: provider) }
            }
        }
    }

    /// Runs a test against a started core, then stops it as SIGTERM does.
    func run(
        settings: DeliverySettings = DeliverySettings(),
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        tracer: TraceRecorder? = nil,
        _ test: @escaping @Sendable (DeliveryService, FaultyStore) async throws -> Void
    ) async throws {
        let path = folder.appendingPathComponent("test.sqlite").path
        let sqlite: any GatewayStore = try SQLiteStore.open(path: path, logger: logger)
        let store = FaultyStore(sqlite)
        if try await sqlite.brands().isEmpty {
            try await sqlite.insertBrand(Self.brand, audit: nil)
            _ = try await sqlite.putApp(
                StoredApp(
                    brand: Self.brand.id,
                    id: Self.lane.app,
                    sealedSettings: [],
                    updatedAt: Timestamp(milliseconds: 1)
                ),
                lanes: [Self.lane],
                audit: nil
            )
        }
        made.withLock { $0 = [] }
        let service = DeliveryService(
            store: store,
            directory: self,
            makeProvider: { _, source in self.makeProvider(source: source) },
            settings: settings,
            clock: SystemClock(),
            metrics: DeliveryMetrics(factory: NOOPMetricsHandler.instance),
            logger: logger,
            tracer: tracer
        )
        _ = try await service.start()
        let group = ServiceGroup(configuration: .init(services: [.init(service: service)], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            do {
                try await test(service, store)
            } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        await sqlite.close()
    }

    static func event(_ id: String, consumer: String = "u1", conversation: String? = nil) -> AgentEvent {
        var event = AgentEvent(id: EventID(trusted: id), type: .agentMessage, consumer: ConsumerID(trusted: consumer))
        event.text = "text of \(id)"
        event.conversation = ConversationID(trusted: conversation ?? "c-\(consumer)")
        event.bodyHash = UInt64(id.utf8.reduce(7) { ($0 &* 31) &+ Int($1) } & Int.max)
        return event
    }

    static func device(_ device: String, consumer: String = "u1") -> DeviceToRegister {
        DeviceToRegister(
            brand: brand.id,
            app: lane.app,
            device: DeviceID(trusted: device),
            consumer: ConsumerID(trusted: consumer),
            token: "token-of-\(device)",
            pushType: .apns,
            environment: .production,
            platform: .ios,
            receives: .all
        )
    }
}

extension DeliveryLogStore {
    /// Returns all deliveries of the test's brand, oldest first.
    func allDeliveries() async throws -> [DeliveryRecord] {
        try await deliveries(DeliveryQuery(brand: TestCore.brand.id, limit: 500)).items.reversed()
    }
}

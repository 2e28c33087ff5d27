import Cryptography
import Delivery
import Foundation
import GatewayModel
import GatewayStorage
import HTTP2Connections
import HTTPTransfers
import Logging
import NIOCore
import NIOPosix
import PushProviders
import PushSimulator
import SQLiteStorage
import ServiceLifecycle
import Synchronization
import Telemetry
import TestSupport
import Testing

/// The delivery core on a real SQLite file with the real providers, connected to the simulator over TLS and HTTP/2;
/// both use one clock that the test controls.
final class SendingFixture: Sendable {
    static let brand = Brand(
        id: BrandID(trusted: "bank"),
        name: "Bank",
        settings: BrandSettings(),
        createdAt: Timestamp(milliseconds: 1)
    )

    let simulator: PushSimulator
    let store: RecordingStore
    let service: DeliveryService
    let clock: TestClock
    let providerClock: ProviderClock
    let logs: EventRecorder<LogLines.Line>
    let registry: PrometheusRegistry
    private let directory: FixtureDirectory
    private let lastEvent = Mutex(0)

    private init(
        simulator: PushSimulator,
        store: RecordingStore,
        clock: TestClock,
        providerClock: ProviderClock,
        settings: DeliverySettings,
        directory: FixtureDirectory,
        factory: PushProviderFactory
    ) {
        self.simulator = simulator
        self.store = store
        self.clock = clock
        self.providerClock = providerClock
        self.directory = directory
        // With a clock that only tests advance they would wait for ever.
        var settings = settings
        settings.outcomeWaitMilliseconds = 0
        let lines = EventRecorder<LogLines.Line>()
        logs = lines
        registry = PrometheusRegistry()
        service = DeliveryService(
            store: store,
            directory: directory,
            makeProvider: { lane, source in
                try factory.make(lane: lane.key, app: lane.app, brand: lane.brand, source: source)
            },
            settings: settings,
            clock: clock,
            metrics: DeliveryMetrics(factory: registry),
            logger: Logger(label: "sending") { _ in LogLines(lines) }
        )
        registry.addCollector { [service] in service.recordGauges() }
    }

    /// Runs a test with a new simulator, then shuts everything down as after a SIGTERM.
    ///
    /// - Parameters:
    ///   - apps: The apps by name; the simulator's own team and service account are ``Apps/ios(_:)`` and
    ///     ``Apps/android(_:)``.
    ///   - settings: The settings of the core.
    ///   - providers: The limits of providers.
    ///   - test: The test.
    /// - Throws: The error of the test, or of starting or stopping a component.
    static func run(
        apps: (PushSimulator) throws -> [String: AppSettings] = Apps.usual,
        settings: DeliverySettings = DeliverySettings(),
        providers: PushProviderConfiguration = SendingFixture.quickProviders,
        _ test: (SendingFixture) async throws -> Void
    ) async throws {
        let clock = TestClock(now: Timestamp(milliseconds: 1_800_000_000_000))
        let providerClock = ProviderClock(clock)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sending-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = SimulatorConfiguration()
        configuration.control = nil
        configuration.certificates = try SharedCredentials.copy(into: folder)
        configuration.clock = { providerClock.now }
        let simulator = try await PushSimulator.start(configuration)
        let client = TransferClient(trustRootsFile: simulator.credentials.authorityFile)
        let result: Result<Void, any Error>
        do {
            let quiet = Logger(label: "sending") { _ in SwiftLogNoOpLogHandler() }
            let factory = try PushProviderFactory(
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
                trustRootsFile: simulator.credentials.authorityFile,
                httpClient: client,
                clock: clock,
                logger: quiet,
                configuration: providers
            )
            let base = try SQLiteStore.open(path: folder.appendingPathComponent("test.sqlite").path, logger: quiet)
            let store = RecordingStore(base)
            let apps = try apps(simulator)
            let directory = try await FixtureDirectory(apps: apps, store: base)
            let fixture = SendingFixture(
                simulator: simulator,
                store: store,
                clock: clock,
                providerClock: providerClock,
                settings: settings,
                directory: directory,
                factory: factory
            )
            try await fixture.live(test)
            await base.close()
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await simulator.stop()
        await client.close(isCancelling: true)
        try result.get()
    }

    /// Short waits between dials and token fetches, for fast tests.
    static var quickProviders: PushProviderConfiguration {
        var configuration = PushProviderConfiguration()
        configuration.connection.backoffBase = .milliseconds(1)
        configuration.connection.backoffCap = .milliseconds(2)
        configuration.tokenBackoffBase = .milliseconds(1)
        configuration.tokenBackoffCap = .milliseconds(2)
        return configuration
    }

    private func live(_ test: (SendingFixture) async throws -> Void) async throws {
        _ = try await service.start()
        let quiet = Logger(label: "sending") { _ in SwiftLogNoOpLogHandler() }
        let group = ServiceGroup(configuration: .init(services: [.init(service: service)], logger: quiet))
        let running = Task { try await group.run() }
        let result: Result<Void, any Error>
        do {
            try await test(self)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        // The shutdown must not wait for a silent provider.
        simulator.setRules([])
        await group.triggerGracefulShutdown()
        try await running.value
        try result.get()
    }

    // MARK: - Devices and events

    /// Registers a device for the consumer of its name.
    func register(_ device: Device, token: String? = nil) async throws {
        _ = try await service.perform(
            .register(
                DeviceToRegister(
                    brand: Self.brand.id,
                    app: AppID(trusted: device.app),
                    device: DeviceID(trusted: device.name),
                    consumer: device.consumer,
                    token: token ?? device.token,
                    pushType: device.pushType,
                    environment: device.environment,
                    platform: device.platform ?? (device.pushType == .apns ? .ios : .android),
                    receives: .all
                )
            )
        )
    }

    /// Returns the stored device; nil when it was removed.
    func registration(of device: Device) async throws -> DeviceRegistration? {
        try await store.base.registration(
            brand: Self.brand.id,
            app: AppID(trusted: device.app),
            device: DeviceID(trusted: device.name)
        )
    }

    /// Posts events for consumers, each with one delivery for each of their devices.
    func post(to devices: [Device]) async throws {
        let events = lastEvent.withLock { last in
            devices.map { device in
                last += 1
                var event = AgentEvent(
                    id: EventID(trusted: "e\(last)"),
                    type: .agentMessage,
                    consumer: device.consumer
                )
                event.text = "Your card is on its way"
                event.conversation = ConversationID(trusted: "c-\(device.name)")
                event.bodyHash = UInt64(last)
                return event
            }
        }
        _ = try await service.accept(brand: Self.brand, events: events)
    }

    /// Returns the deliveries of a device, oldest first.
    func deliveries(to device: Device) async throws -> [DeliveryRecord] {
        var query = DeliveryQuery(brand: Self.brand.id, limit: 500)
        query.consumer = device.consumer
        return try await store.base.deliveries(query).items.reversed()
    }

    /// Waits until this many attempts of a device's pushes have recorded results.
    func outcomes(of device: Device, count: Int) async throws -> [OutcomeRecord] {
        try await outcomes(of: #require(try await registration(of: device)).id, count: count)
    }

    /// Waits until this many attempts of a registration's pushes have recorded results.
    ///
    /// A requeued push that was not sent is no attempt, and counts only with `unsent`.
    func outcomes(
        of registration: RegistrationID,
        count: Int,
        unsent: Bool = false
    ) async throws -> [OutcomeRecord] {
        @Sendable func own(_ all: [OutcomeRecord]) -> [OutcomeRecord] {
            all.filter { record in
                guard record.registration == registration else { return false }
                if unsent, case .release = record.disposition { return true }
                return record.response != nil
            }
        }
        let found = own(await store.outcomes.wait { own($0).count >= count })
        // Fewer only after the test's time limit.
        try #require(found.count >= count)
        return found
    }

    /// Returns the pushes that the simulator received for a device's token, in order.
    func pushes(to device: Device) -> [SimulatedPush] {
        simulator.pushes.filter { $0.token == device.token }
    }

    /// Changes an app's settings, like an operator who corrects a credential.
    func set(_ app: String, _ settings: AppSettings) {
        service.lanesChanged(directory.set(app, settings), .credential)
    }

    // MARK: - Time

    /// Advances the clock, and makes the writer read it.
    func advance(seconds: Int64) async throws {
        clock.advance(seconds: seconds)
        _ = try await service.perform(
            .upsertConsumer(
                brand: Self.brand.id,
                id: ConsumerID(trusted: "nobody"),
                anonymous: false,
                profile: ConsumerProfile()
            )
        )
    }

    /// Returns the value of a metric; nil when it was never counted.
    func metric(_ series: String) -> Int? {
        let line = registry.render().split(separator: "\n").first { $0.hasPrefix(series + " ") }
        return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) }
    }
}

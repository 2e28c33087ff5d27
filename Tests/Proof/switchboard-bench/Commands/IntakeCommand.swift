import ArgumentParser
import Delivery
import Foundation
import GatewayHTTP
import GatewayModel
import GatewayStorage
import GuardedHTTP
import Hummingbird
import Identity
import Logging
import NIOCore
import ProcessHarness
import PushProviders
import ServiceLifecycle
import Telemetry

/// The processes of ``IntakeScenario``: the gateway's server and delivery core over a store, real or not, without
/// lanes.
struct IntakeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "intake",
        abstract: "Accept events over HTTP and send nothing (used by 'run').",
        shouldDisplay: false
    )

    @Option(help: "The database file.")
    var database: String
    @Flag(help: "Store no event.")
    var discard = false
    @Option(help: "The bearer token of the back-end.")
    var adminToken: String
    @Option(help: "The number of consumers with a device.")
    var consumers: Int

    func run() async throws {
        var logger = Logger(label: "bench")
        logger.logLevel = .critical
        let clock = SystemClock()
        let fixture = try StoreFixture(path: database, consumers: consumers)
        let store = fixture.store
        let turns: any TurnStore & HealthStore = if discard { NotStoringStore() } else { store }
        let box = SecretBox(key: MasterKey())
        let directory = try await Directory.load(store: store, box: box, clock: clock, reader: AnySettings())
        let brand = BrandID(trusted: Installation.brand)
        try await directory.createBrand(
            Brand(id: brand, name: "Bench", settings: BrandSettings(), createdAt: clock.now)
        )
        let apns = APNsSettings(teamId: "T", keyId: "K", privateKey: "none", topic: "bench")
        _ = try await directory.putApp(
            brand: brand,
            app: AppID(trusted: Installation.iosApp),
            settings: AppSettings(platform: .ios, apns: apns)
        )
        if discard {
            let account = try await directory.issue(
                .serviceAccount(scopes: [.eventsWrite]),
                brand: brand,
                name: "bench"
            )
            FileHandle.standardOutput.write(Data("account \(account.summary.id):\(account.secret ?? "")\n".utf8))
        } else {
            try await fixture.registerDevices()
        }

        let registry = PrometheusRegistry()
        let delivery = DeliveryService(
            store: turns,
            directory: PausedLanes(),
            makeProvider: { _, _ in nil },
            settings: DeliverySettings(),
            clock: clock,
            metrics: DeliveryMetrics(factory: registry),
            logger: logger
        )
        _ = try await delivery.start()
        let services = GatewayServices(
            store: store,
            delivery: delivery,
            directory: directory,
            admin: try AdminToken(text: adminToken),
            clock: clock,
            identityProviders: GuardedHTTPClient(
                resolver: NoNames(),
                policy: AddressPolicy(),
                maxIdle: 0
            ),
            makeProvider: { _, _, _, _ throws(PushCredentialError) in
                throw PushCredentialError(pointer: "", detail: "this process has no providers")
            },
            metrics: registry,
            renderMetrics: { registry.render(openMetrics: $0) },
            logger: logger
        )
        // Counted, but never reached.
        let limits = ServerLimits(rates: RateLimits(accountPerSecond: 1_000_000))
        let application = GatewayServer(services: services, limits: limits).buildApplication(
            host: "127.0.0.1",
            port: 0
        ) { channel in
            FileHandle.standardOutput.write(Data("listening on \(channel.localAddress?.port ?? 0)\n".utf8))
        }
        // Until it is killed: its stored data is not needed afterwards.
        let group = ServiceGroup(
            services: [delivery, application],
            gracefulShutdownSignals: [],
            logger: logger
        )
        try await group.run()
    }
}

/// Accepts every app unchanged; nothing is sent here.
private struct AnySettings: AppSettingsReader {
    func open(_ app: AppSettings) -> Result<AppSettings, SettingsProblem> { .success(app) }
    func problems(_ app: AppSettings) -> [SettingsProblem] { [] }
    func certificate(_ app: AppSettings) -> APNsCertificateFacts? { nil }
}

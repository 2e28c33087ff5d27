import AsyncHTTPClient
import Delivery
import GatewayModel
import GatewayStorage
import GuardedHTTP
import Identity
import IdentityProviders
import Logging
import Outbound
import SQLiteStorage
import Synchronization
import Telemetry

@testable import GatewayHTTP

/// Accepts every app; its certificates have no expiry.
private struct TestSettingsReader: AppSettingsReader {
    func open(_ app: AppSettings) -> Result<AppSettings, SettingsProblem> { .success(app) }
    func problems(_ app: AppSettings) -> [SettingsProblem] { [] }
    func certificate(_ app: AppSettings) -> APNsCertificateFacts? { nil }
}

extension TestGateway {
    static func makeStore(_ path: String, _ logger: Logger) throws -> any GatewayStore {
        try SQLiteStore.open(path: path, logger: logger)
    }

    static func makeServices(
        _ data: SharedData,
        delivery: DeliveryService,
        lanes: TestLanes,
        metrics: TestMetrics,
        logger: Logger
    ) async throws -> GatewayServices {
        let (store, clock) = (data.store, data.clock)
        let directory = try await Directory.load(
            store: store,
            box: data.box,
            clock: clock,
            reader: TestSettingsReader()
        )
        lanes.directory.withLock { $0 = directory }
        directory.onChange { change in
            delivery.lanesChanged(change.changedLanes, change.laneChange)
            delivery.lanesRemoved(change.removedLanes)
        }
        let providerMetrics = IdentityProviderMetrics(factory: metrics.factory)
        let providers = GuardedHTTPClient(
            resolver: NoNames(),
            configuration: HTTPClient.Configuration(),
            policy: AddressPolicy(allowsLoopback: true),
            maxIdle: 0
        )
        var services = GatewayServices(
            store: store,
            delivery: delivery,
            directory: directory,
            accounts: ServiceAccountAuthenticator(directory: directory, clock: clock),
            admin: try AdminToken(text: adminToken),
            sessions: SessionService(
                store: store,
                directory: directory,
                writer: DeliverySessionWriter(delivery: delivery),
                clock: clock
            ),
            assertions: AssertionVerifier(
                directory: directory,
                publishedKeys: JWKSetCache(
                    client: providers,
                    clock: clock,
                    metrics: providerMetrics,
                    logger: logger
                ),
                clock: clock
            ),
            codes: CodeExchange(
                directory: directory,
                store: store,
                client: providers,
                clock: clock,
                metrics: providerMetrics,
                logger: logger
            ),
            clock: clock,
            logger: logger,
            metrics: HTTPMetrics(factory: metrics.factory),
            renderMetrics: { metrics.response }
        )
        let notifier = FeedNotifier(limitPerBrand: 1)
        store.onOutbound { brand, _ in notifier.notify(brand) }
        services.outbound = OutboundServices(notifier: notifier, addresses: AddressPolicy(allowsLoopback: true))
        services.makeProvider = { _, _, _, source in AcceptingProvider(source: source, clock: clock) }
        return services
    }
}

/// Identity providers are on this host here, by their address.
private struct NoNames: HostResolver {
    func addresses(of host: String, for _: String) async -> [InternetAddress] { [] }
}

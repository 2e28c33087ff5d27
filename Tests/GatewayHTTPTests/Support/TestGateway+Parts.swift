import CoreMetrics
import Delivery
import GatewayModel
import GatewayStorage
import GuardedHTTP
import Identity
import Logging
import Messaging
import Outbound
import SQLiteStorage
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
        presence: TestPresence,
        windows: WindowLimits,
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
        let delivery = data.delivery ?? makeDelivery(data, directory, logger)
        let notifier = FeedNotifier(limitPerBrand: 1)
        store.onOutbound { brand, _ in notifier.notify(brand) }
        let policy = AddressPolicy(allowsLoopback: true)
        return GatewayServices(
            store: store,
            delivery: delivery,
            directory: directory,
            admin: try AdminToken(text: adminToken),
            clock: clock,
            keeper: data.keeper,
            identityProviders: GuardedHTTPClient(
                resolver: NoNames(),
                policy: policy,
                maxIdle: 0
            ),
            outbound: OutboundServices(notifier: notifier, addresses: policy),
            presence: presence,
            windowLimits: windows,
            passwordCost: PasswordHash.Cost(logarithm: 1, blockSize: 1, repetitions: 1),
            operatorProvider: data.operatorProvider,
            makeProvider: { _, _, _, source in AcceptingProvider(source: source, clock: clock) },
            metrics: metrics.factory,
            renderMetrics: { $0 ? metrics.openMetrics : metrics.response },
            logger: logger
        )
    }

    private static func makeDelivery(_ data: SharedData, _ directory: Directory, _ logger: Logger) -> DeliveryService {
        let clock = data.clock
        var settings = DeliverySettings()
        // On a clock that stands still they would wait forever.
        settings.outcomeWaitMilliseconds = 0
        return DeliveryService(
            store: data.store,
            directory: directory,
            makeProvider: { _, source in AcceptingProvider(source: source, clock: clock) },
            settings: settings,
            clock: clock,
            metrics: DeliveryMetrics(factory: NOOPMetricsHandler.instance),
            logger: logger
        )
    }
}

/// Identity providers are on this host here, by their address.
struct NoNames: HostResolver {
    func addresses(of host: String, for _: String) async -> [InternetAddress] { [] }
}

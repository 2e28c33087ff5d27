import CoreMetrics
import GatewayHTTP
import GatewayModel
import GatewayStorage
import GuardedHTTP
import Identity
import Logging
import Outbound
import PushProviders
import ServiceLifecycle
import Telemetry

/// The outbound feed and the webhooks of one gateway, wired together.
struct GatewayOutbound: Sendable {
    /// What the routes stand on.
    let services: OutboundServices
    /// Posts to the webhooks.
    let webhooks: WebhookService
    /// Lets the readers that wait go when the gateway stops.
    let readers: OutboundBellService

    /// Puts them together; nothing is posted before ``webhooks`` runs.
    ///
    /// - Parameters:
    ///   - store: Where items and marks are.
    ///   - directory: Where items go.
    ///   - settings: The settings.
    ///   - resolver: Looks webhooks' names up.
    ///   - policy: What webhooks may reach.
    ///   - registry: The metrics.
    ///   - logger: For what operators should know.
    init(
        store: any GatewayStore,
        directory: Directory,
        settings: GatewaySettings,
        resolver: SystemResolver,
        policy: AddressPolicy,
        registry: PrometheusRegistry,
        logger: Logger
    ) {
        let metrics = OutboundMetrics(factory: registry)
        let bell = OutboundBell()
        let client = PushProviderFactory.httpClientConfiguration(trustRootsFile: settings.provider.trustRoots)
        let webhooks = WebhookService(
            store: store,
            directory: GatewayWebhookDirectory(directory: directory),
            makeSender: {
                HTTPWebhookSender(
                    client: GuardedHTTPClient(
                        resolver: resolver,
                        configuration: client,
                        policy: policy,
                        maxIdle: 1
                    )
                )
            },
            clock: SystemClock(),
            metrics: metrics,
            logger: logger
        )
        store.onOutbound { brand, count in
            metrics.items.increment(by: count)
            bell.ring(brand)
            webhooks.newItems(brand)
        }
        directory.onChange { _ in webhooks.changed() }
        registry.addCollector { metrics.record(waitingReaders: bell.waiting) }
        self.webhooks = webhooks
        readers = OutboundBellService(bell: bell)
        services = OutboundServices(bell: bell, addresses: policy) { webhooks.changed() }
    }
}

import CoreMetrics
import GatewayHTTP
import GatewayModel
import GatewayStorage
import GuardedHTTP
import Identity
import Logging
import Outbound
import ServiceLifecycle
import Telemetry

/// The outbound feed and the webhooks of one gateway.
struct GatewayOutbound: Sendable {
    /// The services that the routes use.
    let services: OutboundServices
    /// Posts to the webhooks.
    let webhooks: WebhookService
    /// Posts operator events; nil without a webhook for them.
    let operators: (webhook: OperatorWebhook, sender: HTTPWebhookSender)?
    /// Releases long-polling readers when the gateway stops.
    let readers: FeedNotifierService

    /// Creates the services; nothing is posted before ``webhooks`` runs.
    init(
        store: any FeedStore & WebhookStore,
        directory: Directory,
        settings: GatewaySettings,
        resolver: SystemResolver,
        policy: AddressPolicy,
        proxy: OutboundProxy?,
        operatorWebhook: OperatorWebhookTarget?,
        registry: PrometheusRegistry,
        logger: Logger
    ) {
        let metrics = OutboundMetrics(factory: registry)
        let notifier = FeedNotifier()
        let trustRoots = settings.provider.trustRoots
        let makeSender = { @Sendable in
            HTTPWebhookSender(
                client: GuardedHTTPClient(
                    resolver: resolver,
                    trustRootsFile: trustRoots,
                    policy: policy,
                    proxy: proxy,
                    maxIdle: 1
                )
            )
        }
        let webhooks = WebhookService(
            store: store,
            directory: directory,
            makeSender: makeSender,
            clock: SystemClock(),
            metrics: metrics,
            logger: logger
        )
        store.onOutbound { brand, count in
            metrics.items.increment(by: count)
            notifier.notify(brand)
            webhooks.newItems(brand)
        }
        directory.onChange { _ in webhooks.changed() }
        registry.addCollector { metrics.record(waitingReaders: notifier.waiting) }
        self.webhooks = webhooks
        let operatorMetrics = OperatorMetrics(factory: registry)
        operators = operatorWebhook.map { target in
            let sender = makeSender()
            let webhook = OperatorWebhook(
                url: target.url,
                key: target.secret.key,
                sender: sender,
                clock: SystemClock(),
                metrics: operatorMetrics,
                logger: logger
            )
            return (webhook, sender)
        }
        readers = FeedNotifierService(notifier: notifier)
        services = OutboundServices(notifier: notifier, addresses: policy) { webhooks.changed() }
    }
}

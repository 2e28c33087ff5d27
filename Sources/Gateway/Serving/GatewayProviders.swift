import GatewayClient
import GatewayModel
import GuardedHTTP
import HTTPTransfers
import Logging
import NIOCore
import NIOPosix
import PushProviders
import Telemetry

/// The push providers of one gateway with their HTTP clients.
struct GatewayProviders: Sendable {
    /// The factory of the providers.
    let factory: PushProviderFactory
    private let client: TransferClient
    private let tenants: GuardedHTTPClient

    /// Creates the providers; sends no request yet; throws ``CommandFailure`` when the trust roots cannot be used.
    init(
        settings: GatewaySettings,
        maxConnections: Int,
        names: GatewayNames,
        policy: AddressPolicy,
        proxy: OutboundProxy?,
        clock: any GatewayClock,
        registry: PrometheusRegistry,
        logger: Logger
    ) async throws {
        let client = TransferClient(trustRootsFile: settings.provider.trustRoots)
        let tenants = GuardedHTTPClient(
            resolver: names.tenants,
            trustRootsFile: settings.provider.trustRoots,
            policy: policy,
            proxy: proxy,
            // For push proxies; a token is fetched once an hour.
            maxIdle: 64
        )
        var limits = PushProviderConfiguration()
        limits.maxConnections = maxConnections
        limits.requestTimeout = .seconds(Int64(settings.provider.requestTimeoutSeconds))
        limits.fcmMessagesPerMinute = Int64(settings.provider.fcmMessagesPerMinute)
        do {
            factory = try PushProviderFactory(
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
                trustRootsFile: settings.provider.trustRoots,
                httpClient: client,
                proxy: proxy,
                tenants: tenants,
                names: names.providers,
                clock: clock,
                metrics: ProviderMetrics(factory: registry),
                logger: logger,
                configuration: limits
            )
        } catch {
            throw CommandFailure(.usage, "provider.trustRoots (\(settings.provider.trustRoots ?? "")): \(error)")
        }
        self.client = client
        self.tenants = tenants
    }

    /// Closes the clients.
    func close() async {
        await client.close(isCancelling: true)
        await tenants.close()
    }
}

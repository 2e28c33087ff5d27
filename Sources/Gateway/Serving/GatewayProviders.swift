import AsyncHTTPClient
import GatewayClient
import GatewayModel
import GuardedHTTP
import Logging
import NIOCore
import NIOPosix
import PushProviders
import Telemetry

/// The push providers of one gateway with their HTTP clients.
struct GatewayProviders: Sendable {
    /// The factory of the providers.
    let factory: PushProviderFactory
    private let client: HTTPClient
    private let proxied: HTTPClient?
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
        let configuration = PushProviderFactory.httpClientConfiguration(trustRootsFile: settings.provider.trustRoots)
        let client = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
        let proxied = proxy.map { proxy in
            var configuration = configuration
            proxy.apply(to: &configuration)
            return HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
        }
        let tenants = GuardedHTTPClient(
            resolver: names.tenants,
            configuration: configuration,
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
                proxied: proxy.flatMap { proxy in proxied.map { (proxy: proxy, client: $0) } },
                tenants: tenants,
                names: names.providers,
                clock: clock,
                metrics: ProviderMetrics(factory: registry),
                logger: logger,
                configuration: limits
            )
        } catch {
            try? await client.shutdown()
            try? await proxied?.shutdown()
            throw CommandFailure(.usage, "provider.trustRoots (\(settings.provider.trustRoots ?? "")): \(error)")
        }
        self.client = client
        self.proxied = proxied
        self.tenants = tenants
    }

    /// Closes the clients.
    func close() async {
        try? await client.shutdown()
        try? await proxied?.shutdown()
        await tenants.close()
    }
}

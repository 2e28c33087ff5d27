import AsyncHTTPClient
import GatewayModel
import GuardedHTTP
import Logging
import NIOCore
import NIOPosix
import PushProviders
import Telemetry

/// The push providers of one gateway with what they ask by, wired together.
struct GatewayProviders: Sendable {
    /// Makes the providers.
    let factory: PushProviderFactory
    private let client: HTTPClient
    private let tenants: GuardedHTTPClient
    private let resolver: SystemResolver

    /// Puts them together; nothing is asked yet.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - maxConnections: How many connections there may be to all providers.
    ///   - policy: What endpoints that tenants set may reach.
    ///   - clock: The clocks.
    ///   - registry: The metrics.
    ///   - logger: For what operators should know.
    /// - Throws: ``CommandFailure`` when the trust roots cannot be used.
    init(
        settings: GatewaySettings,
        maxConnections: Int,
        policy: AddressPolicy,
        clock: any GatewayClock,
        registry: PrometheusRegistry,
        logger: Logger
    ) async throws {
        let configuration = PushProviderFactory.httpClientConfiguration(trustRootsFile: settings.provider.trustRoots)
        let client = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
        // Of its own: a webhook whose name server hangs must hold up no push.
        let resolver = SystemResolver()
        let tenants = GuardedHTTPClient(
            resolver: resolver,
            configuration: configuration,
            policy: policy,
            // A token is fetched once an hour.
            maxIdle: 0
        )
        var limits = PushProviderConfiguration()
        limits.maxConnections = maxConnections
        limits.requestTimeout = .seconds(Int64(settings.provider.requestTimeoutSeconds))
        do {
            factory = try PushProviderFactory(
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
                trustRootsFile: settings.provider.trustRoots,
                httpClient: client,
                tenants: tenants,
                clock: clock,
                metrics: ProviderMetrics(factory: registry),
                logger: logger,
                configuration: limits
            )
        } catch {
            try? await client.shutdown()
            resolver.shutdown()
            throw CommandFailure(.usage, "provider.trustRoots (\(settings.provider.trustRoots ?? "")): \(error)")
        }
        self.client = client
        self.tenants = tenants
        self.resolver = resolver
    }

    /// Ends what runs.
    func close() async {
        try? await client.shutdown()
        await tenants.close()
        resolver.shutdown()
    }
}

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

    /// Puts them together; nothing is asked yet.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - maxConnections: How many connections there may be to all providers.
    ///   - names: Looks names up.
    ///   - policy: What endpoints that tenants set may reach.
    ///   - clock: The clocks.
    ///   - registry: The metrics.
    ///   - logger: For what operators should know.
    /// - Throws: ``CommandFailure`` when the trust roots cannot be used.
    init(
        settings: GatewaySettings,
        maxConnections: Int,
        names: GatewayNames,
        policy: AddressPolicy,
        clock: any GatewayClock,
        registry: PrometheusRegistry,
        logger: Logger
    ) async throws {
        let configuration = PushProviderFactory.httpClientConfiguration(trustRootsFile: settings.provider.trustRoots)
        let client = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
        let tenants = GuardedHTTPClient(
            resolver: names.tenants,
            configuration: configuration,
            policy: policy,
            // A token is fetched once an hour.
            maxIdle: 0
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
                tenants: tenants,
                names: names.providers,
                clock: clock,
                metrics: ProviderMetrics(factory: registry),
                logger: logger,
                configuration: limits
            )
        } catch {
            try? await client.shutdown()
            throw CommandFailure(.usage, "provider.trustRoots (\(settings.provider.trustRoots ?? "")): \(error)")
        }
        self.client = client
        self.tenants = tenants
    }

    /// Ends what runs.
    func close() async {
        try? await client.shutdown()
        await tenants.close()
    }
}

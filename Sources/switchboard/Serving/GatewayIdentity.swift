import AsyncHTTPClient
import GatewayModel
import GatewayStorage
import GuardedHTTP
import Identity
import IdentityProviders
import Logging
import PushProviders
import Telemetry

/// What asks the identity providers of one gateway's brands, wired together.
struct GatewayIdentity: Sendable {
    /// Reads the sets of keys.
    let publishedKeys: JWKSetCache
    /// Redeems codes.
    let codes: CodeExchange
    private let client: GuardedHTTPClient

    /// Puts them together; nothing is asked yet.
    ///
    /// - Parameters:
    ///   - store: Where burnt codes are noted.
    ///   - directory: The brands' identity providers.
    ///   - settings: The settings.
    ///   - resolver: Looks their names up.
    ///   - policy: What identity providers' URLs may reach.
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
        var configuration = PushProviderFactory.httpClientConfiguration(trustRootsFile: settings.provider.trustRoots)
        // A device waits: it is told at once that nobody takes the connection.
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = GuardedHTTPClient(
            resolver: resolver,
            configuration: configuration,
            policy: policy,
            // A code must not be lost on a connection that its provider has just closed; keys are read too seldom to gain.
            maxIdle: 0
        )
        let metrics = IdentityProviderMetrics(factory: registry)
        let clock = SystemClock()
        publishedKeys = JWKSetCache(client: client, clock: clock, metrics: metrics, logger: logger)
        codes = CodeExchange(
            directory: directory,
            store: store,
            client: client,
            clock: clock,
            metrics: metrics,
            logger: logger
        )
        self.client = client
    }

    /// Ends what runs.
    func close() async {
        await publishedKeys.close()
        await client.close()
    }
}

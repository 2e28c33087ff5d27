import AsyncHTTPClient
import GatewayModel
import GatewayStorage
import GuardedHTTP
import Identity
import IdentityProviders
import Logging
import PushProviders
import Telemetry

/// The clients of the identity providers of a gateway's brands.
struct GatewayIdentity: Sendable {
    /// The cache of JWK sets.
    let publishedKeys: JWKSetCache
    /// Exchanges authorization codes.
    let codes: CodeExchange
    private let client: GuardedHTTPClient

    /// Creates the clients; sends no request yet.
    ///
    /// - Parameters:
    ///   - store: The store of used codes.
    ///   - directory: The brands' identity providers.
    ///   - settings: The settings.
    ///   - resolver: Resolves their host names.
    ///   - policy: The addresses that identity providers' URLs may reach.
    ///   - registry: The metrics.
    ///   - logger: The logger for warnings.
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
        // A device waits: a refused connection is reported at once, without retries.
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = GuardedHTTPClient(
            resolver: resolver,
            configuration: configuration,
            policy: policy,
            // A code must not be lost on a connection that its provider has just closed; keys are read too seldom to
            // benefit.
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

    /// Closes the clients.
    func close() async {
        await publishedKeys.close()
        await client.close()
    }
}

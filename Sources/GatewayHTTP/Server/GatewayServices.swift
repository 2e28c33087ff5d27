package import Delivery
package import GatewayModel
package import GatewayStorage
package import Identity
package import IdentityProviders
package import Logging
internal import PushProviders
package import Telemetry

/// The services that the routes use; created by the executable, or by a test.
package struct GatewayServices: Sendable {
    /// The store for reading.
    package var store: any GatewayStore
    /// The delivery core, which accepts events and changes.
    package var delivery: DeliveryService
    /// Brands, apps and credentials.
    package var directory: Directory
    /// The authentication of service accounts.
    package var accounts: ServiceAccountAuthenticator
    /// The authentication of the administrator.
    package var admin: AdminToken
    /// The service that opens, finds and ends consumers' sessions.
    package var sessions: SessionService
    /// The verification of assertions.
    package var assertions: AssertionVerifier
    /// The clock.
    package var clock: any GatewayClock
    /// The detection of a wrong system clock; trusts the clock until it is set.
    package var keeper: ClockKeeper
    /// The logger for operators.
    package var logger: Logger
    /// The metrics.
    package var metrics: HTTPMetrics
    /// Renders the Prometheus text; called for each scrape.
    package var renderMetrics: @Sendable () -> String
    /// The outbound feed.
    package var outbound = OutboundServices()
    /// The service that redeems identity providers' codes.
    package var codes: CodeExchange
    /// Messaging windows.
    package var windows = WindowServices()
    /// The parser of events, which keeps its buffers.
    let events = EventReader()
    /// The seal for cursors of lists.
    let cursors: CursorSeal
    /// The seal for context ids of engagements.
    let engagements: EngagementSeal
    /// The running requests with an idempotency key.
    let idempotency = IdempotencyKeys()
    /// Creates a provider for a self-check; throws until it is set.
    package var makeProvider: ProviderMaker = { _, _, _, _ throws(PushCredentialError) in
        throw PushCredentialError(pointer: "", detail: "this process has no providers")
    }
    /// The slots of open delivery streams.
    let tails = CallSlots(limit: DeliveryTail.limit, brandLimit: DeliveryTail.brandLimit)
    /// The slots of running exports.
    let exports = CallSlots(limit: ConsumerRoutes.exportLimit, brandLimit: ConsumerRoutes.exportBrandLimit)
    /// The slots of running self-checks.
    let selfChecks = CallSlots(limit: ProbeRoutes.selfCheckLimit, brandLimit: ProbeRoutes.selfCheckBrandLimit)

    /// Creates the services.
    ///
    /// - Parameters:
    ///   - store: The store for reading.
    ///   - delivery: The delivery core, which accepts events and changes.
    ///   - directory: Brands, apps and credentials.
    ///   - accounts: The authentication of service accounts.
    ///   - admin: The authentication of the administrator.
    ///   - sessions: The service that opens, finds and ends consumers' sessions.
    ///   - assertions: The verification of assertions.
    ///   - codes: The service that redeems identity providers' codes.
    ///   - clock: The clock.
    ///   - logger: The logger for operators.
    ///   - metrics: The metrics.
    ///   - renderMetrics: Renders the Prometheus text.
    package init(
        store: any GatewayStore,
        delivery: DeliveryService,
        directory: Directory,
        accounts: ServiceAccountAuthenticator,
        admin: AdminToken,
        sessions: SessionService,
        assertions: AssertionVerifier,
        codes: CodeExchange,
        clock: any GatewayClock,
        logger: Logger,
        metrics: HTTPMetrics,
        renderMetrics: @escaping @Sendable () -> String
    ) {
        self.store = store
        self.delivery = delivery
        self.directory = directory
        self.accounts = accounts
        self.admin = admin
        self.sessions = sessions
        self.assertions = assertions
        self.codes = codes
        self.clock = clock
        keeper = ClockKeeper(trusting: clock, store: store, logger: logger)
        self.logger = logger
        self.metrics = metrics
        self.renderMetrics = renderMetrics
        cursors = CursorSeal(key: directory.derivedKey(for: "cursor"))
        engagements = EngagementSeal(key: directory.derivedKey(for: "engagement context"))
    }
}

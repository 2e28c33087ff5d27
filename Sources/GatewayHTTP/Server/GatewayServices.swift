package import Delivery
package import GatewayModel
package import GatewayStorage
package import Identity
package import IdentityProviders
package import Logging
internal import PushProviders
package import Telemetry

/// Everything that the routes stand on; made by the executable, or by a test.
package struct GatewayServices: Sendable {
    /// Where routes read.
    package var store: any GatewayStore
    /// What takes events and changes.
    package var delivery: DeliveryService
    /// Brands, apps and credentials.
    package var directory: Directory
    /// Who tells back-ends.
    package var accounts: ServiceAccountAuthenticator
    /// Who tells operators.
    package var admin: AdminToken
    /// Who opens, finds and ends consumers' sessions.
    package var sessions: SessionService
    /// Who verifies assertions.
    package var assertions: AssertionVerifier
    /// Where time is read from.
    package var clock: any GatewayClock
    /// Who knows whether the clock may be wrong; trusts it until it is set.
    package var keeper: ClockKeeper
    /// For what operators should know.
    package var logger: Logger
    /// What is counted.
    package var metrics: HTTPMetrics
    /// Renders the Prometheus text; called for each scrape.
    package var renderMetrics: @Sendable () -> String
    /// The outbound feed.
    package var outbound = OutboundServices()
    /// Who redeems identity providers' codes.
    package var codes: CodeExchange
    /// Messaging windows.
    package var windows = WindowServices()
    /// Reads events, and keeps the parsers.
    let events = EventReader()
    /// Makes and reads the cursors of lists.
    let cursors: CursorSeal
    /// Makes and checks the context ids of engagements.
    let engagements: EngagementSeal
    /// The requests with an idempotency key that run.
    let idempotency = IdempotencyKeys()
    /// Makes a provider for a self-check; until it is set there is none.
    package var makeProvider: ProviderMaker = { _, _, _, _ throws(PushCredentialError) in
        throw PushCredentialError(pointer: "", detail: "this process has no providers")
    }
    /// Streams of deliveries that are open.
    let tails = CallSlots(limit: DeliveryTail.limit, brandLimit: DeliveryTail.brandLimit)
    /// Exports of consumers that are running.
    let exports = CallSlots(limit: ConsumerRoutes.exportLimit, brandLimit: ConsumerRoutes.exportBrandLimit)
    /// Self-checks that are running.
    let selfChecks = CallSlots(limit: ProbeRoutes.selfCheckLimit, brandLimit: ProbeRoutes.selfCheckBrandLimit)

    /// Takes everything.
    ///
    /// - Parameters:
    ///   - store: Where routes read.
    ///   - delivery: What takes events and changes.
    ///   - directory: Brands, apps and credentials.
    ///   - accounts: Who tells back-ends.
    ///   - admin: Who tells operators.
    ///   - sessions: Who opens, finds and ends consumers' sessions.
    ///   - assertions: Who verifies assertions.
    ///   - codes: Who redeems identity providers' codes.
    ///   - clock: Where time is read from.
    ///   - logger: For what operators should know.
    ///   - metrics: What is counted.
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

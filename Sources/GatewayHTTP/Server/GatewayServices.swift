package import Delivery
package import GatewayModel
internal import GatewayStorage
package import GuardedHTTP
package import Identity
package import IdentityProviders
package import Logging
package import Messaging
package import Metrics
internal import PushProviders
internal import Telemetry

/// The services that the routes use, and the one place where they are made from a gateway's parts.
package struct GatewayServices: Sendable {
    /// The store.
    let store: any RouteStore
    /// The delivery core, which accepts events and changes.
    package let delivery: DeliveryService
    /// Brands, apps and credentials.
    package let directory: Directory
    /// The authentication of service accounts.
    let accounts: ServiceAccountAuthenticator
    /// The authentication of the administrator.
    let admin: AdminToken
    /// The accounts and sessions of operators.
    let operators: OperatorService
    /// The sign-in of operators at their identity provider; nil when the settings name none.
    let operatorLogin: OperatorLogin?
    /// The service that opens, finds and ends consumers' sessions.
    let sessions: SessionService
    /// The cache of issuers' JWK sets; closed by the owner of the client that it uses, before that client.
    package let publishedKeys: JWKSetCache
    /// The verification of assertions.
    let assertions: AssertionVerifier
    /// The verification and minting of customer tokens.
    let customerTokens: CustomerTokens
    /// The service that redeems identity providers' codes.
    let codes: CodeExchange
    /// The service that gets access tokens of Talkdesk.
    let accessTokens: AccessTokenService
    /// The gateway's clock, for records, timeouts and expiry.
    let clock: any GatewayClock
    /// The system clock, for times that other hosts state.
    let hostClock: any GatewayClock
    /// The detection of a wrong system clock.
    package let keeper: ClockKeeper
    /// When the gateway was started: what is counted in memory begins then.
    let startedAt: Timestamp
    /// The logger for operators.
    package let logger: Logger
    /// The metrics.
    let metrics: HTTPMetrics
    /// Records traces; nil when they are off.
    var tracer: TraceRecorder? { delivery.tracer }
    /// Renders the metrics, in OpenMetrics or as Prometheus text; called for each scrape.
    let renderMetrics: @Sendable (_ isOpenMetrics: Bool) -> String
    /// Returns the end of the certificate of the API; nil without TLS.
    let serverCertificateEndsAt: @Sendable () -> Timestamp?
    /// The outbound feed.
    let outbound: OutboundServices
    /// Messaging windows.
    let windows: WindowServices
    /// The parser of events, which keeps its buffers.
    let events = EventReader()
    /// The seal for cursors of lists.
    let cursors: CursorSeal
    /// The seal for context ids of engagements.
    let engagements: EngagementSeal
    /// The running requests with an idempotency key.
    let idempotency = IdempotencyKeys()
    /// Creates a provider for a self-check.
    let makeProvider: ProviderMaker
    /// The canaries of apps.
    package let canaries: CanaryService
    /// The slots of open delivery streams.
    let tails = CallSlots(limit: DeliveryTail.limit, brandLimit: DeliveryTail.brandLimit)
    /// The slots of running exports.
    let exports = CallSlots(limit: ConsumerRoutes.exportLimit, brandLimit: ConsumerRoutes.exportBrandLimit)
    /// The slots of running self-checks.
    let selfChecks = CallSlots(limit: ProbeRoutes.selfCheckLimit, brandLimit: ProbeRoutes.selfCheckBrandLimit)

    /// Creates the services and connects them: the directory's changes go to the delivery core, and its commits to
    /// windows.
    package init(
        store: any RouteStore,
        delivery: DeliveryService,
        directory: Directory,
        admin: AdminToken,
        clock: any GatewayClock,
        hostClock: (any GatewayClock)? = nil,
        keeper: ClockKeeper? = nil,
        identityProviders: GuardedHTTPClient,
        outbound: OutboundServices = OutboundServices(),
        presence: (any WindowPresence)? = nil,
        windowLimits: WindowLimits = WindowLimits(),
        passwordCost: PasswordHash.Cost = .standard,
        operatorProvider: OperatorProvider? = nil,
        makeProvider: @escaping ProviderMaker,
        serverCertificateEndsAt: @escaping @Sendable () -> Timestamp? = { nil },
        metrics: any MetricsFactory,
        renderMetrics: @escaping @Sendable (_ isOpenMetrics: Bool) -> String,
        logger: Logger
    ) {
        let hostClock = hostClock ?? clock
        let windowMetrics = WindowMetrics(factory: metrics)
        self.store = store
        self.delivery = delivery
        self.directory = directory
        accounts = ServiceAccountAuthenticator(directory: directory, clock: hostClock)
        self.admin = admin
        operators = OperatorService(store: store, directory: directory, clock: clock, cost: passwordCost)
        sessions = SessionService(
            store: store,
            directory: directory,
            writer: DeliverySessionWriter(delivery: delivery),
            // The same clock as the housekeeper's, or it could remove a session that was just opened.
            clock: clock
        )
        let calls = ProviderCalls(
            client: identityProviders,
            clock: hostClock,
            metrics: IdentityProviderMetrics(factory: metrics),
            logger: logger
        )
        publishedKeys = JWKSetCache(calls: calls)
        let keys = publishedKeys
        operatorLogin = operatorProvider.map { OperatorLogin(provider: $0, calls: calls, keys: keys) }
        assertions = AssertionVerifier(directory: directory, publishedKeys: publishedKeys, clock: hostClock)
        customerTokens = CustomerTokens(directory: directory, clock: hostClock)
        codes = CodeExchange(directory: directory, store: store, calls: calls)
        accessTokens = AccessTokenService(calls: calls)
        self.clock = clock
        startedAt = clock.now
        self.hostClock = hostClock
        self.keeper = keeper ?? ClockKeeper(trusting: clock, store: store, logger: logger)
        self.logger = logger
        self.metrics = HTTPMetrics(factory: metrics)
        self.renderMetrics = renderMetrics
        self.serverCertificateEndsAt = serverCertificateEndsAt
        self.outbound = outbound
        windows = WindowServices(
            hub: WindowHub(presence: presence ?? delivery, metrics: windowMetrics),
            limits: windowLimits,
            metrics: windowMetrics
        )
        cursors = CursorSeal(key: directory.derivedKey(for: "cursor"))
        engagements = EngagementSeal(key: directory.derivedKey(for: "engagement context"))
        self.makeProvider = makeProvider
        canaries = CanaryService(
            directory: directory,
            delivery: delivery,
            makeProvider: makeProvider,
            clock: clock,
            logger: logger
        )

        delivery.setPresence(of: directory.brands)
        directory.onChange { [weak directory] change in
            if let directory { delivery.setPresence(of: directory.brands) }
            delivery.lanesRemoved(change.removedLanes)
            delivery.lanesChanged(change.changedLanes, change.laneChange)
            delivery.lanesPaused(change.pausedLanes)
            delivery.lanesPaced(change.pacedLanes)
        }
        delivery.observe(windows: windows.hub)
    }
}

internal import GatewayModel
package import Hummingbird
internal import HummingbirdCore
internal import Identity
internal import Logging
internal import Messaging
package import NIOCore
internal import Telemetry

/// The HTTP face of the gateway: every route of the APIConventions page.
package final class GatewayServer: Sendable {
    private let shared: Call.Shared
    private let limiter: RateLimiter
    private let addresses: AddressShares
    private let limits: ServerLimits

    private var services: GatewayServices { shared.services }

    /// Takes what the routes stand on.
    ///
    /// - Parameters:
    ///   - services: Everything; the delivery core is started and run by the caller.
    ///   - limits: What it takes on at once.
    package init(services: GatewayServices, limits: ServerLimits = ServerLimits()) {
        shared = Call.Shared(services)
        limiter = RateLimiter(limits, clock: services.clock, metrics: services.metrics)
        addresses = AddressShares(limits, clock: services.clock, logger: services.logger)
        self.limits = limits
        services.sessions.onEnd { [hub = services.windows.hub] in hub.sessionsEnded($0) }
    }

    /// The router with all routes, for tests without a socket.
    ///
    /// - Returns: A new router each time.
    package func makeRouter() -> Router<GatewayContext> { routes.finish() }

    /// All routes but those of listeners for machinery alone.
    var routes: RouteTable {
        var routes = RouteTable(shared: shared, limiter: limiter, addresses: addresses, limits: limits)
        HealthRoutes.add(to: &routes)
        HealthRoutes.addDescription(to: &routes)
        BrandRoutes.add(to: &routes)
        AppRoutes.add(to: &routes)
        CredentialRoutes.add(to: &routes)
        AuditRoutes.add(to: &routes)
        ClockRoutes.add(to: &routes)
        EventRoutes.add(to: &routes)
        SessionRoutes.add(to: &routes)
        DeviceRoutes.add(to: &routes)
        MessageRoutes.add(to: &routes)
        TapRoutes.add(to: &routes)
        CampaignRoutes.add(to: &routes)
        ConversationRoutes.add(to: &routes)
        EngagementRoutes.add(to: &routes)
        ConsumerRoutes.add(to: &routes)
        DeliveryRoutes.add(to: &routes)
        OutboundRoutes.add(to: &routes)
        WebhookRoutes.add(to: &routes)
        ProbeRoutes.add(to: &routes)
        CopilotRoutes.add(to: &routes)
        CCAIRoutes.add(to: &routes)
        WindowRoute.add(to: &routes)
        LinkRoutes.add(to: &routes)
        return routes
    }

    /// The router of a listener for machinery alone: `/livez`, `/readyz`, and `/metrics` for everybody who reaches it.
    ///
    /// - Returns: A new router each time.
    package func makeMonitoringRouter() -> Router<GatewayContext> {
        var routes = RouteTable(shared: shared, limiter: limiter, addresses: addresses, limits: limits)
        HealthRoutes.add(to: &routes, isOpen: true)
        return routes.finish()
    }

    /// The application that listens; a service that runs until its group shuts down.
    ///
    /// - Parameters:
    ///   - router: What it answers; nil takes all routes.
    ///   - host: The address to listen on.
    ///   - port: The port; 0 takes a free one.
    ///   - onServerRunning: Called once with the listening channel, whose address has the bound port.
    /// - Returns: The application.
    package func buildApplication(
        router: Router<GatewayContext>? = nil,
        host: String,
        port: Int,
        onServerRunning: @escaping @Sendable (any Channel) async -> Void = { _ in }
    ) -> Application<RouterResponder<GatewayContext>> {
        let logger = services.logger
        // A listener with other routes, for machinery, opens no windows.
        let windows = router == nil ? windowShell : nil
        return Application(
            router: router ?? makeRouter(),
            server: HTTPServerBuilder { [limits, addresses, metrics = services.metrics] responder in
                GuardedHTTP1Channel(
                    responder: responder,
                    limits: limits,
                    addresses: addresses,
                    metrics: metrics,
                    windows: windows
                )
            },
            configuration: .init(address: .hostname(host, port: port), serverName: nil, backlog: 1024),
            onServerRunning: { [logger] channel in
                await Self.paceAccepting(of: channel, logger)
                await onServerRunning(channel)
            },
            logger: ServerLogHandler.logger(passingTo: logger)
        )
    }

    private static func paceAccepting(of listener: any Channel, _ logger: Logger) async {
        let added = listener.eventLoop.submit {
            try listener.pipeline.syncOperations.addHandler(AcceptGate(), position: .first)
        }
        do { try await added.get() } catch {
            // The listener is closed already, which the server says itself.
            logger.debug("a listener closed while it started", metadata: [LogKey.errorText: "\(error)"])
        }
    }

    private var windowShell: WindowHandler.Shell {
        WindowHandler.Shell(
            services: services.windows,
            operations: WindowOperations(shared: shared, limiter: limiter),
            addresses: addresses,
            perAddress: limits.windowsPerAddress
        ) { [clock = services.clock] in
            WindowMoment(steady: NIODeadline.now().uptimeNanoseconds, date: clock.now)
        }
    }
}

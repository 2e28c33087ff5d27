internal import GatewayModel
package import Hummingbird
internal import HummingbirdCore
internal import Identity
internal import Logging
internal import Messaging
package import NIOCore
package import TLS
internal import Telemetry

/// The HTTP server of the gateway, with every route of the APIConventions page.
package final class GatewayServer: Sendable {
    private let shared: Call.Shared
    private let limiter: RateLimiter
    private let addresses: AddressShares
    private let limits: ServerLimits

    private var services: GatewayServices { shared.services }

    /// Creates a server with the services that its routes use.
    ///
    /// - Parameters:
    ///   - services: The services; the delivery core is started and run by the caller.
    ///   - limits: The limits and timeouts.
    package init(services: GatewayServices, limits: ServerLimits = ServerLimits()) {
        shared = Call.Shared(services)
        limiter = RateLimiter(limits, clock: services.clock, metrics: services.metrics)
        addresses = AddressShares(limits, clock: services.clock, logger: services.logger)
        self.limits = limits
        services.sessions.onEnd { [hub = services.windows.hub] in hub.sessionsEnded($0) }
    }

    /// All routes except those of listeners for operations only.
    var routes: RouteTable {
        var routes = RouteTable(shared: shared, limiter: limiter, addresses: addresses, limits: limits)
        HealthRoutes.add(to: &routes)
        HealthRoutes.addDescription(to: &routes)
        BrandRoutes.add(to: &routes)
        AppRoutes.add(to: &routes)
        CredentialRoutes.add(to: &routes)
        OperatorRoutes.add(to: &routes)
        OperatorSessionRoutes.add(to: &routes)
        AuditRoutes.add(to: &routes)
        ClockRoutes.add(to: &routes)
        ObjectiveRoutes.add(to: &routes)
        UnreachableRoutes.add(to: &routes)
        CalendarRoutes.add(to: &routes)
        EventRoutes.add(to: &routes)
        SessionRoutes.add(to: &routes)
        DeviceRoutes.add(to: &routes)
        DeviceImport.add(to: &routes)
        MessageRoutes.add(to: &routes)
        TapRoutes.add(to: &routes)
        CampaignRoutes.add(to: &routes)
        ConversationRoutes.add(to: &routes)
        EngagementRoutes.add(to: &routes)
        ConsumerRoutes.add(to: &routes)
        DeliveryRoutes.add(to: &routes)
        DeliveryLinkRoutes.add(to: &routes)
        LaneRoutes.add(to: &routes)
        SearchRoutes.add(to: &routes)
        ExplanationRoutes.add(to: &routes)
        OutboundRoutes.add(to: &routes)
        WebhookRoutes.add(to: &routes)
        ProbeRoutes.add(to: &routes)
        CopilotRoutes.add(to: &routes)
        CCAIRoutes.add(to: &routes)
        TalkdeskRoutes.add(to: &routes)
        BloomreachRoutes.add(to: &routes)
        LivePersonPushProxy.add(to: &routes)
        LivePersonEngagement.add(to: &routes)
        GorushRoutes.add(to: &routes)
        CustomerRoutes.add(to: &routes)
        InAppMessageRoutes.add(to: &routes)
        HookRoutes.add(to: &routes)
        HookIntakeRoutes.add(to: &routes)
        LivePersonCampaigns.add(to: &routes)
        WindowRoute.add(to: &routes)
        LinkRoutes.add(to: &routes)
        ConsoleRoutes.add(to: &routes)
        return routes
    }

    /// Creates the router of a listener for operations: `/livez`, `/readyz`, and `/metrics` for everybody who can reach
    /// it.
    ///
    /// - Returns: A new router each time.
    package func makeMonitoringRouter() -> Router<GatewayContext> {
        var routes = RouteTable(shared: shared, limiter: limiter, addresses: addresses, limits: limits)
        HealthRoutes.add(to: &routes, isOpen: true)
        return routes.finish()
    }

    /// Creates the application that listens; a service that runs until its group shuts down.
    ///
    /// - Parameters:
    ///   - router: The router; nil uses all routes.
    ///   - host: The address to listen on.
    ///   - port: The port; 0 takes a free one.
    ///   - onServerRunning: Called once with the listening channel, whose address contains the bound port.
    ///   - isHTTP2Spoken: Whether HTTP/2 is spoken besides HTTP/1.1.
    ///   - tls: Returns the TLS settings of the next connection, for the protocols that are spoken; nil serves plain HTTP.
    /// - Returns: The application.
    package func buildApplication(
        router: Router<GatewayContext>? = nil,
        host: String,
        port: Int,
        onServerRunning: @escaping @Sendable (any Channel) async -> Void = { _ in },
        isHTTP2Spoken: Bool = true,
        tls: (@Sendable () -> TLSServerContext)? = nil
    ) -> Application<RouterResponder<GatewayContext>> {
        let logger = services.logger
        // A listener with other routes, for operations, opens no windows and takes no events.
        let windows = router == nil ? windowShell : nil
        if router == nil { shared.isSecure = tls != nil }
        let table = self.routes
        let events = router == nil ? table.directEvents : nil
        let routes = (router ?? table.finish()).buildResponder()
        return Application(
            responder: routes,
            server: HTTPServerBuilder { [limits, addresses, metrics = services.metrics] responder in
                GuardedHTTPChannel(
                    responder: responder,
                    routes: isHTTP2Spoken ? routes : nil,
                    limits: limits,
                    addresses: addresses,
                    metrics: metrics,
                    windows: windows,
                    events: events,
                    tls: tls
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
            // The listener is closed already, which the server reports itself.
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

package import Hummingbird
internal import HummingbirdCore
internal import Logging
package import NIOCore

/// The HTTP face of the gateway: every route of `http-api.md` that this version has.
package final class GatewayServer: Sendable {
    private let services: GatewayServices
    private let limits: ServerLimits

    /// Takes what the routes stand on.
    ///
    /// - Parameters:
    ///   - services: Everything; the delivery core is started and run by the caller.
    ///   - limits: What it takes on at once.
    package init(services: GatewayServices, limits: ServerLimits = ServerLimits()) {
        self.services = services
        self.limits = limits
    }

    /// The router with all routes, for tests without a socket.
    ///
    /// - Returns: A new router each time.
    package func makeRouter() -> Router<GatewayContext> { routes.finish() }

    /// All routes but those of listeners for machinery alone.
    var routes: RouteTable {
        var routes = RouteTable(services: services, limits: limits)
        HealthRoutes.add(to: &routes)
        HealthRoutes.addDescription(to: &routes)
        BrandRoutes.add(to: &routes)
        AppRoutes.add(to: &routes)
        CredentialRoutes.add(to: &routes)
        AuditRoutes.add(to: &routes)
        EventRoutes.add(to: &routes)
        SessionRoutes.add(to: &routes)
        DeviceRoutes.add(to: &routes)
        MessageRoutes.add(to: &routes)
        ConversationRoutes.add(to: &routes)
        ConsumerRoutes.add(to: &routes)
        DeliveryRoutes.add(to: &routes)
        OutboundRoutes.add(to: &routes)
        WebhookRoutes.add(to: &routes)
        ProbeRoutes.add(to: &routes)
        CopilotRoutes.add(to: &routes)
        CCAIRoutes.add(to: &routes)
        LinkRoutes.add(to: &routes)
        return routes
    }

    /// The router of a listener for machinery alone: `/livez`, `/readyz`, and `/metrics` for everybody who reaches it.
    ///
    /// - Returns: A new router each time.
    package func makeMonitoringRouter() -> Router<GatewayContext> {
        var routes = RouteTable(services: services, limits: limits)
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
        var logger = services.logger
        // Hummingbird says at info where it listens; the executable says that itself, once, on stdout.
        if logger.logLevel < .notice { logger.logLevel = .notice }
        return Application(
            router: router ?? makeRouter(),
            server: HTTPServerBuilder { [limits, metrics = services.metrics] responder in
                GuardedHTTP1Channel(responder: responder, limits: limits, metrics: metrics)
            },
            configuration: .init(address: .hostname(host, port: port), serverName: nil, backlog: 1024),
            onServerRunning: onServerRunning,
            logger: logger
        )
    }
}

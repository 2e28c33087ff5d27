internal import Hummingbird
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import ServiceLifecycle

/// The control port: plain HTTP, for test scripts and manual use.
///
/// Any thread.
final class ControlServer: Sendable {
    /// The listening address.
    let address: SimulatorAddress

    private let group: ServiceGroup
    private let task: Task<Void, any Error>

    private init(address: SimulatorAddress, group: ServiceGroup, task: Task<Void, any Error>) {
        self.address = address
        self.group = group
        self.task = task
    }

    /// Starts listening.
    ///
    /// - Parameters:
    ///   - address: The address to listen on.
    ///   - handlers: The request handlers.
    ///   - logger: The logger of the server.
    /// - Returns: The listening server; it must be stopped.
    /// - Throws: ``SimulatorError/cannotListen(on:reason:)``.
    static func start(
        at address: SimulatorAddress,
        handlers: ControlHandlers,
        logger: Logger
    ) async throws(SimulatorError) -> ControlServer {
        let (ports, found) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingOldest(1))
        let application = Application(
            router: Self.router(handlers),
            configuration: .init(address: .hostname(address.host, port: address.port), serverName: "push-simulator"),
            onServerRunning: { channel in
                found.yield(channel.localAddress?.port ?? address.port)
                found.finish()
            },
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton),
            logger: logger
        )
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: application)],
                gracefulShutdownSignals: [],
                logger: logger
            )
        )
        // Ended by `stop`, which waits for it.
        let task = Task {
            defer { found.finish() }
            try await group.run()
        }
        for await port in ports {
            return ControlServer(address: .init(host: address.host, port: port), group: group, task: task)
        }
        do {
            try await task.value
            throw SimulatorError.cannotListen(on: "\(address)", reason: "the server ended")
        } catch {
            throw .cannotListen(on: "\(address)", reason: PushSimulator.reason(error))
        }
    }

    /// Stops listening and waits for requests in progress.
    func stop() async {
        await self.group.triggerGracefulShutdown()
        _ = await self.task.result
    }

    private static func router(_ handlers: ControlHandlers) -> Router<BasicRequestContext> {
        let router = Router()
        router.get("/pushes") { request, _ in await handlers.pushes(request) }
        router.delete("/pushes") { _, _ in handlers.clear() }
        router.get("/rules") { _, _ in handlers.rules() }
        router.put("/rules") { request, _ in try await handlers.replaceRules(request) }
        router.put("/identity-provider/codes") { request, _ in try await handlers.issueCodes(request) }
        router.post("/identity-provider/keys") { request, _ in try await handlers.rotateKey(request) }
        router.post("/identity-provider/token") { request, _ in try await handlers.identityProvider(request) }
        router.put("/identity-provider/login") { request, _ in try await handlers.setLogin(request) }
        for path in ["jwks", ".well-known/openid-configuration", "authorize"] {
            router.get(RouterPath("/identity-provider/\(path)")) { request, _ in
                try await handlers.identityProvider(request)
            }
        }
        router.put("/talkdesk/clients") { request, _ in try await handlers.registerClients(request) }
        router.post("/talkdesk/oauth/token") { request, _ in try await handlers.talkdesk(request) }
        router.post("/talkdesk/decision") { request, _ in try await handlers.talkdesk(request) }
        router.put("/chatwoot/accounts") { request, _ in try await handlers.registerAccounts(request) }
        router.get("/chatwoot/messages") { _, _ in handlers.chatwootMessages() }
        router.post("/chatwoot/api/**") { request, _ in try await handlers.chatwoot(request) }
        router.get("/stats") { _, _ in handlers.statistics() }
        return router
    }
}

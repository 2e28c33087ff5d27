import CoreMetrics
import Delivery
import Foundation
import GatewayModel
import GatewayStorage
import Hummingbird
import HummingbirdTesting
import Identity
import Logging
import Messaging
import SQLiteStorage
import ServiceLifecycle
import Telemetry

@testable import GatewayHTTP

/// A whole gateway on a store of its own, without a provider that is far away.
enum TestGateway {
    static let adminToken = "test-admin-token-0123456789-abcdefghij"

    enum Transport: Sendable {
        /// Straight into the router.
        case router
        /// Over a socket on loopback.
        case live
    }

    /// Runs a test against a new gateway.
    ///
    /// - Parameters:
    ///   - transport: How calls get there.
    ///   - started: Whether the delivery core runs.
    ///   - limits: What the server takes on at once.
    ///   - windows: What messaging windows may cost.
    ///   - metrics: Where metrics are kept, and what `/metrics` answers.
    ///   - logger: What is logged to; nothing by default.
    ///   - test: The test.
    /// - Throws: What the test throws, and why the gateway could not be made.
    static func run(
        _ transport: Transport = .router,
        started: Bool = true,
        limits: ServerLimits = ServerLimits(),
        windows: WindowLimits = WindowLimits(),
        metrics: TestMetrics = TestMetrics(),
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ test: @escaping @Sendable (API) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("gateway-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let clock = TestClock()
        let store = try makeStore(folder.appendingPathComponent("test.sqlite").path, logger)
        let lanes = TestLanes(clock: clock)
        let delivery = DeliveryService(
            store: store,
            directory: lanes,
            settings: DeliverySettings(),
            clock: clock,
            metrics: DeliveryMetrics(factory: NOOPMetricsHandler.instance),
            logger: logger
        )
        var services = try await makeServices(
            store: store,
            delivery: delivery,
            lanes: lanes,
            clock: clock,
            metrics: metrics,
            logger: logger
        )
        let presence = TestPresence()
        services.windows = WindowServices(
            presence: presence,
            limits: windows,
            metrics: WindowMetrics(factory: metrics.registry)
        )
        let (hub, outbound, directory) = (services.windows.hub, services.outbound, services.directory)
        let server = GatewayServer(services: services, limits: limits)
        let application = server.buildApplication(host: "127.0.0.1", port: 0)
        let database = folder.appendingPathComponent("test.sqlite").path
        let body: @Sendable () async throws -> Void = {
            try await application.test(transport == .live ? TestingSetup.live : TestingSetup.router) { client in
                try await test(
                    API(
                        client: client,
                        clock: clock,
                        outbound: outbound,
                        directory: directory,
                        windows: hub,
                        presence: presence,
                        store: store,
                        routes: server.routes.names,
                        database: database
                    )
                )
            }
        }
        if started {
            _ = try await delivery.start()
            try await withRunning(delivery, logger, body)
        } else {
            try await body()
        }
        await store.close()
    }

    private static func withRunning(
        _ delivery: DeliveryService,
        _ logger: Logger,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let group = ServiceGroup(configuration: .init(services: [delivery], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let result: Result<Void, any Error>
            do {
                try await body()
                result = .success(())
            } catch { result = .failure(error) }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            try result.get()
        }
    }
}

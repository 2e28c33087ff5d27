import Delivery
import Foundation
import GatewayModel
import GatewayStorage
import Hummingbird
import HummingbirdTesting
import Identity
import Logging
import Messaging
import ServiceLifecycle
import Telemetry
import TestSupport

@testable import GatewayHTTP

/// A complete gateway with its own store, without a remote provider.
enum TestGateway {
    static let adminToken = "test-admin-token-0123456789-abcdefghij"

    enum Transport: Sendable {
        /// Calls go straight to the router.
        case router
        /// Calls go over a socket on loopback.
        case live
    }

    /// Runs a test against a new gateway.
    ///
    /// - Parameters:
    ///   - transport: The transport of calls.
    ///   - started: Whether the delivery core runs.
    ///   - limits: The limits of the server.
    ///   - windows: The limits of messaging windows.
    ///   - metrics: The registry of metrics, and the source of `/metrics`.
    ///   - isHTTP2Spoken: Whether HTTP/2 is spoken besides HTTP/1.1.
    ///   - logger: The logger; none by default.
    ///   - clock: The clock of the gateway and of its data.
    ///   - operatorProvider: The identity provider of operators.
    ///   - clockAheadSeconds: How far the clock is ahead of the data at the start; 0 means a trusted clock.
    ///   - test: The test.
    /// - Throws: The errors of the test, and of creating the gateway.
    static func run(
        _ transport: Transport = .router,
        started: Bool = true,
        limits: ServerLimits = ServerLimits(),
        windows: WindowLimits = WindowLimits(),
        metrics: TestMetrics = TestMetrics(),
        isHTTP2Spoken: Bool = true,
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        clock: TestClock = TestClock(),
        operatorProvider: OperatorProvider? = nil,
        clockAheadSeconds: Int64 = 0,
        _ test: @escaping @Sendable (API) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("gateway-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = folder.appendingPathComponent("test.sqlite").path
        var data = SharedData(
            store: try makeStore(database, logger),
            database: database,
            clock: clock,
            box: SecretBox(key: MasterKey()),
            operatorProvider: operatorProvider
        )
        if clockAheadSeconds > 0 {
            try await data.store.keep(ClockMark(trusted: data.clock.now), audit: nil)
            data.clock.advance(seconds: clockAheadSeconds)
            data.keeper = try await ClockKeeper.open(store: data.store, system: data.clock, logger: logger)
        }
        try await serve(data, transport, started: started, limits, windows, metrics, isHTTP2Spoken, logger, test)
        await data.store.close()
    }

    /// The objects that gateways on the same data share.
    struct SharedData: Sendable {
        var store: any GatewayStore
        /// The database's file.
        var database: String
        var clock: TestClock
        var box: SecretBox
        /// The identity provider of operators.
        var operatorProvider: OperatorProvider?
        /// The detection of a wrong clock; nil trusts the clock.
        var keeper: ClockKeeper?
        /// The delivery core that runs; nil before the start of one.
        var delivery: DeliveryService?
    }

    /// Runs another gateway on the data of a running one, over its own socket; it knows the brands of this moment.
    ///
    /// Both use the delivery core of the first one, if that runs: the store refuses the changes of an earlier start. New
    /// messages are then reported to the windows of this one only.
    ///
    /// - Parameters:
    ///   - data: The data of the running gateway.
    ///   - test: The test.
    /// - Throws: The errors of the test, and of creating the gateway.
    static func runAnother(on data: SharedData, _ test: @escaping @Sendable (API) async throws -> Void) async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        try await serve(data, .live, started: true, ServerLimits(), WindowLimits(), TestMetrics(), true, logger, test)
    }

    /// Runs a test against a gateway on existing data.
    private static func serve(
        _ data: SharedData,
        _ transport: Transport,
        started: Bool,
        _ limits: ServerLimits,
        _ windows: WindowLimits,
        _ metrics: TestMetrics,
        _ isHTTP2Spoken: Bool,
        _ logger: Logger,
        _ test: @escaping @Sendable (API) async throws -> Void
    ) async throws {
        let presence = TestPresence()
        let services = try await makeServices(
            data,
            presence: presence,
            windows: windows,
            metrics: metrics,
            logger: logger
        )
        let startsDelivery = started && data.delivery == nil
        var running = data
        if startsDelivery { running.delivery = services.delivery }
        let shared = running
        let server = GatewayServer(services: services, limits: limits)
        let application = server.buildApplication(host: "127.0.0.1", port: 0, isHTTP2Spoken: isHTTP2Spoken)
        let body: @Sendable () async throws -> Void = {
            try await application.test(transport == .live ? TestingSetup.live : TestingSetup.router) { client in
                try await test(
                    API(
                        client: client,
                        clock: data.clock,
                        outbound: services.outbound,
                        canaries: services.canaries,
                        directory: services.directory,
                        windows: services.windows.hub,
                        presence: presence,
                        data: shared,
                        routes: server.routes.names
                    )
                )
            }
        }
        if startsDelivery {
            _ = try await services.delivery.start()
            try await withRunning(services.delivery, logger, body)
        } else {
            try await body()
        }
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

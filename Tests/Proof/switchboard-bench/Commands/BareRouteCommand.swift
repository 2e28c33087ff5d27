import ArgumentParser
import Delivery
import Foundation
import GatewayModel
import Hummingbird
import Logging
import NIOCore
import ProcessHarness
import ServiceLifecycle
import Telemetry

/// A Hummingbird server with one route that reads the body and responds 202: the baseline of ``HTTPOverheadScenario``.
struct BareRouteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bare-route",
        abstract: "Respond 202 to every event (used by 'run').",
        shouldDisplay: false
    )

    @Flag(help: "First pass a prepared event to a delivery core that sends and stores nothing.")
    var core = false

    func run() async throws {
        var logger = Logger(label: "bench")
        logger.logLevel = .critical
        let delivery = core ? try await startCore(logger) : nil
        let brand = Brand(
            id: BrandID(trusted: Installation.brand),
            name: "Bench",
            settings: BrandSettings(),
            createdAt: SystemClock().now
        )
        let event = EventBodies.parsed(run: "bare", number: 0, consumers: 1)
        let router = Router()
        router.post("/v1/brands/:brand/events") { request, _ in
            _ = try await request.body.collect(upTo: 1 << 20)
            _ = try await delivery?.accept(brand: brand, events: [event])
            return HTTPResponse.Status.accepted
        }
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: 0), serverName: nil, backlog: 1024),
            onServerRunning: { channel in
                FileHandle.standardOutput.write(Data("listening on \(channel.localAddress?.port ?? 0)\n".utf8))
            },
            logger: logger
        )
        // Until it is killed.
        let services: [any Service] = (delivery.map { [$0] } ?? []) + [application]
        try await ServiceGroup(services: services, gracefulShutdownSignals: [], logger: logger).run()
    }

    private func startCore(_ logger: Logger) async throws -> DeliveryService {
        let delivery = DeliveryService(
            store: NotStoringStore(),
            directory: PausedLanes(),
            makeProvider: { _, _ in nil },
            settings: DeliverySettings(),
            clock: SystemClock(),
            metrics: DeliveryMetrics(factory: PrometheusRegistry()),
            logger: logger
        )
        _ = try await delivery.start()
        return delivery
    }
}

import ArgumentParser
import Delivery
import Foundation
import GatewayModel
import Logging
import ProcessHarness
import ServiceLifecycle
import Telemetry

/// The delivery core alone over a store that keeps nothing: what of the gateway's CPU an event is not HTTP's.
struct CoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "core",
        abstract: "Hand events to the delivery core, which sends and stores nothing (used by 'run').",
        shouldDisplay: false
    )

    @Option(help: "How many events a round has.")
    var events: Int
    @Option(help: "How many tasks hand in one event at a time.")
    var callers: Int

    func run() async throws {
        var logger = Logger(label: "bench")
        logger.logLevel = .critical
        let clock = SystemClock()
        let delivery = DeliveryService(
            store: NotStoringStore(),
            directory: PausedLanes(),
            settings: DeliverySettings(),
            clock: clock,
            metrics: DeliveryMetrics(factory: PrometheusRegistry()),
            logger: logger
        )
        _ = try await delivery.start()
        let brand = Brand(
            id: BrandID(trusted: Installation.brand),
            name: "Bench",
            settings: BrandSettings(),
            createdAt: clock.now
        )
        let posted = (0..<1000).map { EventBodies.parsed(run: "core", number: $0, consumers: 10_000) }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await delivery.run() }
            // The first round pays for what is new.
            for round in 0...5 {
                let start = ProcessUsage.ownCPUSeconds()
                try await withThrowingTaskGroup(of: Void.self) { callers in
                    for caller in 0..<self.callers {
                        callers.addTask {
                            for number in stride(from: caller, to: events, by: self.callers) {
                                _ = try await delivery.accept(brand: brand, events: [posted[number % posted.count]])
                            }
                        }
                    }
                    try await callers.waitForAll()
                }
                let cost = (ProcessUsage.ownCPUSeconds() - start) * 1e6 / Double(events)
                if round > 0 { say("cost \(cost)") }
            }
            say("done")
            // Until it is killed.
            try await tasks.waitForAll()
        }
    }

    private func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}

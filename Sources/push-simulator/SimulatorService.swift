import Glibc
import Logging
import PushSimulator
import ServiceLifecycle
import UnixSignals

/// The simulator as a service.
struct SimulatorService: Service {
    /// The configuration of the simulator.
    var configuration: SimulatorConfiguration

    /// Runs until SIGTERM or SIGINT.
    ///
    /// - Throws: ``SimulatorError`` when the simulator cannot start.
    func runUntilSignalled() async throws {
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: self)],
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: self.configuration.logger
            )
        )
        try await group.run()
    }

    func run() async throws {
        let simulator = try await PushSimulator.start(self.configuration)
        Self.say("apns listening on \(simulator.apns)")
        Self.say("fcm listening on \(simulator.fcm)")
        if let control = simulator.control { Self.say("control listening on http://\(control)") }
        Self.say("certificates in \(simulator.credentials.folder)")
        Self.say("ready")
        try? await gracefulShutdown()
        await simulator.stop()
    }

    /// Prints a line and flushes it: a process that started this one through a pipe waits for it.
    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}

import Glibc
import Logging
import PushSimulator
import ServiceLifecycle
import UnixSignals

/// The simulator as the one service of the program.
struct SimulatorService: Service {
    /// Ports and folder.
    var configuration: SimulatorConfiguration

    /// Runs until the process is asked to end.
    ///
    /// - Throws: ``SimulatorError`` when the simulator does not come up.
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

    /// Whoever started the program through a pipe waits for these lines.
    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}

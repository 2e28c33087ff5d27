import ArgumentParser
import ServiceLifecycle
import UnixSignals

/// Runs a demonstration of the whole path of a message on this host.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show the whole path of an agent message, with simulated APNs and FCM on this host.",
        discussion: """
            Starts a gateway in a temporary directory and simulated providers with TLS and HTTP/2, all on the loopback \
            address, and checks every step. Without --once it stays up and prints what to try next.

            EXAMPLE
              switchboard demo --once
            """
    )
    @Flag(help: "Exit after the demonstration instead of staying up.") var once = false

    func run() async throws {
        let stage = try await DemoStage.start()
        do {
            let gateway = try await Gateway.open(settings: stage.settings, logger: stage.logger)
            let (addresses, listening) = AsyncStream.makeStream(
                of: ListenAddress.self,
                bufferingPolicy: .bufferingNewest(1)
            )
            let demo = ServiceGroupConfiguration.ServiceConfiguration(
                service: DemoService(addresses: addresses, once: once, stage: stage),
                successTerminationBehavior: .gracefullyShutdownGroup,
                failureTerminationBehavior: .gracefullyShutdownGroup
            )
            try await gateway.run(signals: [.sigterm, .sigint], beside: [demo]) { listening.yield($0) }
        } catch {
            await stage.stop()
            throw error
        }
        await stage.stop()
    }
}

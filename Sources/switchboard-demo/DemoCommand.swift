import ArgumentParser
import Foundation
import GatewayClient
import Logging
import ServiceLifecycle
import UnixSignals

/// The program: a demonstration of the whole path of a message on this host.
@main
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "switchboard-demo",
        abstract: "Show the whole path of an agent message, with simulated APNs and FCM on this host.",
        discussion: """
            Starts a gateway in a temporary directory and simulated providers with TLS and HTTP/2, all on the loopback \
            address, and checks every step. Without --once it stays up and prints what to try next.

            EXAMPLE
              switchboard-demo --once
            """
    )
    @Flag(help: "Exit after the demonstration instead of staying up.") var once = false

    @Option(
        help: ArgumentHelp("The gateway's program; by default the one in this program's directory.", valueName: "path")
    )
    var switchboard: String?

    @Option(
        help: ArgumentHelp(
            "Write to this new file, as variables of a shell, what a phone in the terminal needs; it is secret.",
            valueName: "path"
        )
    )
    var phone: String?

    /// Runs the command and ends the process with one of ``ProcessStatus``.
    static func main() async {
        do {
            let command = try parse()
            try await command.run()
        } catch let failure as CommandFailure {
            StandardError.write("switchboard-demo: \(failure.message)")
            Foundation.exit(failure.status.rawValue)
        } catch {
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            StandardError.write(fullMessage(for: error))
            Foundation.exit(ProcessStatus.usage.rawValue)
        }
    }

    func run() async throws {
        let program = try findProgram()
        let environment = try await DemoEnvironment.start()
        let (urls, listening) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1))
        let gateway = DemoGateway(
            program: program.path(percentEncoded: false),
            settings: environment.settings,
            listening: listening
        )
        let demo = DemoService(
            urls: urls,
            once: once,
            phone: phone,
            environment: environment,
            programs: program.deletingLastPathComponent().path(percentEncoded: false)
        )
        let group = ServiceGroup(
            configuration: .init(
                services: [
                    .init(service: gateway),
                    // It stops before the gateway.
                    .init(
                        service: demo,
                        successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .gracefullyShutdownGroup
                    ),
                ],
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: Logger(label: "switchboard-demo") { _ in SwiftLogNoOpLogHandler() }
            )
        )
        let result: Result<Void, any Error>
        do {
            try await group.run()
            result = .success(())
        } catch {
            // A request that failed because the gateway ended is not the cause.
            result = .failure(gateway.failure ?? error)
        }
        await environment.stop()
        try result.get()
    }

    /// Returns the absolute path of the program `switchboard`.
    private func findProgram() throws(CommandFailure) -> URL {
        let url =
            switchboard.map { URL(filePath: $0).absoluteURL }
            ?? URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "switchboard")
        let path = url.path(percentEncoded: false)
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw CommandFailure(
                .usage,
                "there is no program \(path): build it with swift build --product switchboard, or name it with "
                    + "--switchboard"
            )
        }
        return url
    }
}

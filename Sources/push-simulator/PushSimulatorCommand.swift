import ArgumentParser
import Glibc
import PushSimulator

/// The program.
@main
struct PushSimulatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push-simulator",
        abstract: "Stands in for Apple's and Google's push services.",
        discussion: """
            Opens APNs, FCM (with Google's token endpoint at /token) and a control port, prints where, and runs until it \
            gets SIGTERM or SIGINT. Clients must trust ca.pem of the certificates folder.
            """
    )

    @Option(help: "Where APNs listens, HOST:PORT; port 0 takes a free one.")
    var apns = SimulatorAddress(port: 2197)

    @Option(help: "Where FCM and the token endpoint listen.")
    var fcm = SimulatorAddress(port: 2198)

    @Option(help: "Where the control port listens (plain HTTP, no authentication).")
    var control = SimulatorAddress(port: 2199)

    @Option(help: "The folder of certificates and credentials; by default a temporary one.")
    var certificates: String?

    @Flag(help: "Judge and count pushes, but keep none.")
    var quiet = false

    func run() async throws {
        var configuration = SimulatorConfiguration()
        configuration.apns = self.apns
        configuration.fcm = self.fcm
        configuration.control = self.control
        configuration.certificates = self.certificates
        configuration.isQuiet = self.quiet
        do {
            try await SimulatorService(configuration: configuration).runUntilSignalled()
        } catch let error as SimulatorError {
            let text = Array("push-simulator: \(error)\n".utf8)
            _ = write(STDERR_FILENO, text, text.count)
            throw ExitCode.failure
        }
    }
}

extension SimulatorAddress: ExpressibleByArgument {
    /// Reads `HOST:PORT`.
    public init?(argument: String) { self.init(argument) }

    /// As it stands in the usage text.
    public var defaultValueDescription: String { self.description }
}

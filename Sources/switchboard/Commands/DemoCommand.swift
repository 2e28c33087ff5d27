import ArgumentParser
import GatewayClient

/// The former command of the demonstration, which is a program of its own.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Say where the demonstration is now.",
        shouldDisplay: false
    )
    @Flag(help: "Ignored.") var once = false

    func run() throws {
        throw CommandFailure(
            .usage,
            "the demonstration is a program of its own now: run switchboard-demo, or Deploy/quickstart.sh"
        )
    }
}

import ArgumentParser

/// Shows the whole way of a message on this machine.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show the whole way of an agent message, with simulated APNs and FCM on this machine."
    )
    @Flag(help: "End after the demonstration instead of staying up.") var once = false

    func run() async throws {}
}

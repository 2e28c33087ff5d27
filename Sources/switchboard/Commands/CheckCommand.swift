import ArgumentParser

/// Checks configuration, credentials and providers.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the configuration, each app's credentials and a connection to each provider."
    )
    @OptionGroup var options: ServeOptions
    @Flag(help: "One JSON object a line.") var json = false

    func run() async throws {
        _ = try await options.loader.load()
    }
}

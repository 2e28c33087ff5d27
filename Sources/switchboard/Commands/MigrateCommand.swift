import ArgumentParser

/// Brings the database up to date.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Bring the database up to date, or say what would be done."
    )
    @OptionGroup var options: ServeOptions
    @Flag(help: "Only list the migrations that would run.") var dryRun = false
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        _ = try await options.loader.load()
    }
}

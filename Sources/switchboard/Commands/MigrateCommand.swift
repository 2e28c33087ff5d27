import ArgumentParser
import Foundation
import SQLiteStorage
import Telemetry

/// Brings the database up to date.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Bring the database up to date, or say what would be done.",
        discussion: """
            serve does the same when it starts. The data must not be in use.

            EXAMPLE
              switchboard migrate --dry-run
            """
    )
    @OptionGroup var options: ServeOptions
    @Flag(help: "Only list the migrations and what is applied.") var dryRun = false
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        let settings = try await options.loader.load()
        let files = DataDirectory(settings: settings)
        let before = try Self.migrations(files)
        if !dryRun {
            umask(0o077)
            try files.prepare()
            let logger = settings.log.logger("switchboard", threshold: LogThreshold(settings.log.level))
            await (try files.openStore(logger: logger)).close()
        }
        let verb = dryRun ? "pending" : "applied now"
        if json {
            let items = before.map {
                ["name": .string($0.name), "state": .string($0.isApplied ? "applied" : verb)] as JSONValue
            }
            StandardOutput.write(JSONValue.array(items).text)
            return
        }
        for migration in before {
            StandardOutput.write("\(migration.isApplied ? "applied" : verb)  \(migration.name)")
        }
    }

    private static func migrations(_ files: DataDirectory) throws -> [(name: String, isApplied: Bool)] {
        do {
            return try SQLiteStore.migrations(path: files.databasePath)
        } catch {
            throw CommandFailure(error, path: files.databasePath)
        }
    }
}

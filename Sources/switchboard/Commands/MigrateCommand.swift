import ArgumentParser
import Foundation
import Gateway
import GatewayClient
import GatewayStorage
import Telemetry

/// Applies database migrations.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Apply database migrations, or list those that are pending.",
        discussion: """
            serve does the same when it starts. The data must not be in use. Before the first change the database is \
            copied to the same directory as switchboard.sqlite.at- and the name of its last migration, unless \
            storage.copyBeforeMigration is false.

            EXAMPLE
              switchboard migrate --dry-run
            """
    )
    @OptionGroup var options: ServeOptions
    @Flag(help: "Only list the migrations and whether they are applied.") var dryRun = false
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        let settings = try await options.loader.load()
        let files = DataDirectory(settings: settings)
        let plan = try files.migrations()
        let copy = settings.storage.copiesBeforeMigration ? plan.copy : nil
        if !dryRun {
            umask(0o077)
            try files.prepare()
            let logger = settings.log.logger("switchboard", threshold: LogThreshold(settings.log.level))
            await (try files.openStore(logger: logger)).close()
        }
        let verb = dryRun ? "pending" : "applied now"
        if json {
            let first = plan.migrations.first { !$0.isApplied }?.name
            let items = plan.migrations.map { migration in
                var members: [String: JSONValue] = [
                    "name": .string(migration.name), "state": .string(migration.isApplied ? "applied" : verb),
                ]
                if let copy, migration.name == first { members["copy"] = .string(copy) }
                return JSONValue.object(members)
            }
            StandardOutput.write(JSONValue.array(items).text)
            return
        }
        if let copy { StandardOutput.write("\(dryRun ? "the data would be copied to" : "copied to")  \(copy)") }
        for migration in plan.migrations {
            StandardOutput.write("\(migration.isApplied ? "applied" : verb)  \(migration.name)")
        }
    }
}

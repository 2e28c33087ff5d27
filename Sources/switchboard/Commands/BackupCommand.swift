import ArgumentParser
import Foundation
import Gateway
import GatewayClient

/// Copies the database into one file.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the database into one file; a gateway may be running on it.",
        discussion: """
            The file appears when it is complete, checked and synced, with mode 0600. It holds every consumer's \
            messages and the encrypted push credentials, but not the master key: keep that file too, elsewhere.

            EXAMPLE
              switchboard backup /backups/switchboard.sqlite
            """
    )
    @Argument(help: "The file to create.") var file: String
    @OptionGroup var options: ServeOptions
    @Flag(help: "Replace the file if it exists.") var force = false
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        umask(0o077)
        let files = DataDirectory(settings: try await options.loader.load())
        let start = ContinuousClock.now
        let progress = CopyProgress("backing up")
        let report = try files.backup(to: file, isReplacing: force, progress: progress.say)
        CopyResult(file: file, report: report, seconds: start.duration(to: .now)).print(json: json)
        StandardError.write("switchboard: the backup does not hold the master key: keep \(files.masterKeyPath) too")
    }
}

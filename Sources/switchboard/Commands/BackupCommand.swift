import ArgumentParser
import Foundation
import Gateway
import GatewayClient
import GatewayStorage

/// Copies the database into one file.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the database into one file; a gateway may be running on it.",
        discussion: """
            The file appears when it is complete, checked and synced, with mode 0600. It holds every consumer's \
            messages and the encrypted push credentials, but not the master key: keep that file too, elsewhere.

            With --to the file is named after its time, switchboard-20260102T030405Z.sqlite, and is checked in full, \
            every index included. Only then does --keep remove the oldest files with such names. If the backup fails, \
            all earlier ones stay.

            EXAMPLES
              switchboard backup /backups/switchboard.sqlite
              switchboard backup --to /backups --keep 7
            """
    )
    @Argument(help: "The file to create.") var file: String?
    @Option(help: ArgumentHelp("The directory in which to create a file named after its time.", valueName: "dir"))
    var to: String?
    @Option(help: ArgumentHelp("With --to: how many backups stay there; without it all do.", valueName: "number"))
    var keep: Int?
    @OptionGroup var options: ServeOptions
    @Flag(help: "Replace the file if it exists.") var force = false
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard (file == nil) != (to == nil) else { throw ValidationError("Give either a file or --to.") }
        guard keep == nil || to != nil else { throw ValidationError("--keep needs --to.") }
        guard keep ?? 1 >= 1 else { throw ValidationError("--keep must be at least 1.") }
        guard !force || file != nil else { throw ValidationError("--force is for a file; --to replaces none.") }
    }

    func run() async throws {
        umask(0o077)
        let files = DataDirectory(settings: try await options.loader.load())
        let start = ContinuousClock.now
        let progress = CopyProgress("backing up")
        let made = try make(files, progress)
        CopyResult(file: made.file, report: made.report, seconds: start.duration(to: .now)).print(json: json)
        StandardError.write("switchboard: the backup does not hold the master key: keep \(files.masterKeyPath) too")
    }

    private func make(_ files: DataDirectory, _ progress: CopyProgress) throws -> (file: String, report: BackupReport) {
        if let to { return try files.backup(into: to, keeping: keep, progress: progress.say) }
        let target = file ?? ""
        return (target, try files.backup(to: target, isReplacing: force, progress: progress.say))
    }
}

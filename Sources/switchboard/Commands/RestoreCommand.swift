import ArgumentParser
import Foundation
import Logging
import SQLiteStorage
import Telemetry

/// Puts a backup in the place of the data.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Put a backup in the place of the data; no gateway may run on it.",
        discussion: """
            The backup is checked in full before anything is changed, and a database that is there is kept beside it. What \
            was pending when the backup was made is sent again by the next start; what came later is gone, unless the \
            back-ends send those events again: their ids make that safe.

            EXAMPLE
              switchboard restore /backups/switchboard.sqlite
            """
    )
    @Argument(help: "The backup.") var file: String
    @OptionGroup var options: ServeOptions
    @Flag(help: "Replace the database that is there; it is kept under another name.") var force = false
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        umask(0o077)
        let files = DataDirectory(settings: try await options.loader.load())
        try files.prepare()
        let start = ContinuousClock.now
        let progress = CopyProgress("restoring")
        let report: BackupReport
        do {
            report = try SQLiteStore.restore(
                path: files.databasePath,
                from: file,
                isReplacing: force,
                suffix: DataDirectory.timeSuffix(),
                progress: progress.say
            )
        } catch {
            throw CommandFailure(error)
        }
        CopyResult(file: files.databasePath, report: report, seconds: start.duration(to: .now)).print(json: json)
        try await checkMasterKey(files)
    }

    /// Opens what is sealed with the key that is there: a wrong key must show now, and not when the old host is gone.
    private func checkMasterKey(_ files: DataDirectory) async throws {
        guard FileManager.default.fileExists(atPath: files.masterKeyPath) else {
            StandardError.write(
                "switchboard: there is no master key in \(files.masterKeyPath); put the one that belongs to the backup there"
            )
            return
        }
        let logger = files.settings.log.logger("switchboard", threshold: LogThreshold(.warning))
        let store = try files.openStore(logger: logger)
        let result: Result<Void, any Error>
        do {
            _ = try await files.loadDirectory(store: store, logger: logger)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await store.close()
        try result.get()
    }
}

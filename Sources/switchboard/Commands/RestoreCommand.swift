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
            The backup is checked in full before anything is changed, and a database that is there is kept beside it. When \
            the master key is another one than the backup's and a rotation or a restore has kept that beside it, the two \
            change places: the one that was there is kept as master-key.before-restore-TIME. What was pending when the backup was made is sent again by the next start; what came later is gone, unless the \
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
        let seconds = start.duration(to: .now)
        let key: Result<LoadedDirectory.KeyChange?, any Error>
        do { key = .success(try await checkMasterKey(files)) } catch { key = .failure(error) }
        // The data is in its place whatever the key.
        var result = CopyResult(file: files.databasePath, report: report, seconds: seconds)
        switch try? key.get() {
        case .taken(let from, let kept):
            result.keyKeptAside = kept
            StandardError.write(
                "switchboard: the key in \(from) opens what was restored, so it is in \(files.masterKeyPath) now; the one "
                    + "that was there is kept as \(kept): the data that was replaced, and its backups, need it"
            )
        case .finished(let kept): result.keyKeptAside = kept
        case nil: break
        }
        result.print(json: json)
        _ = try key.get()
    }

    /// Opens what is sealed, with a kept key where the one that is there is another one: a wrong key must show now, and not
    /// when the old host is gone.
    private func checkMasterKey(_ files: DataDirectory) async throws -> LoadedDirectory.KeyChange? {
        guard FileManager.default.fileExists(atPath: files.masterKeyPath) else {
            StandardError.write(
                "switchboard: there is no master key in \(files.masterKeyPath); put the one that belongs to the backup there"
            )
            return nil
        }
        let logger = files.settings.log.logger("switchboard", threshold: LogThreshold(.warning))
        let store = try files.openStore(logger: logger)
        let result: Result<LoadedDirectory.KeyChange?, any Error>
        do {
            result = .success(try await files.loadDirectory(store: store, logger: logger, mayTakeKept: true).change)
        } catch {
            result = .failure(error)
        }
        await store.close()
        return try result.get()
    }
}

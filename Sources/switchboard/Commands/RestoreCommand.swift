import ArgumentParser
import Foundation
import Gateway
import GatewayClient
import GatewayStorage
import Logging
import Telemetry

/// Replaces the database with a backup.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Replace the database with a backup; no gateway may run on it.",
        discussion: """
            The backup is checked in full before anything is changed, and the existing database is kept beside it. If \
            the backup needs another master key than the current one, and a rotation or a restore has kept that key, \
            the two are swapped: the current key is kept as master-key.before-restore-TIME. Deliveries that were \
            pending in the backup are sent again at the next start. Later events are lost unless the back-ends post \
            them again; event ids make that safe.

            EXAMPLE
              switchboard restore /backups/switchboard.sqlite
            """
    )
    @Argument(help: "The backup file.") var file: String
    @OptionGroup var options: ServeOptions
    @Flag(help: "Replace an existing database; it is kept under another name.") var force = false
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        umask(0o077)
        let files = DataDirectory(settings: try await options.loader.load())
        try files.prepare()
        let start = ContinuousClock.now
        let progress = CopyProgress("restoring")
        let report = try files.restore(from: file, isReplacing: force, progress: progress.say)
        let seconds = start.duration(to: .now)
        let key: Result<LoadedDirectory.KeyChange?, any Error>
        do { key = .success(try await checkMasterKey(files)) } catch { key = .failure(error) }
        // The database is in place, whatever the result for the key.
        var result = CopyResult(file: files.databasePath, report: report, seconds: seconds)
        switch try? key.get() {
        case .taken(let from, let kept):
            result.keyKeptAside = kept
            StandardError.write(
                "switchboard: the key in \(from) decrypts the restored data and is now in \(files.masterKeyPath); the one "
                    + "that was there is kept as \(kept): the replaced data and its backups need it"
            )
        case .finished(let kept): result.keyKeptAside = kept
        case nil: break
        }
        result.print(json: json)
        _ = try key.get()
    }

    /// Decrypts the stored secrets, with a kept key if the current one does not fit: a wrong key must be noticed now,
    /// not when the old host is gone.
    private func checkMasterKey(_ files: DataDirectory) async throws -> LoadedDirectory.KeyChange? {
        guard FileManager.default.fileExists(atPath: files.masterKeyPath) else {
            StandardError.write(
                "switchboard: there is no master key in \(files.masterKeyPath); put the backup's master key there"
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

import Foundation
import GatewayModel
import Identity
import Logging
import SQLiteStorage
import Telemetry

/// Brands, apps and credentials, and what became of the master key while they were loaded.
struct LoadedDirectory {
    /// What came into force in the place of the key that was there.
    enum KeyChange {
        /// The new key of a change that was cut short after its commit.
        case finished(keptAside: String)
        /// A copy of a kept key.
        case taken(from: String, keptAside: String)
    }

    /// Brands, apps and credentials.
    let directory: Directory
    /// The key in force.
    let key: MasterKey
    /// Nil when the key that was there is in force.
    var change: KeyChange?
}

extension DataDirectory {
    /// Loads brands, apps and credentials with the master key, and finishes a change of that key that was cut short after
    /// its commit.
    ///
    /// The key is read here: who holds the store is the only one that may change it.
    ///
    /// - Parameters:
    ///   - store: The store, which nobody else has open.
    ///   - clock: The time of what is written.
    ///   - logger: For what became of a change that was cut short.
    ///   - mayTakeKept: Whether a kept key that opens the data is put in force where the one that is there does not.
    /// - Returns: The directory, with the key that opened it.
    /// - Throws: ``CommandFailure``.
    func loadDirectory(
        store: SQLiteStore,
        clock: any GatewayClock = SystemClock(),
        logger: Logger,
        mayTakeKept: Bool = false
    ) async throws -> LoadedDirectory {
        let key = try readMasterKey()
        let file = MasterKeyFile(path: masterKeyPath)
        do {
            let directory = try await Self.load(store, key, clock)
            if file.hasNew {
                logger.warning(
                    "a master key that is not used lies beside the one that is: a rotation did not come to its end; the next sets it aside",
                    metadata: [LogKey.path: "\(file.newPath)"]
                )
            }
            return LoadedDirectory(directory: directory, key: key)
        } catch {
            guard case .wrongMasterKey = error else { throw CommandFailure(error, path: databasePath) }
            if let new = MasterKeyFile.read(file.newPath), let directory = try? await Self.load(store, new, clock) {
                let old = try file.replace(time: Self.timeSuffix())
                logger.warning(
                    "a change of the master key that was cut short is finished; backups from before it need the old key",
                    metadata: [LogKey.path: "\(old)"]
                )
                return LoadedDirectory(directory: directory, key: new, change: .finished(keptAside: old))
            }
            return try await loadWithKept(
                file,
                store,
                clock,
                mayTake: mayTakeKept,
                CommandFailure(error, path: databasePath)
            )
        }
    }

    /// Looks for a kept key that opens the data; takes it or says what to do.
    private func loadWithKept(
        _ file: MasterKeyFile,
        _ store: SQLiteStore,
        _ clock: any GatewayClock,
        mayTake: Bool,
        _ failure: CommandFailure
    ) async throws -> LoadedDirectory {
        var failure = failure
        for path in file.kept {
            guard let key = MasterKeyFile.read(path), let directory = try? await Self.load(store, key, clock)
            else { continue }
            failure.message += "; the key in \(path) opens it"
            if mayTake {
                do {
                    let old = try file.take(key, time: Self.timeSuffix())
                    return LoadedDirectory(
                        directory: directory,
                        key: key,
                        change: .taken(from: path, keptAside: old)
                    )
                } catch let cause as CommandFailure {
                    failure.message += ", but could not be put in place: \(cause.message)"
                }
            }
            // Overwriting would lose a key of which there may be no other copy.
            failure.message +=
                "; move \(file.path) to another name first, as other data and its backups need that key, and then copy "
                + "\(path) to \(file.path)"
            break
        }
        throw failure
    }

    /// The end of a file's name that says when: `20260102T030405Z`.
    static func timeSuffix() -> String {
        SystemClock().now.rfc3339.prefix { $0 != "." }.filter { $0 != "-" && $0 != ":" } + "Z"
    }

    private static func load(
        _ store: SQLiteStore,
        _ key: MasterKey,
        _ clock: any GatewayClock
    ) async throws(DirectoryError) -> Directory {
        try await Directory.load(
            store: store,
            box: SecretBox(key: key),
            clock: clock,
            // Certificates are dated by others.
            reader: AppCheck(clock: SystemClock())
        )
    }
}

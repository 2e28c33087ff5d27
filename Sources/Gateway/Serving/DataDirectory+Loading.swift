import Foundation
import GatewayClient
package import GatewayModel
package import GatewayStorage
package import Identity
package import Logging
import Telemetry

/// Brands, apps and credentials, and a change of the master key while they were loaded.
package struct LoadedDirectory: Sendable {
    /// The key that replaced the key file's content.
    package enum KeyChange: Sendable {
        /// The new key of a rotation that was interrupted after its commit.
        case finished(keptAside: String)
        /// A copy of a kept key.
        case taken(from: String, keptAside: String)
    }

    /// Brands, apps and credentials.
    let directory: Directory
    /// The key in use.
    package let key: MasterKey
    /// The change of the key file; nil when it is unchanged.
    package var change: KeyChange?
}

extension DataDirectory {
    /// Loads brands, apps and credentials with the master key, and completes a rotation that was interrupted after its
    /// commit; throws ``CommandFailure``.
    ///
    /// The key is read here, because only the process that holds the store, opened exclusively, may change it. If
    /// `mayTakeKept`, a kept key is used that decrypts the data if the current one does not. The directory has the key
    /// that opened it.
    package func loadDirectory(
        store: any TenantStore & AuditStore,
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
                    "unused master key found: a rotation was interrupted; the next rotation sets the key aside",
                    metadata: [LogKey.path: "\(file.newPath)"]
                )
            }
            return LoadedDirectory(directory: directory, key: key)
        } catch {
            guard case .wrongMasterKey = error else { throw CommandFailure(error, path: databasePath) }
            if let new = MasterKeyFile.read(file.newPath), let directory = try? await Self.load(store, new, clock) {
                let old = try file.replace(time: Self.timeSuffix())
                logger.warning(
                    "completed an interrupted rotation of the master key; older backups need the old key",
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

    /// Looks for a kept key that decrypts the data; uses it, or throws an error that says what to do.
    private func loadWithKept(
        _ file: MasterKeyFile,
        _ store: any TenantStore & AuditStore,
        _ clock: any GatewayClock,
        mayTake: Bool,
        _ failure: CommandFailure
    ) async throws -> LoadedDirectory {
        var failure = failure
        for path in file.kept {
            guard let key = MasterKeyFile.read(path), let directory = try? await Self.load(store, key, clock)
            else { continue }
            failure.message += "; the key in \(path) decrypts it"
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
            // Overwriting could lose the only copy of a key.
            failure.message +=
                "; move \(file.path) to another name first, as other data and its backups need that key, and then copy "
                + "\(path) to \(file.path)"
            break
        }
        throw failure
    }

    /// Returns the time as the suffix of a file name: `20260102T030405Z`.
    package static func timeSuffix() -> String {
        SystemClock().now.rfc3339.prefix { $0 != "." }.filter { $0 != "-" && $0 != ":" } + "Z"
    }

    private static func load(
        _ store: any TenantStore & AuditStore,
        _ key: MasterKey,
        _ clock: any GatewayClock
    ) async throws(DirectoryError) -> Directory {
        try await Directory.load(
            store: store,
            box: SecretBox(key: key),
            clock: clock,
            // Certificates are dated by the wall clock.
            reader: AppCheck(clock: SystemClock())
        )
    }
}

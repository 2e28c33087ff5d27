import Foundation
import GatewayClient
package import GatewayStorage
import Identity
package import Logging
import SQLiteStorage
internal import TextFormats

extension DataDirectory {
    /// Reads the admin token, or creates it at the first start; returns whether this start created it; throws
    /// ``CommandFailure``.
    func readAdminToken() throws -> (token: AdminToken, isNew: Bool) {
        let (text, isNew) = try adminToken { AdminToken.makeText() }
        do {
            return (try AdminToken(text: text), isNew)
        } catch {
            throw CommandFailure(.usage, "\(adminTokenPath): \(error.text)")
        }
    }

    /// Creates the master key of an instance that has no data yet, so that data never exists without its key; throws
    /// ``CommandFailure``, also when its file is configured but missing.
    func makeMasterKey() throws {
        guard !FileManager.default.fileExists(atPath: databasePath) else { return }
        _ = try readMasterKey()
    }

    /// Reads the master key, or creates it at the first start; another process may change it while the store is not
    /// open; throws ``CommandFailure``.
    func readMasterKey() throws -> MasterKey {
        let (text, _) = try masterKey { MasterKey().base64 }
        do {
            return try MasterKey(base64: text)
        } catch {
            throw CommandFailure(.masterKey, "\(masterKeyPath): \(error.text)")
        }
    }
}

// The engine is named here and nowhere else.
extension DataDirectory {
    /// Opens the database exclusively: creates it at the first start, migrates it at later ones; throws
    /// ``CommandFailure``.
    package func openStore(logger: Logger) throws -> any GatewayStore {
        let unfinished = SQLiteStore.unfinishedRestore(of: databasePath)
        guard access(unfinished, F_OK) != 0 else {
            throw CommandFailure(
                .data,
                "\(unfinished) exists: a restore was interrupted; run switchboard restore again with --force"
            )
        }
        do {
            return try SQLiteStore.open(
                path: databasePath,
                copiesBeforeMigration: settings.storage.copiesBeforeMigration,
                memoryBytes: Int(settings.storage.memoryMegabytes) << 20,
                tunesFileAccess: settings.storage.tunesFileAccess,
                logger: logger
            )
        } catch {
            var failure = CommandFailure(error, path: databasePath)
            if case .newerSchema = error, let copy = SQLiteStore.copyBeforeNewerVersion(of: databasePath) {
                failure.message += "; \(copy) is the data as it was before that version migrated it"
            }
            throw failure
        }
    }

    /// Returns the applied and pending migrations of the data, without changing it: all are pending when there is no
    /// data; throws ``CommandFailure``.
    package func migrations() throws -> MigrationPlan {
        do { return try SQLiteStore.migrations(path: databasePath) } catch {
            throw CommandFailure(error, path: databasePath)
        }
    }

    /// Copies the data into one file of mode 0600, whether a gateway uses it or not; blocks.
    ///
    /// `progress` is called regularly with the copied and the total number of pages.
    ///
    /// - Throws: ``CommandFailure``; then nothing was changed.
    package func backup(
        to file: String,
        isReplacing: Bool,
        progress: (_ done: Int, _ total: Int) -> Void
    ) throws -> BackupReport {
        do {
            return try SQLiteStore.backup(path: databasePath, to: file, isReplacing: isReplacing, progress: progress)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Adds a backup to a directory of backups, which must exist, and removes old ones once it is complete and checked
    /// in full; blocks.
    ///
    /// `keeping` backups stay, the new one included; nil removes none. `storage.minFreeMegabytes` stay free on the
    /// directory's file system. `progress` is called regularly with the copied and the total number of pages.
    ///
    /// - Throws: ``CommandFailure``; then no backup was removed, unless the error is one of a removal.
    package func backup(
        into directory: String,
        keeping: Int?,
        progress: (_ done: Int, _ total: Int) -> Void
    ) throws -> (file: String, report: BackupReport) {
        do {
            return try SQLiteStore.backup(
                path: databasePath,
                into: directory,
                keeping: keeping,
                time: Self.timeSuffix(),
                reservedBytes: settings.storage.minFreeMegabytes << 20,
                progress: progress
            )
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Checks a backup in full without changing it, or the newest one of a directory of backups; blocks; throws
    /// ``CommandFailure``.
    package static func verify(_ path: String) throws -> (file: String, report: VerificationReport) {
        var isDirectory: ObjCBool = false
        var file = path
        if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue {
            guard let newest = SQLiteStore.newestBackup(in: path) else {
                throw CommandFailure(.data, "\(path) has no backup whose name is switchboard-TIME.sqlite")
            }
            file = newest
        }
        do {
            return (file, try SQLiteStore.verify(path: file))
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Replaces the data by a backup; no process may use the data.
    ///
    /// The earlier database is kept beside it. Blocks. `progress` is called regularly with the copied and the total
    /// number of pages.
    ///
    /// - Throws: ``CommandFailure``; then the data is unchanged.
    package func restore(
        from file: String,
        isReplacing: Bool,
        progress: (_ done: Int, _ total: Int) -> Void
    ) throws -> BackupReport {
        do {
            return try SQLiteStore.restore(
                path: databasePath,
                from: file,
                isReplacing: isReplacing,
                suffix: Self.timeSuffix(),
                progress: progress
            )
        } catch {
            throw CommandFailure(error)
        }
    }

    /// The free bytes on the data's file system; nil when the system does not report it.
    var freeBytes: UInt64? { FreeSpace.bytes(at: databasePath) }

    /// Warnings about data directories that group or others may enter, each with what to do.
    ///
    /// Files of the gateway are not readable by others, but files that an operator adds may be: a backup, a restored
    /// key.
    package var openDirectories: [String] {
        let names = [settings.server.dataDir, databasePath.folderOfPath]
        var warnings: [String] = []
        var seen: Set<[UInt64]> = []
        for name in names.map({ $0.isEmpty ? "." : $0 }).sorted() {
            // Two names may be the same directory.
            guard let permissions = DirectoryPermissions(of: name), permissions.isOpenToOthers,
                seen.insert(permissions.identity).inserted
            else { continue }
            let mode = String(permissions.mode, radix: 8)
            warnings.append("\(name) is open to group or others (mode \(mode)); run chmod 700 on it")
        }
        return warnings
    }
}

extension StorageSettings {
    /// The default of ``memoryMegabytes``.
    static let defaultMemoryMegabytes = UInt64(SQLiteStore.defaultMemoryBytes >> 20)
}

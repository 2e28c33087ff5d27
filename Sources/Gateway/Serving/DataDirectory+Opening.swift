import Foundation
import GatewayClient
import GatewayStorage
import Identity
package import Logging
package import SQLiteStorage

extension DataDirectory {
    /// Reads the admin token, or creates it at the first start.
    ///
    /// - Returns: The token, and whether this start created it.
    /// - Throws: ``CommandFailure``.
    func readAdminToken() throws -> (token: AdminToken, isNew: Bool) {
        let (text, isNew) = try adminToken { AdminToken.makeText() }
        do {
            return (try AdminToken(text: text), isNew)
        } catch {
            throw CommandFailure(.usage, "\(adminTokenPath): \(error.text)")
        }
    }

    /// Creates the master key of an instance that has no data yet, so that data never exists without its key.
    ///
    /// - Throws: ``CommandFailure``, also when its file is configured but missing.
    func makeMasterKey() throws {
        guard !FileManager.default.fileExists(atPath: databasePath) else { return }
        _ = try readMasterKey()
    }

    /// Reads the master key, or creates it at the first start; another process may change it while the store is not
    /// open.
    ///
    /// - Returns: The key.
    /// - Throws: ``CommandFailure``.
    func readMasterKey() throws -> MasterKey {
        let (text, _) = try masterKey { MasterKey().base64 }
        do {
            return try MasterKey(base64: text)
        } catch {
            throw CommandFailure(.masterKey, "\(masterKeyPath): \(error.text)")
        }
    }
}

extension DataDirectory {
    /// Opens the database: creates it at the first start, migrates it at later ones.
    ///
    /// - Parameter logger: The logger for warnings.
    /// - Returns: The store, opened exclusively.
    /// - Throws: ``CommandFailure``.
    package func openStore(logger: Logger) throws -> SQLiteStore {
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
                logger: logger
            )
        } catch {
            throw CommandFailure(error, path: databasePath)
        }
    }
}

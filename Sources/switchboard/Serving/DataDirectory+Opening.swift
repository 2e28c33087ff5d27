import Foundation
import GatewayStorage
import Identity
import Logging
import SQLiteStorage

extension DataDirectory {
    /// The admin token, made at the first start.
    ///
    /// - Returns: The token, and whether this start made it.
    /// - Throws: ``CommandFailure``.
    func readAdminToken() throws -> (token: AdminToken, isNew: Bool) {
        let (text, isNew) = try adminToken { AdminToken.makeText() }
        do {
            return (try AdminToken(text: text), isNew)
        } catch {
            throw CommandFailure(.usage, "\(adminTokenPath): \(error.text)")
        }
    }

    /// Makes the master key of an instance that has no data yet, so that no data is ever without its key.
    ///
    /// - Throws: ``CommandFailure``, also when its file was named and is not there.
    func makeMasterKey() throws {
        guard !FileManager.default.fileExists(atPath: databasePath) else { return }
        _ = try readMasterKey()
    }

    /// The master key, made at the first start; another process may change it while the store is not open.
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
    /// Opens the database, made at the first start and brought up to date at later ones.
    ///
    /// - Parameter logger: For what operators should know.
    /// - Returns: The store, which nobody else has open.
    /// - Throws: ``CommandFailure``.
    func openStore(logger: Logger) throws -> SQLiteStore {
        let unfinished = SQLiteStore.unfinishedRestore(of: databasePath)
        guard access(unfinished, F_OK) != 0 else {
            throw CommandFailure(
                .data,
                "\(unfinished) is there: a restore did not come to its end; run switchboard restore again with --force"
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

import GatewayStorage
import Identity
import SQLiteStorage

extension CommandFailure {
    /// What a failure of the store means for the process.
    ///
    /// - Parameters:
    ///   - error: The store's error.
    ///   - path: The database.
    init(_ error: StorageError, path: String) {
        switch error {
        case .newerSchema, .changedMigration:
            self.init(.newerDatabase, "\(path): \(error.text); start that version, or restore a backup")
        default:
            self.init(.data, "\(path): \(error.text)")
        }
    }

    /// What a backup or restore that was not made means for the process.
    ///
    /// - Parameter error: Why.
    init(_ error: BackupError) {
        switch error {
        case .source(.newerSchema, _), .source(.changedMigration, _): self.init(.newerDatabase, error.text)
        case .exists: self.init(.usage, error.text)
        case .source, .target, .missing: self.init(.data, error.text)
        }
    }

    /// What a failure to load brands, apps and credentials means for the process.
    ///
    /// - Parameters:
    ///   - error: The directory's error.
    ///   - path: The database.
    init(_ error: DirectoryError, path: String) {
        switch error {
        case .storage(let error): self.init(error, path: path)
        case .wrongMasterKey: self.init(.masterKey, error.text)
        default: self.init(.data, "\(path): \(error.text)")
        }
    }
}

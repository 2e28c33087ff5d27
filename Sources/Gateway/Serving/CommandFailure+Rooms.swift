package import GatewayClient
package import GatewayStorage
package import Identity

extension CommandFailure {
    /// Maps an error of the store to an exit status and message.
    package init(_ error: StorageError, path: String) {
        switch error {
        case .newerSchema, .changedMigration:
            self.init(.newerDatabase, "\(path): \(error.text); start that version, or restore a backup")
        default:
            self.init(.data, "\(path): \(error.text)")
        }
    }

    /// Maps the error of a failed backup or restore to an exit status and message.
    package init(_ error: BackupError) {
        switch error {
        case .source(.newerSchema, _), .source(.changedMigration, _): self.init(.newerDatabase, error.text)
        case .exists: self.init(.usage, error.text)
        case .source, .target, .missing: self.init(.data, error.text)
        }
    }

    /// Maps an error in loading brands, apps and credentials to an exit status and message.
    package init(_ error: DirectoryError, path: String) {
        switch error {
        case .storage(let error): self.init(error, path: path)
        case .wrongMasterKey: self.init(.masterKey, error.text)
        default: self.init(.data, "\(path): \(error.text)")
        }
    }
}

import CSQLite
import GatewayStorage

extension StorageError {
    /// Maps an error of SQLite.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - path: The database file, for the operator.
    init(sqlite error: any Error, path: String) {
        if let error = error as? StorageError {
            self = error
            return
        }
        if error is ColumnTypeError || error is DecodingError {
            // The pages are well formed, but a value has another type than was written: only damage causes this.
            self = .damaged(path, "a stored value has an unexpected type")
            return
        }
        guard let error = error as? SQLiteError else {
            self = .unavailable(detail: "\(path): \(type(of: error))")
            return
        }
        let detail = "\(path): \(error.text)"
        switch error.primaryCode {
        case SQLITE_FULL: self = .full(detail: detail)
        case SQLITE_READONLY, SQLITE_PERM: self = .readOnly(detail: detail)
        case SQLITE_CORRUPT, SQLITE_NOTADB: self = .damaged(path, error.text)
        case SQLITE_BUSY, SQLITE_LOCKED:
            // The store's own connections wait for each other, and the lock file excludes other gateways.
            self = .locked(detail: "another program holds a lock on the database file \(path)")
        case SQLITE_CONSTRAINT, SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_RANGE: self = .constraint(detail: detail)
        case SQLITE_CANTOPEN: self = .unavailable(detail: "the file cannot be opened: \(detail)")
        case SQLITE_IOERR:
            self = .unavailable(detail: "the disk failed (code \(error.code)): \(detail)")
        default: self = .unavailable(detail: "error \(error.primaryCode): \(detail)")
        }
    }

    private static func damaged(_ path: String, _ reason: String) -> StorageError {
        .corrupt(detail: "\(path): \(reason); restore it from a backup with `switchboard restore`")
    }
}

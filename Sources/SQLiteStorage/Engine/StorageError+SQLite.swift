import GRDB
import GatewayStorage

extension StorageError {
    /// What an error of SQLite or GRDB means for the gateway.
    ///
    /// SQLite's own texts name tables and columns, never values.
    init(sqlite error: any Error) {
        if let error = error as? StorageError {
            self = error
            return
        }
        guard let error = error as? DatabaseError else {
            self = .unavailable(detail: "\(type(of: error))")
            return
        }
        let detail = error.message ?? error.resultCode.description
        switch error.resultCode {
        case .SQLITE_FULL: self = .full(detail: detail)
        case .SQLITE_READONLY, .SQLITE_PERM: self = .readOnly(detail: detail)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .corrupt(detail: detail)
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .locked(detail: detail)
        case .SQLITE_CONSTRAINT, .SQLITE_TOOBIG, .SQLITE_MISMATCH, .SQLITE_RANGE: self = .constraint(detail: detail)
        case .SQLITE_CANTOPEN: self = .unavailable(detail: "the file cannot be opened: \(detail)")
        default: self = .unavailable(detail: "\(error.resultCode): \(detail)")
        }
    }
}

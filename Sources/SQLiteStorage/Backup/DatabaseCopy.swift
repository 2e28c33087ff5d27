import CSQLite
import Foundation
import GatewayStorage
import SQLStorage

/// Copies one database file into another through SQLite, so that the content of the WAL is included.
struct DatabaseCopy {
    /// The check of the copy.
    enum Check: String {
        /// Checks that every page is well formed.
        case quick = "quick_check"
        /// Also checks that every index agrees with its table.
        case full = "integrity_check"
    }

    /// The source file; never written.
    let source: String
    /// The target file: mode 0600, without a WAL, synced.
    let partial: String
    /// The check of the copy.
    let check: Check

    /// Pages per step: 4 MB, so that progress is visible.
    private static let pagesPerStep: CInt = 1000

    /// Copies and checks; after an error nothing of the copy is left.
    ///
    /// One read transaction keeps a snapshot of the source: a gateway that writes meanwhile does not restart the copy,
    /// and its WAL grows until the copy is done.
    ///
    /// - Parameter progress: Called after each step with the copied and the total number of pages.
    /// - Returns: The report of the copy.
    /// - Throws: ``BackupError``.
    func run(progress: (_ done: Int, _ total: Int) -> Void) throws(BackupError) -> BackupReport {
        guard FileManager.default.fileExists(atPath: source) else { throw .missing(path: source) }
        let lock = try claim()
        defer { close(lock) }
        do throws(BackupError) {
            let report = try copy(progress: progress)
            guard fsync(lock) == 0 else { throw target(.unavailable(detail: Self.systemError())) }
            return report
        } catch {
            for end in ["", "-journal", "-wal", "-shm"] { unlink(partial + end) }
            throw error
        }
    }

    /// Creates the empty file, and keeps other processes from writing it at the same time.
    private func claim() throws(BackupError) -> Int32 {
        let descriptor = Foundation.open(partial, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            let error = errno
            let text = Self.systemError()
            switch error {
            case EACCES, EROFS, EPERM: throw target(.readOnly(detail: text))
            case ENOSPC, EDQUOT: throw target(.full(detail: text))
            default: throw target(.unavailable(detail: text))
            }
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw target(.locked(detail: "another backup is writing it"))
        }
        // The rest of a copy that was killed.
        guard ftruncate(descriptor, 0) == 0, fchmod(descriptor, 0o600) == 0 else {
            let text = Self.systemError()
            close(descriptor)
            throw target(.unavailable(detail: text))
        }
        for end in ["-journal", "-wal", "-shm"] { unlink(partial + end) }
        return descriptor
    }

    private func copy(progress: (Int, Int) -> Void) throws(BackupError) -> BackupReport {
        do {
            let reader = try open()
            let writer = try Connection(path: partial)
            // The file is synced once, at its end; until then nothing reads it.
            try writer.run("PRAGMA synchronous = OFF")
            try reader.snapshot { source in
                // This read begins the transaction. Without it each step would begin and end one of its own, and start over
                // after each write by another connection.
                try Self.checkSchema(source, path: self.source)
                try Self.copy(source, to: writer, progress)
            }
            // One file, readable without a WAL beside it; a gateway that opens it switches back to WAL mode.
            try writer.run("PRAGMA journal_mode = DELETE")
            return try describe(writer)
        } catch let error as BackupError {
            throw error
        } catch {
            let error = StorageError(sqlite: error, path: partial)
            // A page that cannot be read came from the source.
            if case .corrupt = error { throw .source(error, path: source) }
            throw target(error)
        }
    }

    /// Copies all pages (https://sqlite.org/backup.html).
    private static func copy(_ source: Connection, to target: Connection, _ progress: (Int, Int) -> Void) throws {
        guard let backup = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
            throw SQLiteError(of: target.handle)
        }
        var code = SQLITE_OK
        while code == SQLITE_OK {
            code = sqlite3_backup_step(backup, pagesPerStep)
            guard code == SQLITE_OK || code == SQLITE_DONE else { break }
            let total = sqlite3_backup_pagecount(backup)
            progress(Int(total - sqlite3_backup_remaining(backup)), Int(total))
        }
        sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE else { throw SQLiteError(code) }
    }

    private func open() throws(BackupError) -> Connection {
        do {
            return try Connection(path: source, isReadOnly: true)
        } catch {
            throw .source(StorageError(sqlite: error, path: source), path: source)
        }
    }

    private static func checkSchema(_ db: Connection, path: String) throws(BackupError) {
        do {
            let schema = try Schema(db)
            try schema.check()
            guard !schema.applied.isEmpty else { throw StorageError.foreign(detail: "it has no tables") }
        } catch {
            throw .source(StorageError(sqlite: error, path: path), path: path)
        }
    }

    private func describe(_ db: Connection) throws -> BackupReport {
        let faults = try db.prepare(once: "PRAGMA \(check.rawValue)(1)").all { try $0.storedText(0) }
        guard faults == ["ok"] else {
            // The text names pages, tables and indexes, no values.
            throw BackupError.source(.corrupt(detail: faults.first ?? "the check failed"), path: source)
        }
        let size = try db.size
        return BackupReport(
            bytes: size.bytes,
            pages: size.pages,
            pendingDeliveries: Int(try db.prepare(once: "SELECT count(*) FROM outbox").integer() ?? 0),
            newestMigration: try Schema(db).applied.last?.name ?? ""
        )
    }

    private func target(_ error: StorageError) -> BackupError { .target(error, path: partial) }

    static func systemError() -> String { String(cString: strerror(errno)) }
}

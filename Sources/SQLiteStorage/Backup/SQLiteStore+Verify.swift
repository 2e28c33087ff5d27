import CSQLite
import Foundation
package import GatewayStorage
import SQLStorage

extension SQLiteStore {
    /// The kinds of rows that a verification counts, with their tables; a table that the data does not have yet has
    /// none.
    private static let countedTables: [(kind: String, table: String)] = [
        ("brands", "brands"), ("apps", "apps"), ("credentials", "credentials"), ("consumers", "consumers"),
        ("sessions", "sessions"), ("devices", "registrations"), ("conversations", "conversations"),
        ("messages", "messages"), ("pendingDeliveries", "outbox"), ("finishedDeliveries", "delivery_log"),
        ("outboundItems", "outbound"), ("subscriptions", "subscriptions"), ("auditEntries", "audit"),
        ("inboxItems", "inbox_items"), ("inAppMessages", "in_app_messages"),
        ("hooks", "hooks"), ("operators", "operators"),
    ]

    /// Checks a backup in full: its pages, that every index agrees with its table, and its schema.
    ///
    /// The file is opened read-only. Blocks.
    ///
    /// - Parameter path: The backup.
    /// - Returns: The report of the backup.
    /// - Throws: ``BackupError``: missing, or source with the reason.
    package static func verify(path: String) throws(BackupError) -> VerificationReport {
        guard FileManager.default.fileExists(atPath: path) else { throw .missing(path: path) }
        do {
            try DatabaseHeader(path: path).check()
            return try Connection(path: path, isReadOnly: true).snapshot { try report(on: $0) }
        } catch let error as SQLiteError where [SQLITE_CORRUPT, SQLITE_NOTADB].contains(error.primaryCode) {
            throw .source(.corrupt(detail: error.text), path: path)
        } catch {
            throw .source(StorageError(sqlite: error, path: path), path: path)
        }
    }

    private static func report(on db: Connection) throws -> VerificationReport {
        let schema = try Schema(db)
        try schema.check()
        guard let newest = schema.applied.last else { throw StorageError.foreign(detail: "it has no tables") }
        let faults = try db.prepare(once: "PRAGMA integrity_check(1)").all { try $0.storedText(0) }
        guard faults == ["ok"] else {
            // The text names pages, tables and indexes, no values.
            throw StorageError.corrupt(detail: faults.first ?? "the check failed")
        }
        let size = try db.size
        return VerificationReport(
            bytes: size.bytes,
            pages: size.pages,
            newestMigration: newest.name,
            pendingMigrations: schema.pending().map(\.name),
            rows: try countedTables.map { kind, table in
                let isThere = try db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
                    .text(table).hasRow()
                let count = isThere ? try db.prepare(once: "SELECT count(*) FROM \(table)").integer() : nil
                return VerificationReport.Rows(kind: kind, count: Int(count ?? 0))
            }
        )
    }
}

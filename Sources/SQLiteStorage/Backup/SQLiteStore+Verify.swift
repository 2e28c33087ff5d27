import Foundation
import GRDB
package import GatewayStorage

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
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(busySeconds)
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            return try queue.read { try report(on: $0) }
        } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
            throw .source(.corrupt(detail: error.message ?? error.resultCode.description), path: path)
        } catch {
            throw .source(StorageError(sqlite: error, path: path), path: path)
        }
    }

    private static func report(on db: Database) throws -> VerificationReport {
        let schema = try Schema(db)
        try schema.check()
        guard let newest = schema.applied.last else { throw StorageError.foreign(detail: "it has no tables") }
        let faults = try String.fetchAll(db, sql: "PRAGMA integrity_check(1)")
        guard faults == ["ok"] else {
            // The text names pages, tables and indexes, no values.
            throw StorageError.corrupt(detail: faults.first ?? "the check failed")
        }
        let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
        return VerificationReport(
            bytes: pages * (try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0),
            pages: pages,
            newestMigration: newest.name,
            pendingMigrations: schema.pending().map(\.name),
            rows: try countedTables.map { kind, table in
                VerificationReport.Rows(
                    kind: kind,
                    count: try db.tableExists(table)
                        ? Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)") ?? 0 : 0
                )
            }
        )
    }
}

import GRDB
package import GatewayModel
package import GatewayStorage

extension SQLiteStore {
    package func storedTime() async throws(StorageError) -> StoredTime {
        try await read { db in
            let mark = try Row.fetchOne(db, sql: "SELECT trusted, guarded FROM clock_mark WHERE id = 1")
            // The last row of each by its number: one index lookup.
            let newest = [
                "SELECT accepted_at FROM messages ORDER BY key DESC LIMIT 1",
                "SELECT started_at FROM incarnations ORDER BY id DESC LIMIT 1",
                "SELECT at FROM audit ORDER BY id DESC LIMIT 1",
            ]
            return StoredTime(
                mark: try mark.map { row in
                    ClockMark(trusted: Timestamp(milliseconds: try row.value(0)), guardedMilliseconds: try row.value(1))
                },
                written: try newest.compactMap { try Int64.fetchOne(db, sql: $0).map(Timestamp.init(milliseconds:)) }
            )
        }
    }

    package func keep(_ mark: ClockMark, audit: AuditEntry?) async throws(StorageError) {
        try await write { writer in
            try writer.db.prepare("INSERT OR REPLACE INTO clock_mark (id, trusted, guarded) VALUES (1, ?, ?)")
                .int(mark.trusted.milliseconds).int(mark.guardedMilliseconds).run()
            try writer.write(audit)
        }
    }
}

package import GatewayModel
package import GatewayStorage

extension ClockStore where Self: SQLStore {
    package func storedTime() async throws(StorageError) -> StoredTime {
        try await inSnapshot { db in
            let mark = try db.prepare("SELECT trusted, guarded FROM clock_mark WHERE id = 1").first { row in
                ClockMark(trusted: try row.value(0), guardedMilliseconds: try row.value(1))
            }
            // The last row of each by its number: one index lookup.
            let newest: [StaticString] = [
                "SELECT accepted_at FROM messages ORDER BY key DESC LIMIT 1",
                "SELECT started_at FROM incarnations ORDER BY id DESC LIMIT 1",
                "SELECT at FROM audit ORDER BY id DESC LIMIT 1",
            ]
            let written: [Timestamp] = try newest.compactMap { try db.prepare($0).first { try $0.value(0) } }
            return StoredTime(mark: mark, written: written)
        }
    }

    package func keep(_ mark: ClockMark, audit: AuditEntry?) async throws(StorageError) {
        try await inTransaction { transaction in
            try transaction.db.prepare(
                """
                INSERT INTO clock_mark (id, trusted, guarded) VALUES (1, ?1, ?2) ON CONFLICT (id) \
                DO UPDATE SET trusted = ?1, guarded = ?2
                """
            ).time(mark.trusted).int(mark.guardedMilliseconds).run()
            try transaction.write(audit)
        }
    }
}

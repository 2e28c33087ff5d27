package import GatewayModel
package import GatewayStorage

extension IdempotencyStore where Self: SQLStore {
    package func beginIdempotent(
        _ record: IdempotencyRecord,
        forgetting oldest: Timestamp?
    ) async throws(StorageError) -> IdempotencyRecord? {
        try await inTransaction { transaction in
            let db = transaction.db
            let oldest = oldest?.milliseconds ?? .min
            // A few at a time: each request removes more than it adds.
            try db.prepare(
                """
                DELETE FROM idempotency WHERE key IN \
                (SELECT key FROM idempotency WHERE created_at <= ? ORDER BY created_at LIMIT 100)
                """
            ).int(oldest).run()
            // A deleted one that is still stored, because there are many, is replaced.
            let count = try db.prepare(
                """
                INSERT INTO idempotency (key, body_hash, created_at) VALUES (?1, ?2, ?3) ON CONFLICT (key) DO UPDATE \
                SET body_hash = ?2, status = NULL, location = NULL, body = NULL, created_at = ?3 \
                WHERE idempotency.created_at <= ?4
                """
            ).blob(record.key).blob(record.bodyHash).time(record.createdAt).int(oldest).runCounting()
            guard count == 0 else { return nil }
            return try db.prepare(
                "SELECT body_hash, status, location, body, created_at FROM idempotency WHERE key = ?"
            ).blob(record.key).first { row in
                let status: Int? = try row.value(1)
                return IdempotencyRecord(
                    key: record.key,
                    bodyHash: try row.value(0),
                    response: try status.map {
                        IdempotencyRecord.Response(status: $0, location: try row.value(2), body: try row.value(3))
                    },
                    createdAt: try row.value(4)
                )
            }
        }
    }

    package func endIdempotent(key: [UInt8], response: IdempotencyRecord.Response?) async throws(StorageError) {
        try await inTransaction { transaction in
            guard let response else {
                return try transaction.db.prepare("DELETE FROM idempotency WHERE key = ?").blob(key).run()
            }
            try transaction.db.prepare("UPDATE idempotency SET status = ?, location = ?, body = ? WHERE key = ?")
                .int(response.status).text(response.location).blob(response.body).blob(key).run()
        }
    }
}

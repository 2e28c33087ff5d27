import Foundation
package import GatewayModel
package import GatewayStorage

extension SQLiteStore {
    package func beginIdempotent(
        _ record: IdempotencyRecord,
        forgetting oldest: Timestamp?
    ) async throws(StorageError) -> IdempotencyRecord? {
        try await write { writer in
            let oldest = oldest?.milliseconds ?? .min
            // A few at a time: each request removes more than it adds.
            try writer.db.prepare(
                """
                DELETE FROM idempotency WHERE key IN \
                (SELECT key FROM idempotency WHERE created_at <= ? ORDER BY created_at LIMIT 100)
                """
            ).int(oldest).run()
            let row = try writer.db.prepare(
                "SELECT body_hash, status, location, body, created_at FROM idempotency WHERE key = ? AND created_at > ?"
            ).blob(record.key).int(oldest)
            if try row.next() {
                defer { row.end() }
                let response = row.optionalInt64(1).map { status in
                    IdempotencyRecord.Response(
                        status: Int(status),
                        location: row.optionalString(2),
                        body: row.isNull(3) ? nil : row.bytes(3)
                    )
                }
                return IdempotencyRecord(
                    key: record.key,
                    bodyHash: row.bytes(0),
                    response: response,
                    createdAt: Timestamp(milliseconds: row.int64(4))
                )
            }
            row.end()
            try writer.db.prepare(
                "INSERT OR REPLACE INTO idempotency (key, body_hash, created_at) VALUES (?, ?, ?)"
            ).blob(record.key).blob(record.bodyHash).int(record.createdAt.milliseconds).run()
            return nil
        }
    }

    package func endIdempotent(key: [UInt8], response: IdempotencyRecord.Response?) async throws(StorageError) {
        try await write { writer in
            guard let response else {
                return try writer.db.prepare("DELETE FROM idempotency WHERE key = ?").blob(key).run()
            }
            try writer.db.prepare("UPDATE idempotency SET status = ?, location = ?, body = ? WHERE key = ?")
                .int(response.status).text(response.location).blob(response.body).blob(key).run()
        }
    }
}

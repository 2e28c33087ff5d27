import GatewayModel
package import GatewayStorage

extension SQLiteStore {
    package func burnCode(_ code: RedeemedCode) async throws(StorageError) -> Bool {
        try await write { writer in
            let oldest = code.burntAt.adding(milliseconds: -RedeemedCode.lifetimeMilliseconds)
            // A few at a time: each code takes away more than it adds.
            try writer.db.prepare(
                """
                DELETE FROM redeemed_codes WHERE hash IN \
                (SELECT hash FROM redeemed_codes WHERE burnt_at <= ? ORDER BY burnt_at LIMIT 100)
                """
            ).int(oldest.milliseconds).run()
            // One that is too old, and still there because many are, counts as gone.
            try writer.db.prepare(
                """
                INSERT INTO redeemed_codes (hash, burnt_at) VALUES (?1, ?2) ON CONFLICT (hash) \
                DO UPDATE SET burnt_at = ?2 WHERE burnt_at <= ?3
                """
            ).blob(code.hash).int(code.burntAt.milliseconds).int(oldest.milliseconds).run()
            return writer.db.changedRows == 1
        }
    }
}

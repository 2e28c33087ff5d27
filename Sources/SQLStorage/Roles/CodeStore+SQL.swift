package import GatewayModel
package import GatewayStorage

extension CodeStore where Self: SQLStore {
    package func markCodeUsed(_ code: RedeemedCode) async throws(StorageError) -> Bool {
        try await inTransaction { try $0.markUsed(code, at: code.keptFrom) }
    }
}

/// Values for single use: authorization codes, and assertions of credentials for single use.
extension SQLTransaction {
    /// Stores a presented value, and removes some expired ones.
    ///
    /// - Parameters:
    ///   - code: The presented value.
    ///   - now: The time.
    /// - Returns: False when it was presented before.
    /// - Throws: An error of the engine.
    package func markUsed(_ code: RedeemedCode, at now: Timestamp) throws -> Bool {
        let oldest = now.adding(milliseconds: -RedeemedCode.lifetimeMilliseconds)
        // A few at a time: each code removes more than it adds.
        try db.prepare(
            """
            DELETE FROM redeemed_codes WHERE hash IN \
            (SELECT hash FROM redeemed_codes WHERE burnt_at <= ? ORDER BY burnt_at LIMIT 100)
            """
        ).time(oldest).run()
        // An expired one that is still stored, because there are many, counts as removed.
        return try db.prepare(
            """
            INSERT INTO redeemed_codes (hash, burnt_at) VALUES (?1, ?2) ON CONFLICT (hash) \
            DO UPDATE SET burnt_at = ?2 WHERE redeemed_codes.burnt_at <= ?3
            """
        ).blob(code.hash).time(code.keptFrom).time(oldest).runCounting() == 1
    }
}

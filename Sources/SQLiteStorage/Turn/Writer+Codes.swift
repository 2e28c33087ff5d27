import GatewayModel
import GatewayStorage

/// Values for single use: authorization codes, and assertions of credentials for single use.
extension Writer {
    /// Stores a presented value, and removes some expired ones.
    ///
    /// - Parameters:
    ///   - code: The presented value.
    ///   - now: The time.
    /// - Returns: False when it was presented before.
    /// - Throws: An error of the database.
    func markUsed(_ code: RedeemedCode, at now: Timestamp) throws -> Bool {
        let oldest = now.adding(milliseconds: -RedeemedCode.lifetimeMilliseconds)
        // A few at a time: each code removes more than it adds.
        try db.prepare(
            """
            DELETE FROM redeemed_codes WHERE hash IN \
            (SELECT hash FROM redeemed_codes WHERE burnt_at <= ? ORDER BY burnt_at LIMIT 100)
            """
        ).int(oldest.milliseconds).run()
        // An expired one that is still stored, because there are many, counts as removed.
        try db.prepare(
            """
            INSERT INTO redeemed_codes (hash, burnt_at) VALUES (?1, ?2) ON CONFLICT (hash) \
            DO UPDATE SET burnt_at = ?2 WHERE burnt_at <= ?3
            """
        ).blob(code.hash).int(code.keptFrom.milliseconds).int(oldest.milliseconds).run()
        return db.changedRows == 1
    }
}

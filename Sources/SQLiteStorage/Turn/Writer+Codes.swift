import GatewayModel
import GatewayStorage

/// What may be presented once: authorization codes, and assertions of credentials for single use.
extension Writer {
    /// Keeps what was presented, and removes some that are past their time.
    ///
    /// - Parameters:
    ///   - code: What was presented.
    ///   - now: The time.
    /// - Returns: False when it was presented before.
    /// - Throws: What the database throws.
    func burn(_ code: RedeemedCode, at now: Timestamp) throws -> Bool {
        let oldest = now.adding(milliseconds: -RedeemedCode.lifetimeMilliseconds)
        // A few at a time: each code takes away more than it adds.
        try db.prepare(
            """
            DELETE FROM redeemed_codes WHERE hash IN \
            (SELECT hash FROM redeemed_codes WHERE burnt_at <= ? ORDER BY burnt_at LIMIT 100)
            """
        ).int(oldest.milliseconds).run()
        // One that is too old, and still there because many are, counts as gone.
        try db.prepare(
            """
            INSERT INTO redeemed_codes (hash, burnt_at) VALUES (?1, ?2) ON CONFLICT (hash) \
            DO UPDATE SET burnt_at = ?2 WHERE burnt_at <= ?3
            """
        ).blob(code.hash).int(code.keptFrom.milliseconds).int(oldest.milliseconds).run()
        return db.changedRows == 1
    }
}

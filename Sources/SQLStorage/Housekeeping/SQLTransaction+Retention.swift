import GatewayModel
package import GatewayStorage
import TurnRules

/// Campaigns and conversations that a search has found, and anonymous consumers without any stored data.
extension SQLTransaction {
    /// Removes campaigns whose newest message is still old enough.
    ///
    /// - Parameter found: Campaigns of one brand.
    /// - Returns: The number of removed campaigns.
    /// - Throws: An error of the engine.
    package func removeCampaigns(_ found: HousekeepingFound) throws -> Int {
        guard let before = found.before else { return 0 }
        var removed = 0
        for id in found.rows {
            removed += try db.prepare("DELETE FROM campaigns WHERE id = ? AND last_at < ?").int(id).time(before)
                .runCounting()
        }
        forgetCampaigns()
        return removed
    }

    /// Removes conversations that are still resolved and without messages; of those that a back-end named the counters
    /// are kept.
    ///
    /// - Parameter found: Conversations of one brand.
    /// - Returns: The number of removed conversations.
    /// - Throws: An error of the engine.
    package func removeConversations(_ found: HousekeepingFound) throws -> Int {
        guard let before = found.before else { return 0 }
        var removed = 0
        for key in found.rows {
            let owner: (brand: Int64, id: String?)? = try db.prepare(
                """
                SELECT c.brand, u.id FROM conversations c LEFT JOIN consumers u ON u.key = c.consumer \
                WHERE c.key = ?1 AND c.resolved = 1 AND c.last_message < ?2 \
                AND NOT EXISTS (SELECT 1 FROM conversation_heads h WHERE h.conversation = ?1 AND (h.last_message >= ?2 \
                OR EXISTS (SELECT 1 FROM messages m WHERE m.key = h.last_message AND m.conversation = ?1)))
                """
            ).int(key).int(before.firstMessageKey).first { (brand: try $0.value(0), id: try $0.value(1)) }
            guard let owner else { continue }
            try archive(key)
            removed += 1
            // The writer must not remember it, or messages would be written into a removed row.
            if let id = owner.id { forget(conversation: key, of: BrandedName(brand: owner.brand, id: id)) }
        }
        return removed
    }

    /// Removes a conversation without messages.
    ///
    /// The counters stay when a back-end named it: it may name it again and expects its sequences to continue.
    private func archive(_ conversation: Int64) throws {
        try db.prepare(
            """
            INSERT INTO resting_conversations (brand, id, consumer, last_sequence, read_sequence) \
            SELECT c.brand, c.id, c.consumer, h.last_sequence, c.read_sequence FROM conversations c \
            JOIN conversation_heads h ON h.conversation = c.key WHERE c.key = ? AND c.own = 0
            """
        ).int(conversation).run()
        try removeConversation(conversation)
    }

    /// Examines anonymous consumers whose time has come: removes those without any stored data, and schedules the
    /// others for a later check.
    ///
    /// Found by the time of the check: those that stay cost one check a day.
    ///
    /// - Parameter batch: The batch, with its time and limit.
    /// - Returns: The number of removed consumers, and where to continue; nil at the end of the pass.
    /// - Throws: An error of the engine.
    package func removeAnonymous(_ batch: HousekeepingBatch) throws -> (removed: Int, next: HousekeepingPosition?) {
        let due = try db.prepare("SELECT key FROM consumers WHERE goes_at <= ? ORDER BY goes_at LIMIT ?")
            .time(batch.now).int(batch.limit).integers()
        var removed = 0
        for key in due where try removeAnonymous(key, now: batch.now) { removed += 1 }
        return (removed, due.count == batch.limit ? HousekeepingPosition() : nil)
    }

    private func removeAnonymous(_ key: Int64, now: Timestamp) throws -> Bool {
        // The data that keeps a consumer, besides deliveries. A message is in a conversation; a token that may still
        // prove a merge has its session.
        let row = try db.prepare(
            """
            SELECT u.brand, u.id, u.anonymous = 1 AND u.merged_into IS NULL, \
            (SELECT max(expires_at) FROM sessions WHERE consumer = ?1), \
            EXISTS (SELECT 1 FROM conversations WHERE consumer = ?1) \
            OR EXISTS (SELECT 1 FROM resting_conversations WHERE brand = u.brand AND consumer = ?1) \
            OR EXISTS (SELECT 1 FROM registrations WHERE consumer = ?1) \
            OR EXISTS (SELECT 1 FROM inbox_items WHERE consumer = ?1 AND expires_at > ?2) \
            OR EXISTS (SELECT 1 FROM customers WHERE consumer = ?1 AND changed_at > ?3) \
            OR EXISTS (SELECT 1 FROM sessions s WHERE s.consumer = ?1 AND s.kept_until > ?2 AND (s.credential IS NULL \
            OR EXISTS (SELECT 1 FROM credentials c WHERE c.id = s.credential AND c.revoked_at IS NULL))) \
            FROM consumers u WHERE u.key = ?1
            """
        ).int(key).time(now).time(now.adding(seconds: -Self.customerStaySeconds))
        guard try row.next() else { return false }
        let name = BrandedName(brand: try row.value(0), id: try row.value(1))
        let (isAnonymous, isKept): (Bool, Bool) = (try row.value(2), try row.value(4))
        let sessionEnd: Timestamp? = try row.value(3)
        row.end()
        let stay = Self.anonymousStaySeconds
        if !isAnonymous {
            // It has logged in, or was merged into another.
            try setLook(at: nil, of: key)
        } else if let end = sessionEnd?.adding(seconds: stay), end > now {
            try setLook(at: end, of: key)
        } else if try isKept || isLogged(key, brand: name.brand) {
            try setLook(at: now.adding(seconds: stay), of: key)
        } else {
            try db.prepare("DELETE FROM sessions WHERE consumer = ?").int(key).run()
            // Only what has expired is left of its inbox.
            _ = try removeCustomer(key, limit: .max)
            try db.prepare("DELETE FROM consumers WHERE key = ?1 OR merged_into = ?1").int(key).run()
            forget(KnownConsumer(key: key, name: name, unread: 0), mergedInto: nil)
            return true
        }
        return false
    }

    /// Whether the log has deliveries of a consumer, or of one that was merged into it, to which no message leads.
    private func isLogged(_ consumer: Int64, brand: Int64) throws -> Bool {
        try db.prepare("SELECT key FROM consumers WHERE key = ?1 OR merged_into = ?1").int(consumer).integers()
            .contains { try !loggedDeliveries(of: $0, brand: brand, limit: 1).isEmpty }
    }

    /// The time after their last change for which properties and consents keep an anonymous consumer, in seconds.
    private static var customerStaySeconds: Int64 { 30 * 86_400 }

    private func setLook(at time: Timestamp?, of consumer: Int64) throws {
        try db.prepare("UPDATE consumers SET goes_at = ? WHERE key = ?").time(time).int(consumer).run()
    }
}

package import GatewayModel
package import GatewayStorage
import SQLStorage
import TurnRules

extension SQLiteStore {
    package func unreachable(
        brand: BrandID,
        before: Timestamp,
        after: ConsumerKey?,
        limit: Int
    ) async throws(StorageError) -> UnreachablePage {
        try await read { reader in
            guard let key = try reader.brandKey(brand) else { return UnreachablePage(items: [], next: nil) }
            return try UnreachableSearch(brand: key, before: before, limit: limit, reader).page(after: after)
        }
    }
}

/// Walks the index of conversations with unread messages, which is in the order of consumers, those of all brands.
///
/// An index by brand would be written with each first unread message. So a page ends after a number of consumers, of
/// whom those of other brands cost only their row.
private struct UnreachableSearch {
    /// The maximum number of the brand's consumers that a page reads: about 2 ms; and of all.
    static let (maxOwn, maxAll) = (250, 1000)
    /// The maximum number of a consumer's conversations in which the oldest unread message is looked for.
    private static let maxConversations = 100

    let brand: Int64
    let before: Timestamp
    let limit: Int
    let db: ReadConnection
    let chains: MessageChains

    init(brand: Int64, before: Timestamp, limit: Int, _ db: ReadConnection) throws {
        self.brand = brand
        self.before = before
        self.limit = limit
        self.db = db
        chains = try MessageChains(db)
    }

    func page(after: ConsumerKey?) throws -> UnreachablePage {
        var items: [UnreachableConsumer] = []
        var (own, all) = (0, 0)
        let rows = try db.prepare(
            """
            SELECT c.consumer, u.id, CASE WHEN u.brand = ?1 THEN EXISTS (SELECT 1 FROM registrations r \
            CROSS JOIN lanes l ON l.id = r.lane WHERE r.consumer = c.consumer AND r.state = 'active') END \
            FROM conversations c INDEXED BY conversations_unread LEFT JOIN consumers u ON u.key = c.consumer \
            WHERE c.has_unread = 1 AND c.consumer > ?2 GROUP BY c.consumer ORDER BY c.consumer
            """
        ).int(brand).int(after?.rawValue ?? 0)
        while try rows.next() {
            let consumer = rows.int64(0)
            all += 1
            if let isReached = rows.optionalInt64(2) {
                own += 1
                let id = ConsumerID(trusted: rows.string(1))
                if isReached == 0, let item = try item(consumer, id) { items.append(item) }
            }
            guard items.count < limit, own < Self.maxOwn, all < Self.maxAll else {
                let isLast = try !rows.next()
                rows.end()
                return UnreachablePage(items: items, next: isLast ? nil : ConsumerKey(consumer))
            }
        }
        return UnreachablePage(items: items, next: nil)
    }

    /// Returns a consumer whose oldest unread message is old enough.
    private func item(_ consumer: Int64, _ id: ConsumerID) throws -> UnreachableConsumer? {
        let heads = try db.prepare(
            """
            SELECT c.key, h.last_message, c.read_sequence FROM conversations c INDEXED BY conversations_unread \
            JOIN conversation_heads h ON h.conversation = c.key WHERE c.has_unread = 1 AND c.consumer = ? LIMIT ?
            """
        ).int(consumer).int(Self.maxConversations).all { row in
            (head: MessageChains.Head(conversation: row.int64(0), last: row.int64(1)), read: row.int64(2))
        }
        let oldest = try heads.compactMap { try chains.firstUnread(of: $0.head, after: $0.read) }.min()
        // The key of a message begins with its time.
        guard let oldest, case let since = Timestamp(milliseconds: oldest >> 16), since < before else { return nil }
        let unread =
            try db.prepare(
                "SELECT CAST(coalesce(sum(unread), 0) AS BIGINT) FROM unread_conversations WHERE consumer = ?"
            ).int(consumer).first { $0.int64(0) } ?? 0
        return UnreachableConsumer(id: id, unread: unread, unreadSince: since)
    }
}

extension MessageChains {
    /// Returns the key of the first message that counts as unread, among the first ones behind a sequence.
    fileprivate func firstUnread(of head: Head, after sequence: Int64) throws -> Int64? {
        try keys(of: head, after: sequence, limit: Int(Self.distance))
            .first { try link($0, in: head.conversation)?.countsAsUnread == true }
    }
}

import GRDB
package import GatewayModel
package import GatewayStorage
import SQLStorage

extension SQLiteStore {
    package func messages(
        brand: BrandID,
        consumer: ConsumerID,
        conversation: ConversationID?,
        afterSequence: Int64,
        after: MessageID?,
        limit: Int
    ) async throws(StorageError) -> [Message]? {
        try await read { db in
            let reader = try ReadConnection(db)
            guard let (key, id) = try reader.owner(brand, consumer) else { return conversation == nil ? [] : nil }
            let chains = try MessageChains(reader)
            var keys: [Int64] = []
            if let conversation {
                let head = try Row.fetchOne(
                    try db.cachedStatement(
                        sql: """
                            SELECT key, last_message FROM current_conversations WHERE consumer = ? AND id = ?
                            """
                    ),
                    arguments: [key, conversation.rawValue]
                )
                guard let head else {
                    let isArchived = try Bool.fetchOne(
                        try db.cachedStatement(
                            sql: """
                                SELECT 1 FROM resting_conversations c JOIN brands b ON b.key = c.brand
                                WHERE b.id = ? AND c.id = ? AND c.consumer = ?
                                """
                        ),
                        arguments: [brand.rawValue, conversation.rawValue, key]
                    )
                    return isArchived == true ? [] : nil
                }
                keys = try chains.keys(of: Self.head(head), after: afterSequence, limit: limit)
            } else {
                let known = after.map { Int64(bitPattern: $0.high) } ?? 0
                let heads = try Row.fetchAll(
                    try db.cachedStatement(
                        sql: """
                            SELECT key, last_message FROM current_conversations
                            WHERE consumer = ? AND last_message > ?
                            """
                    ),
                    arguments: [key, known]
                )
                var ceiling = Int64.max
                for head in heads {
                    keys += try chains.keys(of: Self.head(head), behind: known, upTo: ceiling, limit: limit)
                    keys = Array(keys.sorted().prefix(limit))
                    if keys.count == limit { ceiling = keys.last ?? ceiling }
                }
            }
            let messages = try db.cachedStatement(
                sql: """
                    SELECT c.id AS conversation_id, m.* FROM messages m JOIN conversations c ON c.key = m.conversation
                    WHERE m.key = ?
                    """
            )
            return try keys.compactMap { key in
                try Row.fetchOne(messages, arguments: [key]).map {
                    try Self.message($0, brand: brand, consumer: id)
                }
            }
        }
    }

    package func pendingProactive(
        brand: BrandID,
        consumer: ConsumerID,
        before: MessageID?,
        now: Timestamp,
        limit: Int
    ) async throws(StorageError) -> [Message] {
        try await read { db in
            guard let owner = try ReadConnection(db).owner(brand, consumer) else { return [] }
            return try Row.fetchAll(
                try db.cachedStatement(
                    sql: """
                        SELECT c.id AS conversation_id, m.* FROM conversations c
                        CROSS JOIN pending_proactive p ON p.conversation = c.key AND p.message < ?
                        CROSS JOIN messages m ON m.key = p.message
                        WHERE c.consumer = ? AND (m.look_back_until IS NULL OR m.look_back_until >= ?)
                        ORDER BY m.key DESC LIMIT ?
                        """
                ),
                arguments: [
                    before.map { Int64(bitPattern: $0.high) } ?? .max, owner.key, now.milliseconds, limit,
                ]
            ).map { try Self.message($0, brand: brand, consumer: owner.id) }
        }
    }

    private static func head(_ row: Row) throws -> MessageChains.Head {
        try MessageChains.Head(conversation: row.value(0), last: row.value(1))
    }

    private static func message(_ row: Row, brand: BrandID, consumer: ConsumerID) throws -> Message {
        let key: Int64 = try row.value("key")
        let low: Int64 = try row.value("low")
        let data: String? = try row.value("data")
        let lookBackUntil: Int64? = try row.value("look_back_until")
        return try Message(
            id: MessageID(high: UInt64(bitPattern: key), low: UInt64(bitPattern: low)),
            brand: brand,
            consumer: consumer,
            conversation: ConversationID(trusted: row.value("conversation_id")),
            dialog: row.value("dialog"),
            sequence: row.value("sequence"),
            sourceSequence: row.value("source_sequence"),
            kind: MessageKind(rawValue: try row.value("kind")) ?? .agent,
            agentID: row.value("agent_id"),
            agentNickname: row.value("agent_nickname"),
            text: row.value("text"),
            title: row.value("title"),
            data: data.map(JSONText.init(trusted:)),
            link: PlatformLinks(
                ios: row.value("link_ios"),
                android: row.value("link_android"),
                web: row.value("link_web")
            ),
            priority: PushPriority(rawValue: try row.value("priority")) ?? .high,
            collapseKey: row.value("collapse_key"),
            category: row.value("category"),
            sound: row.value("sound"),
            silent: row.value("silent"),
            acceptedAt: Timestamp(milliseconds: row.value("accepted_at")),
            sentAt: Timestamp(milliseconds: row.value("sent_at")),
            expiresAt: Timestamp(milliseconds: row.value("expires_at")),
            lookBackUntil: lookBackUntil.map(Timestamp.init(milliseconds:)),
            campaign: row.value("campaign")
        )
    }
}

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
        try await read { reader in
            guard let (key, id) = try reader.owner(brand, consumer) else { return conversation == nil ? [] : nil }
            let chains = try MessageChains(reader)
            var keys: [Int64] = []
            if let conversation {
                let head = try reader.prepare(
                    "SELECT key, last_message FROM current_conversations WHERE consumer = ? AND id = ?"
                ).int(key).text(conversation.rawValue).first { try Self.head($0) }
                guard let head else {
                    let isArchived = try reader.prepare(
                        """
                        SELECT 1 FROM resting_conversations c JOIN brands b ON b.key = c.brand \
                        WHERE b.id = ? AND c.id = ? AND c.consumer = ?
                        """
                    ).text(brand.rawValue).text(conversation.rawValue).int(key).hasRow()
                    return isArchived ? [] : nil
                }
                keys = try chains.keys(of: head, after: afterSequence, limit: limit)
            } else {
                let known = after.map { Int64(bitPattern: $0.high) } ?? 0
                let heads = try reader.prepare(
                    "SELECT key, last_message FROM current_conversations WHERE consumer = ? AND last_message > ?"
                ).int(key).int(known).all { try Self.head($0) }
                var ceiling = Int64.max
                for head in heads {
                    keys += try chains.keys(of: head, behind: known, upTo: ceiling, limit: limit)
                    keys = Array(keys.sorted().prefix(limit))
                    if keys.count == limit { ceiling = keys.last ?? ceiling }
                }
            }
            let message = try reader.prepare(
                composed: """
                    SELECT \(Message.columns) FROM messages m JOIN conversations c ON c.key = m.conversation \
                    WHERE m.key = ?
                    """
            )
            return try keys.compactMap { key in
                try message.start().int(key).first { try Message($0, brand: brand, consumer: id) }
            }
        }
    }

    private static func head(_ row: Statement) throws -> MessageChains.Head {
        try MessageChains.Head(conversation: row.value(0), last: row.value(1))
    }
}

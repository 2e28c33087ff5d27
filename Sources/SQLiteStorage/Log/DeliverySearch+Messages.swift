import GatewayModel
import GatewayStorage

/// A search for a consumer's deliveries in the log by its messages.
///
/// An index of consumers in the log would cost a page write for nearly each delivery where consumers are many. Messages
/// already have an index by conversation, and the log one by message, whose pages fill up one after the other. Both are
/// in the order of time: a delivery of a message with a higher key has a higher number.
extension DeliverySearch {
    /// The number of messages that are searched at once.
    private static let messagesPerLook = 64

    /// Finds the log's rows of stored messages in a consumer's present conversations.
    func messageLog(of owner: Int64) throws -> Found {
        var found = Found()
        let ranges = try ranges()
        guard query.state?.isFinished != false, let newest = ranges.first?.upperBound,
            let oldest = ranges.last?.lowerBound, let last = try message(before: newest),
            let first = try message(from: oldest)
        else { return found }
        let conversations = try conversations(of: owner)
        let conditions = filter.conditions
        let deliveries = try statement(
            """
            SELECT d.id, \(conditions.map(\.sql).joined(separator: " AND ")) FROM delivery_log d INDEXED BY delivery_log_message \
            WHERE d.message = ? AND d.indexed = 1 ORDER BY d.id DESC
            """
        )
        var looked = 0
        var below = last + 1
        while true {
            let keys = try messages(in: conversations, from: first, below: below)
            for key in keys {
                looked += 1
                let rows = deliveries.start().bind(conditions.flatMap(\.values)).int(key)
                while try rows.next() {
                    looked += 1
                    let id = rows.int64(0)
                    guard rows.int64(1) != 0, ranges.contains(where: { $0.contains(id) }) else { continue }
                    found.ids.append(id)
                    guard found.ids.count == wanted else { continue }
                    found.floor = id
                    rows.end()
                    return found
                }
            }
            guard keys.count == Self.messagesPerLook, let lowest = keys.last else { return found }
            below = lowest
            // Messages without deliveries lead to no number where the next page could begin.
            if looked >= Self.lookLimit, let floor = try firstDelivery(from: lowest), floor < before {
                found.floor = floor
                return found
            }
        }
    }

    /// Returns the message of the last row of the log before a number.
    private func message(before delivery: Int64) throws -> Int64? {
        let row = try db.kept(
            "SELECT message FROM delivery_log WHERE id < ? AND message IS NOT NULL ORDER BY id DESC LIMIT 1"
        ).int(delivery)
        return try row.next() ? row.int64(0) : nil
    }

    /// Returns the message of the first row of the log from a number on.
    private func message(from delivery: Int64) throws -> Int64? {
        let row = try db.kept(
            "SELECT message FROM delivery_log WHERE id >= ? AND message IS NOT NULL ORDER BY id LIMIT 1"
        ).int(delivery)
        return try row.next() ? row.int64(0) : nil
    }

    /// Returns the number of the log's first row of a message or a later one.
    private func firstDelivery(from message: Int64) throws -> Int64? {
        let row = try db.kept(
            """
            SELECT id FROM delivery_log INDEXED BY delivery_log_message WHERE message >= ? \
            ORDER BY message, id LIMIT 1
            """
        ).int(message)
        return try row.next() ? row.int64(0) : nil
    }

    /// Returns a consumer's conversations with the keys of their last messages, the newest first.
    private func conversations(of owner: Int64) throws -> [(key: Int64, last: Int64)] {
        var found: [(key: Int64, last: Int64)] = []
        let rows = try db.kept(
            "SELECT key, last_message FROM current_conversations WHERE consumer = ? ORDER BY last_message DESC"
        ).int(owner)
        while try rows.next() { found.append((rows.int64(0), rows.int64(1))) }
        return found
    }

    /// Returns the newest messages in some conversations between two keys, newest first.
    private func messages(
        in conversations: [(key: Int64, last: Int64)],
        from first: Int64,
        below: Int64
    ) throws -> [Int64] {
        var keys: [Int64] = []
        let rows = try db.kept(
            """
            SELECT key FROM messages INDEXED BY messages_conversation WHERE conversation = ? AND key >= ? AND key < ? \
            ORDER BY sequence DESC LIMIT ?
            """
        )
        for conversation in conversations {
            // The conversations behind this one have only older messages.
            if keys.count == Self.messagesPerLook, let lowest = keys.last, conversation.last <= lowest { break }
            _ = rows.start().int(conversation.key).int(first).int(below).int(Self.messagesPerLook)
            while try rows.next() { keys.append(rows.int64(0)) }
            keys = Array(keys.sorted(by: >).prefix(Self.messagesPerLook))
        }
        return keys
    }
}

import GatewayModel
import GatewayStorage
import TurnRules

/// A search for a consumer's deliveries in the log by its messages.
///
/// An index of consumers in the log would cost a page write for nearly each delivery where consumers are many. A
/// conversation leads to its messages, and the log has an index by message, whose pages fill up one after the other.
/// Both are in the order of time: a delivery of a message with a higher key has a higher number. The exceptions, pushes of
/// an earlier message, have their message's `message_low` and are found like those without a stored message.
extension DeliverySearch {
    /// The number of messages that are searched at once.
    private static let messagesPerLook = 64

    /// A conversation whose messages are searched, newest first.
    private struct Searched {
        let head: MessageChains.Head
        /// The message with which the walk continues, 0 when it has ended; nil before the first look.
        var next: Int64?
        /// The messages that were found and are not searched yet, newest first.
        var ahead: [Int64] = []
    }

    /// Finds the log's rows of stored messages in a consumer's present conversations.
    func messageLog(of owner: Int64) throws -> Found {
        var found = Found()
        let ranges = try ranges()
        guard query.state?.isFinished != false, let newest = ranges.first?.upperBound,
            let oldest = ranges.last?.lowerBound, let last = try message(before: newest),
            let first = try message(from: oldest)
        else { return found }
        var conversations = try conversations(of: owner)
        let conditions = filter.conditions
        let deliveries = try statement(
            """
            SELECT d.id, \(conditions.map(\.sql).joined(separator: " AND ")) FROM delivery_log d INDEXED BY delivery_log_message \
            WHERE d.message = ? AND d.message_low IS NULL AND d.indexed = 1 ORDER BY d.id DESC
            """
        )
        var looked = 0
        var below = last + 1
        while true {
            let keys = try messages(in: &conversations, from: first, below: below)
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
        let row = try db.prepare(
            """
            SELECT message FROM delivery_log WHERE id < ? AND message IS NOT NULL AND message_low IS NULL \
            ORDER BY id DESC LIMIT 1
            """
        ).int(delivery)
        return try row.next() ? row.int64(0) : nil
    }

    /// Returns the message of the first row of the log from a number on.
    private func message(from delivery: Int64) throws -> Int64? {
        let row = try db.prepare(
            "SELECT message FROM delivery_log WHERE id >= ? AND message IS NOT NULL ORDER BY id LIMIT 1"
        ).int(delivery)
        return try row.next() ? row.int64(0) : nil
    }

    /// Returns the number of the log's first row of a message or a later one.
    private func firstDelivery(from message: Int64) throws -> Int64? {
        let row = try db.prepare(
            """
            SELECT id FROM delivery_log INDEXED BY delivery_log_message WHERE message >= ? \
            ORDER BY message, id LIMIT 1
            """
        ).int(message)
        return try row.next() ? row.int64(0) : nil
    }

    /// Returns a consumer's conversations, the one with the newest message first.
    private func conversations(of owner: Int64) throws -> [Searched] {
        var found: [Searched] = []
        let rows = try db.prepare(
            "SELECT key, last_message FROM current_conversations WHERE consumer = ? ORDER BY last_message DESC"
        ).int(owner)
        while try rows.next() {
            found.append(Searched(head: MessageChains.Head(conversation: rows.int64(0), last: rows.int64(1))))
        }
        return found
    }

    /// Returns the newest messages in some conversations between two keys, newest first.
    private func messages(
        in conversations: inout [Searched],
        from first: Int64,
        below: Int64
    ) throws -> [Int64] {
        let chains = try MessageChains(db)
        var keys: [Int64] = []
        for index in conversations.indices {
            let head = conversations[index].head
            // The conversations behind this one have only older messages.
            if keys.count == Self.messagesPerLook, let lowest = keys.last, head.last <= lowest { break }
            var ahead = conversations[index].ahead
            if ahead.count < Self.messagesPerLook {
                let place = try conversations[index].next ?? start(in: head, below: below, chains)
                var next: Int64 = 0
                try chains.visit(from: place, in: head.conversation) { link in
                    guard link.key < below else { return true }
                    guard link.key >= first else {
                        next = 0
                        return false
                    }
                    ahead.append(link.key)
                    next = link.previous
                    return ahead.count < Self.messagesPerLook
                }
                conversations[index].next = next
                conversations[index].ahead = ahead
            }
            keys = Array((keys + ahead).sorted(by: >).prefix(Self.messagesPerLook))
        }
        if let lowest = keys.last {
            for index in conversations.indices { conversations[index].ahead.removeAll { $0 >= lowest } }
        }
        return keys
    }

    /// Returns a message from which those below a key are found in a few steps.
    private func start(in head: MessageChains.Head, below: Int64, _ chains: MessageChains) throws -> Int64 {
        guard head.last >= below else { return head.last }
        return try chains.place(after: 0, atOrAfter: below, in: head.conversation)?.message ?? head.last
    }
}

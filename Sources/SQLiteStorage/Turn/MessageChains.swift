import TurnRules

/// The messages of conversations, each of which leads to the one before it; for the writer and for readers.
///
/// An index of messages by conversation would have a page of its own written for nearly each message. So a
/// conversation is read from its newest message down, and from one of ``Place`` where that is nearer: a read visits at
/// most 64 messages more than it needs.
struct MessageChains {
    /// A message that is found without a walk: the first of its ``MessageChains/distance`` sequences that is left.
    ///
    /// The oldest messages of a conversation may have none, and those that follow where the newest message was removed.
    struct Place {
        /// Its sequence divided by ``MessageChains/distance``.
        let position: Int64
        let message: Int64
    }

    /// A conversation, and the key of its newest message, which may be removed when it has none.
    struct Head {
        let conversation: Int64
        let last: Int64
    }

    /// The sequences that have one place.
    static let distance: Int64 = 64

    /// The statements are reset after each row, so that one may walk within the body of another.
    private let linked: Statement
    private let placed: Statement

    private static let linkSQL: StaticString = """
        SELECT low, sequence, counts, kind, source_sequence, silent, collapse_key, previous FROM messages \
        WHERE key = ? AND conversation = ?
        """
    private static let placeSQL: StaticString = """
        SELECT position, message FROM message_positions WHERE conversation = ? AND position >= ? AND message >= ? \
        ORDER BY position LIMIT 1
        """

    init(_ db: Connection) throws {
        linked = try db.prepare(Self.linkSQL)
        placed = try db.prepare(Self.placeSQL)
    }

    init(_ db: ReadConnection) throws {
        linked = try db.prepare(Self.linkSQL)
        placed = try db.prepare(Self.placeSQL)
    }

    /// Returns a message of a conversation; nil when there is none of this key.
    func link(_ key: Int64, in conversation: Int64) throws -> MessageLink? {
        guard key != 0 else { return nil }
        let row = linked.start().int(key).int(conversation)
        guard try row.next() else { return nil }
        defer { row.end() }
        return MessageLink(
            key: key,
            low: row.int64(0),
            sequence: row.int64(1),
            countsAsUnread: row.int64(2) != 0,
            kind: row.string(3),
            sourceSequence: row.optionalInt64(4),
            isSilent: row.int64(5) != 0,
            collapseKey: row.optionalString(6),
            previous: row.int64(7)
        )
    }

    /// Visits a message and those before it, newest first, as long as the body returns true.
    func visit(from key: Int64, in conversation: Int64, _ body: (MessageLink) throws -> Bool) throws {
        var (next, above) = (key, Int64.max)
        // Damaged data must not lead around in a circle.
        while let link = try link(next, in: conversation), link.sequence < above, try body(link) {
            (next, above) = (link.previous, link.sequence)
        }
    }

    /// Visits the messages up to a sequence, newest first, as long as the body returns true.
    func visit(upTo sequence: Int64, of head: Head, _ body: (MessageLink) throws -> Bool) throws {
        let start = try place(after: sequence - 1, in: head.conversation)?.message ?? head.last
        try visit(from: start, in: head.conversation) { try $0.sequence > sequence || body($0) }
    }

    /// Returns the first place behind a sequence, at a message or one after it.
    func place(after sequence: Int64, atOrAfter message: Int64 = 0, in conversation: Int64) throws -> Place? {
        try place(from: sequence / Self.distance + 1, atOrAfter: message, in: conversation)
    }

    private func place(from position: Int64, atOrAfter message: Int64, in conversation: Int64) throws -> Place? {
        let row = placed.start().int(conversation).int(position).int(message)
        defer { row.end() }
        return try row.next() ? Place(position: row.int64(0), message: row.int64(1)) : nil
    }

    /// Returns the keys of the first messages behind a sequence and behind a message, the oldest first.
    ///
    /// Those behind the ceiling are not needed: only some of them are among the keys.
    func keys(
        of head: Head,
        after sequence: Int64 = 0,
        behind message: Int64 = 0,
        upTo ceiling: Int64 = .max,
        limit: Int
    ) throws -> [Int64] {
        var keys: [Int64] = []
        var floor = sequence
        var position = sequence / Self.distance + 1
        while keys.count < limit, (keys.last ?? .min) < ceiling {
            let end = try place(from: position, atOrAfter: message, in: head.conversation)
            var run: [MessageLink] = []
            try visit(from: end?.message ?? head.last, in: head.conversation) { link in
                guard link.sequence > floor, link.key > message else { return false }
                run.append(link)
                return true
            }
            keys += run.reversed().map(\.key)
            guard let end, end.position < .max else { break }
            floor = run.first?.sequence ?? floor
            position = end.position + 1
        }
        return Array(keys.prefix(limit))
    }
}

extension Writer {
    /// The messages of conversations, as of this point of the turn.
    var chains: MessageChains { get throws { try MessageChains(db) } }
}

extension KnownConversation {
    /// Its newest message, as of this point of the turn.
    var head: MessageChains.Head { MessageChains.Head(conversation: key, last: lastMessage) }
}

import GRDB

/// Each message names the one before it in its conversation, instead of an index of messages by conversation.
///
/// Not additive: the earlier version names the index, and stores the counters where they no longer are.
enum M0016ChainMessages {
    static let migration = Migration("0016-chain-messages", isAdditive: false, sql: sql, step: linkMessages)

    private static let sql = """
        -- The key of the message before it in its conversation, 0 for the first: an index by conversation would have a page of
        -- its own written for nearly each message. A chain ends where the row is missing: the oldest messages are removed first.
        ALTER TABLE messages ADD COLUMN previous INTEGER NOT NULL DEFAULT 0;

        -- A conversation's counters and its newest message, with which the chain begins: a small row, because it is written with
        -- each message. Until there is a message, `last_message` is the first half of the id of one that the gateway named,
        -- and 0 of another; when none is left, it is the last one that was removed.
        CREATE TABLE conversation_heads (
            conversation INTEGER PRIMARY KEY, last_sequence INTEGER NOT NULL, unread INTEGER NOT NULL,
            last_message INTEGER NOT NULL);
        INSERT INTO conversation_heads SELECT c.key, c.last_sequence, c.unread,
            coalesce((SELECT m.key FROM messages m INDEXED BY messages_conversation WHERE m.conversation = c.key
                ORDER BY m.sequence DESC LIMIT 1), c.last_message)
            FROM current_conversations c ORDER BY c.key;

        -- The messages whose sequence is 64 times `position`: a place in a long conversation is found without its whole chain.
        CREATE TABLE message_positions (
            conversation INTEGER NOT NULL, position INTEGER NOT NULL, message INTEGER NOT NULL,
            PRIMARY KEY (conversation, position)) WITHOUT ROWID;
        INSERT INTO message_positions SELECT conversation, sequence / 64, key
            FROM messages INDEXED BY messages_conversation WHERE sequence % 64 = 0 ORDER BY conversation, sequence;

        DROP VIEW current_conversations;
        DROP VIEW unread_conversations;
        -- `last_message` stays, as of when the conversation was resolved: for the index of those that are.
        ALTER TABLE conversations DROP COLUMN last_sequence;
        ALTER TABLE conversations DROP COLUMN unread;
        CREATE VIEW current_conversations AS SELECT c.key, c.brand, c.id, c.consumer, c.read_sequence, c.resolved,
            c.has_unread, h.last_sequence, h.unread, h.last_message
            FROM conversations c JOIN conversation_heads h ON h.conversation = c.key;
        -- Those with something unread, by an index of them alone.
        CREATE VIEW unread_conversations AS SELECT c.consumer, h.unread
            FROM conversations c INDEXED BY conversations_unread JOIN conversation_heads h ON h.conversation = c.key
            WHERE c.has_unread = 1;
        """

    /// The messages that one statement links: each statement collects the keys of its rows in memory.
    private static let linkedAtOnce = 10_000

    /// Links the stored messages by the index, and drops it.
    private static func linkMessages(_ db: Database) throws {
        let update = try db.makeStatement(
            sql: """
                UPDATE messages SET previous = coalesce((SELECT m.key FROM messages m INDEXED BY messages_conversation
                WHERE m.conversation = messages.conversation AND m.sequence < messages.sequence
                ORDER BY m.sequence DESC LIMIT 1), 0) WHERE key > ? AND key <= ?
                """
        )
        var last = Int64.min
        while let next = try Int64.fetchOne(
            db,
            sql: "SELECT max(key) FROM (SELECT key FROM messages WHERE key > ? ORDER BY key LIMIT ?)",
            arguments: [last, linkedAtOnce]
        ) {
            try update.execute(arguments: [last, next])
            last = next
        }
        try db.execute(sql: "DROP INDEX messages_conversation")
    }
}

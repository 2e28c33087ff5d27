import SQLStorage

/// Each message names the one before it in its conversation, instead of an index of messages by conversation.
///
/// Not additive: the earlier version names the index, and stores the counters where they no longer are.
enum M0016ChainMessages {
    static let migration = Migration("0016-chain-messages", isAdditive: false, sql: sql, step: linkMessages)

    private static let sql = """
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

        -- The first message of each 64 sequences, `position` is a message's sequence divided by 64: a place in a long
        -- conversation is found without its whole chain. The oldest ones of a conversation may have none.
        CREATE TABLE message_positions (
            conversation INTEGER NOT NULL, position INTEGER NOT NULL, message INTEGER NOT NULL,
            PRIMARY KEY (conversation, position)) WITHOUT ROWID;
        INSERT INTO message_positions SELECT conversation, sequence / 64, key FROM (
            SELECT conversation, sequence, key, lag(sequence, 1, 0) OVER (PARTITION BY conversation ORDER BY sequence) AS earlier
            FROM messages INDEXED BY messages_conversation) WHERE sequence / 64 > earlier / 64;
        DROP INDEX messages_conversation;

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

        -- First the columns that lead through a conversation: what lies behind a long text is read with the whole text.
        -- `previous` is the key of the message before it in its conversation, 0 for the first: an index by conversation would
        -- have a page of its own written for nearly each message. A chain ends where the row is missing: the oldest messages
        -- are removed first.
        CREATE TABLE chained_messages (
            key INTEGER PRIMARY KEY, low INTEGER NOT NULL, conversation INTEGER NOT NULL, sequence INTEGER NOT NULL,
            counts INTEGER NOT NULL, previous INTEGER NOT NULL, kind TEXT NOT NULL, silent INTEGER NOT NULL,
            collapse_key TEXT, source_sequence INTEGER, dialog TEXT, agent_id TEXT, agent_nickname TEXT,
            text TEXT NOT NULL, title TEXT, data TEXT, link_ios TEXT, link_android TEXT, link_web TEXT,
            priority TEXT NOT NULL, category TEXT, sound TEXT, accepted_at INTEGER NOT NULL, sent_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL, look_back_until INTEGER, campaign TEXT);
        -- Of the messages that are being moved, the one before each.
        CREATE TABLE links (key INTEGER PRIMARY KEY, previous INTEGER NOT NULL);
        -- Of each conversation, the newest message that was moved.
        CREATE TABLE tails (conversation INTEGER PRIMARY KEY, message INTEGER NOT NULL);
        """

    /// The messages that are moved at once: the keys of so many are sorted in memory.
    private static let movedAtOnce = 10_000

    /// The statements that move the messages behind one key, up to another: in the order of keys, so that pages are full,
    /// and into the space of those that were moved before.
    private static let moves = [
        """
        INSERT INTO links SELECT key, coalesce(lag(key) OVER (PARTITION BY conversation ORDER BY sequence),
            (SELECT t.message FROM tails t WHERE t.conversation = m.conversation), 0)
            FROM messages m WHERE key > ? AND key <= ?
        """,
        """
        INSERT INTO chained_messages SELECT m.key, m.low, m.conversation, m.sequence, m.counts,
            (SELECT l.previous FROM links l WHERE l.key = m.key), m.kind, m.silent, m.collapse_key, m.source_sequence,
            m.dialog, m.agent_id, m.agent_nickname, m.text, m.title, m.data, m.link_ios, m.link_android, m.link_web,
            m.priority, m.category, m.sound, m.accepted_at, m.sent_at, m.expires_at, m.look_back_until, m.campaign
            FROM messages m WHERE m.key > ? AND m.key <= ? ORDER BY m.key
        """,
        """
        INSERT OR REPLACE INTO tails SELECT conversation, max(key) FROM messages WHERE key > ? AND key <= ?
            GROUP BY conversation
        """,
        "DELETE FROM links WHERE key > ? AND key <= ?",
        "DELETE FROM messages WHERE key > ? AND key <= ?",
    ]

    /// Links the stored messages; in a conversation the order of keys is that of sequences.
    private static func linkMessages(_ db: Connection) throws {
        var last = Int64.min
        while let next = try db.prepare(
            "SELECT max(key) FROM (SELECT key FROM messages WHERE key > ? ORDER BY key LIMIT ?)"
        ).int(last).int(movedAtOnce).first({ $0.optionalInt64(0) }) ?? nil {
            for move in moves { try db.prepare(once: move).int(last).int(next).run() }
            last = next
        }
        try db.run(
            """
            DROP TABLE links;
            DROP TABLE tails;
            DROP TABLE messages;
            ALTER TABLE chained_messages RENAME TO messages;
            """
        )
    }
}

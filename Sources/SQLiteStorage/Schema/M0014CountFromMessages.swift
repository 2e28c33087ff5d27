/// A conversation's counters are stored only sometimes; the present values are derived from them and the later
/// messages.
///
/// Not additive: the earlier version takes the stored values for the present ones.
enum M0014CountFromMessages {
    static let migration = Migration("0014-count-from-messages", isAdditive: false, sql: sql)

    private static let sql = """
        -- `last_sequence`, `unread` and `last_message` of a conversation are as of its `last_sequence`: what came since is
        -- found in the index of messages, which has a page written for it anyhow. These say what is true.
        CREATE VIEW current_conversations AS SELECT c.key, c.brand, c.id, c.consumer, c.read_sequence, c.resolved,
            c.has_unread, c.last_sequence AS stored_sequence,
            coalesce((SELECT max(m.sequence) FROM messages m INDEXED BY messages_conversation
                WHERE m.conversation = c.key AND m.sequence > c.last_sequence), c.last_sequence) AS last_sequence,
            c.unread + (SELECT count(*) FROM messages m INDEXED BY messages_conversation
                WHERE m.conversation = c.key AND m.sequence > c.last_sequence AND m.counts = 1) AS unread,
            coalesce((SELECT m.key FROM messages m INDEXED BY messages_conversation
                WHERE m.conversation = c.key AND m.sequence > c.last_sequence ORDER BY m.sequence DESC LIMIT 1),
                c.last_message) AS last_message
            FROM conversations c;
        -- Those with something unread, by an index of them alone.
        CREATE VIEW unread_conversations AS SELECT c.consumer,
            c.unread + (SELECT count(*) FROM messages m INDEXED BY messages_conversation
                WHERE m.conversation = c.key AND m.sequence > c.last_sequence AND m.counts = 1) AS unread
            FROM conversations c INDEXED BY conversations_unread WHERE c.has_unread = 1;
        """
}

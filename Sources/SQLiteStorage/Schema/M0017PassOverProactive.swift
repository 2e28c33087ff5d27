/// A proactive message in an open conversation leaves the consumer's active conversation as it is.
enum M0017PassOverProactive {
    static let migration = Migration("0017-pass-over-proactive", isAdditive: true, sql: sql)

    private static let sql = """
        -- The newest message that is not proactive, where proactive ones came after it; 0 where that is the newest of all.
        ALTER TABLE conversations ADD COLUMN last_spoken INTEGER NOT NULL DEFAULT 0;
        -- Of a consumer's unresolved conversations the one with the greatest `active_message` is active.
        DROP VIEW current_conversations;
        CREATE VIEW current_conversations AS SELECT c.key, c.brand, c.id, c.consumer, c.read_sequence, c.resolved,
            c.has_unread, c.last_spoken, h.last_sequence, h.unread, h.last_message,
            coalesce(nullif(c.last_spoken, 0), h.last_message) AS active_message
            FROM conversations c JOIN conversation_heads h ON h.conversation = c.key;
        """
}

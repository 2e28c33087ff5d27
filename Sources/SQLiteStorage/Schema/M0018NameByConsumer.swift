/// Ids of events and conversations belong to their consumer: two consumers of a brand may use the same ones.
///
/// Not additive: the earlier version finds conversations by brand and id, which is unique no more, and does not
/// recognize the replays of events that this version has stored.
enum M0018NameByConsumer {
    static let migration = Migration("0018-name-by-consumer", isAdditive: false, sql: sql)

    private static let sql = """
        -- A unique constraint of a table can only be removed with the table. Numbers are never given again, so the last one is
        -- kept. The indexes are as many as before, and as large: one by consumer and id, one by brand.
        CREATE TABLE named_conversations (
            key INTEGER PRIMARY KEY AUTOINCREMENT, brand INTEGER NOT NULL, id TEXT NOT NULL,
            consumer INTEGER NOT NULL, read_sequence INTEGER NOT NULL DEFAULT 0,
            last_message INTEGER NOT NULL DEFAULT 0, resolved INTEGER NOT NULL DEFAULT 0,
            -- When other devices were last to be told how far it was read.
            told_at INTEGER, own INTEGER NOT NULL DEFAULT 0, has_unread INTEGER NOT NULL DEFAULT 0,
            last_spoken INTEGER NOT NULL DEFAULT 0);
        INSERT INTO named_conversations (key, brand, id, consumer, read_sequence, last_message, resolved, told_at, own,
            has_unread, last_spoken)
            SELECT key, brand, id, consumer, read_sequence, last_message, resolved, told_at, own, has_unread, last_spoken
            FROM conversations ORDER BY key;
        DELETE FROM sqlite_sequence WHERE name = 'named_conversations';
        INSERT INTO sqlite_sequence (name, seq) SELECT 'named_conversations', seq FROM sqlite_sequence
            WHERE name = 'conversations';
        DROP VIEW current_conversations;
        DROP VIEW unread_conversations;
        DROP TABLE conversations;
        ALTER TABLE named_conversations RENAME TO conversations;
        CREATE UNIQUE INDEX conversations_name ON conversations (consumer, id);
        CREATE INDEX conversations_brand ON conversations (brand);
        CREATE INDEX conversations_unread ON conversations (consumer) WHERE has_unread = 1;
        -- Those that may come to rest or be forgotten, the ones that were used longest ago first.
        CREATE INDEX conversations_resolved ON conversations (brand, last_message) WHERE resolved = 1;
        -- Of a consumer's unresolved conversations the one with the greatest `active_message` is active.
        CREATE VIEW current_conversations AS SELECT c.key, c.brand, c.id, c.consumer, c.read_sequence, c.resolved,
            c.has_unread, c.last_spoken, h.last_sequence, h.unread, h.last_message,
            coalesce(nullif(c.last_spoken, 0), h.last_message) AS active_message
            FROM conversations c JOIN conversation_heads h ON h.conversation = c.key;
        -- Those with something unread, by an index of them alone.
        CREATE VIEW unread_conversations AS SELECT c.consumer, h.unread
            FROM conversations c INDEXED BY conversations_unread JOIN conversation_heads h ON h.conversation = c.key
            WHERE c.has_unread = 1;

        -- The same for archived ones; the key leads to those of a brand and of a consumer, without another index.
        CREATE TABLE archived_by_consumer (
            brand INTEGER NOT NULL, consumer INTEGER NOT NULL, id TEXT NOT NULL, last_sequence INTEGER NOT NULL,
            read_sequence INTEGER NOT NULL, PRIMARY KEY (brand, consumer, id)) WITHOUT ROWID;
        INSERT INTO archived_by_consumer SELECT brand, consumer, id, last_sequence, read_sequence
            FROM resting_conversations ORDER BY brand, consumer, id;
        DROP TABLE resting_conversations;
        ALTER TABLE archived_by_consumer RENAME TO resting_conversations;

        -- `event` of `dedupe` is from now on the first half of the SHA-256 of consumer, source and id, as a blob; ids of apps'
        -- requests stay texts. Earlier rows do not name their consumer, and stay: up to this bucket, events are looked up by
        -- source and id too, until the bucket's day is over for good.
        CREATE TABLE dedupe_brand_buckets (bucket INTEGER NOT NULL);
        INSERT INTO dedupe_brand_buckets SELECT day FROM dedupe ORDER BY day DESC LIMIT 1;
        """
}

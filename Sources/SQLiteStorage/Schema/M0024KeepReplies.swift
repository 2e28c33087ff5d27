/// The state of a hook's replies, beside that of its brand's webhook.
///
/// Not additive: the earlier version would take the state of replies for that of the brand's webhook.
enum M0024KeepReplies {
    static let migration = Migration("0024-keep-replies", isAdditive: false, sql: sql)

    private static let sql = """
        -- One row for each receiver of a brand; `hook` is empty for the brand's webhook.
        CREATE TABLE receiver_states (
            brand INTEGER NOT NULL, hook TEXT NOT NULL, revision INTEGER NOT NULL, mark INTEGER NOT NULL,
            batch_through INTEGER, attempts INTEGER NOT NULL DEFAULT 0, next_try INTEGER, last_tried_at INTEGER,
            last_status INTEGER, last_error TEXT, switched_off INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (brand, hook)) WITHOUT ROWID;
        INSERT INTO receiver_states SELECT brand, '', revision, mark, batch_through, attempts, next_try, last_tried_at,
            last_status, last_error, switched_off FROM webhook_states;
        DROP TABLE webhook_states;
        ALTER TABLE receiver_states RENAME TO webhook_states;
        """
}

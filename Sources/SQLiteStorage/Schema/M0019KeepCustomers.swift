/// Properties, consents and inboxes of consumers, and in-app messages of brands.
///
/// Not additive: the earlier version would leave them behind when it erases a consumer.
enum M0019KeepCustomers {
    static let migration = Migration("0019-keep-customers", isAdditive: false, sql: sql)

    private static let sql = """
        -- The category to which a consumer must consent to get the message's pushes.
        ALTER TABLE messages ADD COLUMN consent TEXT;
        -- Properties and consents, as one JSON text for each consumer that has some.
        CREATE TABLE customers (consumer INTEGER PRIMARY KEY, data TEXT NOT NULL, changed_at INTEGER NOT NULL);
        -- Changes of an inbox are numbered from 1; positions before `dead_before` do not know of an item's deletion.
        CREATE TABLE inboxes (
            consumer INTEGER PRIMARY KEY, last_change INTEGER NOT NULL, dead_before INTEGER NOT NULL);
        -- In the order in which an app reads them, so that a part of an inbox is one range.
        CREATE TABLE inbox_items (
            consumer INTEGER NOT NULL, change INTEGER NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL,
            content TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
            is_read INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (consumer, change)) WITHOUT ROWID;
        CREATE UNIQUE INDEX inbox_items_name ON inbox_items (consumer, id);
        CREATE INDEX inbox_items_expiry ON inbox_items (expires_at);
        -- `platforms` are separated by commas; empty for all.
        CREATE TABLE in_app_messages (
            brand INTEGER NOT NULL, id TEXT NOT NULL, message TEXT NOT NULL, platforms TEXT NOT NULL, consent TEXT,
            PRIMARY KEY (brand, id)) WITHOUT ROWID;
        """
}

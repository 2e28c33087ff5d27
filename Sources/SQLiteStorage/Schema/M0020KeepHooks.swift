/// Webhooks of helpdesks.
///
/// Not additive: the earlier version would not seal their settings under another master key.
enum M0020KeepHooks {
    static let migration = Migration("0020-keep-hooks", isAdditive: false, sql: sql)

    private static let sql = """
        CREATE TABLE hooks (
            brand INTEGER NOT NULL, id TEXT NOT NULL, settings BLOB NOT NULL, updated_at INTEGER NOT NULL,
            PRIMARY KEY (brand, id)) WITHOUT ROWID;
        """
}

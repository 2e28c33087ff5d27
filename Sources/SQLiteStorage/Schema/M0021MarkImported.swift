/// Registrations that were imported from another service are marked until a provider accepts a push to them.
enum M0021MarkImported {
    static let migration = Migration("0021-mark-imported", isAdditive: true, sql: sql)

    private static let sql = """
        ALTER TABLE registrations ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;
        """
}

/// The time at which anonymous consumers without stored data are removed; existing ones are checked a day after the
/// upgrade.
enum M0006LetAnonymousGo {
    static let migration = Migration("0006-let-anonymous-go", isAdditive: true, sql: sql)

    private static let sql = """
        -- When to look whether an anonymous consumer goes: never before a day after its last session ended; null for others.
        ALTER TABLE consumers ADD COLUMN goes_at INTEGER;
        UPDATE consumers SET goes_at = CAST(strftime('%s', 'now') AS INTEGER) * 1000 + 86400000
            WHERE anonymous = 1 AND merged_into IS NULL;
        CREATE INDEX consumers_going ON consumers (goes_at) WHERE goes_at IS NOT NULL;
        """
}

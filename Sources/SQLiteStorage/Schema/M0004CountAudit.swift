/// Entries of the audit trail that stand for several actions: minted sessions have one for each account and hour.
enum M0004CountAudit {
    static let migration = Migration("0004-count-audit", isAdditive: true, sql: sql)

    private static let sql = """
        -- How many acts the entry stands for; null is one.
        ALTER TABLE audit ADD COLUMN count INTEGER;
        CREATE UNIQUE INDEX audit_minted ON audit (brand, actor, at) WHERE action = 'sessions.minted';
        """
}

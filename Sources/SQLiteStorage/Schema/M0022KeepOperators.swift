/// Accounts of operators, their sessions, and the reasons for which messages were revealed.
enum M0022KeepOperators {
    static let migration = Migration("0022-keep-operators", isAdditive: true, sql: sql)

    private static let sql = """
        -- Without a password, an account signs in by other means only.
        CREATE TABLE operators (
            key INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, password TEXT,
            created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);
        -- Keys of brands begin at 1: 0 is the whole instance. A brand that an earlier version deleted may have left rows,
        -- which no brand finds, because keys are never given again.
        CREATE TABLE operator_roles (
            account INTEGER NOT NULL, brand INTEGER NOT NULL, role TEXT NOT NULL,
            PRIMARY KEY (account, brand)) WITHOUT ROWID;
        CREATE TABLE operator_sessions (
            token_hash BLOB NOT NULL PRIMARY KEY, account INTEGER NOT NULL, opened_at INTEGER NOT NULL,
            used_at INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX operator_sessions_account ON operator_sessions (account, opened_at);

        ALTER TABLE audit ADD COLUMN reason TEXT;
        -- How many messages a caller has revealed lately.
        CREATE INDEX audit_revealed ON audit (actor, actor_kind, at) WHERE action = 'message.revealed';
        """
}

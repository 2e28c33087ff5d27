/// Keeps sessions of anonymous consumers for as long as their tokens prove that a login is theirs.
enum M0005KeepMergeProofs {
    static let migration = Migration("0005-keep-merge-proofs", isAdditive: true, sql: sql)

    private static let sql = """
        -- When the session's row goes; null is a day after its expiry. A session of an anonymous consumer is kept longer: as
        -- long as its row is here, and its credential is in force, its token may prove a merge.
        ALTER TABLE sessions ADD COLUMN kept_until INTEGER;
        UPDATE sessions SET kept_until = expires_at + 604800000
            WHERE consumer IN (SELECT key FROM consumers WHERE anonymous = 1 AND merged_into IS NULL);
        DROP INDEX sessions_expiry;
        CREATE INDEX sessions_kept ON sessions (coalesce(kept_until, expires_at + 86400000));
        """
}

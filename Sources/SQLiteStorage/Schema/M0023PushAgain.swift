/// A push of a message that an earlier event stored is marked: newer messages may have deliveries with lower numbers.
enum M0023PushAgain {
    static let migration = Migration("0023-push-again", isAdditive: true, sql: sql)

    private static let sql = """
        ALTER TABLE outbox ADD COLUMN again INTEGER NOT NULL DEFAULT 0;
        """
}

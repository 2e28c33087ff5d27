/// A push that an open messaging window held back, or that is sent again after it had ended, is marked: the time until it is
/// accepted says nothing.
///
/// Additive: the earlier version measures no pushes.
enum M0026TimePushes {
    static let migration = Migration("0026-time-pushes", isAdditive: true, sql: sql)

    private static let sql = """
        ALTER TABLE outbox ADD COLUMN untimed INTEGER NOT NULL DEFAULT 0;
        """
}

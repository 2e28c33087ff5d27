/// The service account that owns a subscription of the outbound feed; null where none has read it yet.
enum M0003OwnSubscriptions {
    static let migration = Migration("0003-own-subscriptions", isAdditive: true, sql: sql)

    private static let sql = "ALTER TABLE subscriptions ADD COLUMN owner TEXT;"
}

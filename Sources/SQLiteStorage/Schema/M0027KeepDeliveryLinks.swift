/// Links that show one delivery to whoever has them.
///
/// Additive: the earlier version shows none; it keeps those of a brand that it deletes, but no brand gets their key again.
enum M0027KeepDeliveryLinks {
    static let migration = Migration("0027-keep-delivery-links", isAdditive: true, sql: sql)

    private static let sql = """
        CREATE TABLE delivery_links (
            token_hash BLOB NOT NULL PRIMARY KEY, brand INTEGER NOT NULL, delivery INTEGER NOT NULL, actor TEXT NOT NULL,
            actor_kind TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX delivery_links_delivery ON delivery_links (brand, delivery, created_at);
        CREATE INDEX delivery_links_expiry ON delivery_links (expires_at);
        """
}

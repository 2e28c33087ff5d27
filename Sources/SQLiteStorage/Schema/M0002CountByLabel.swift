/// The reasons by which the stored counts group deliveries.
///
/// Earlier data was counted by any word of a provider's response, and after 4,000 words of any brand by none. With the
/// table empty it is recounted (`Writer.recountReasons`). Not additive: the earlier version numbers words by their
/// count.
/// how many there are.
enum M0002CountByLabel {
    static let migration = Migration("0002-count-by-label", isAdditive: false, sql: sql)

    private static let sql = """
        CREATE TABLE counted_reasons (word TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID;
        """
}

/// The reasons by which the stored counts tell deliveries apart.
///
/// Data of before was counted by whatever word a provider had answered, and after 4,000 of them by none, of any brand: with
/// the table empty it is counted again (`Writer.recountReasons`). Not additive: the version before gives numbers to words by
/// how many there are.
enum M0002CountByLabel {
    static let migration = Migration("0002-count-by-label", isAdditive: false, sql: sql)

    private static let sql = """
        CREATE TABLE counted_reasons (word TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID;
        """
}

/// Event ids are stored in buckets that are small enough to stay in the cache while they are filled.
///
/// Earlier ids stay stored by their days, and are looked up there.
enum M0013RememberInBuckets {
    static let migration = Migration("0013-remember-in-buckets", isAdditive: true, sql: sql)

    private static let sql = """
        -- `day` of `dedupe` is a bucket from now on: the day times 1,048,576 and a number from 1 on; 0 is of ids that came when
        -- there were too many. The version before takes them for days to come, where it looks too.
        -- What stands for the ids of a bucket that is not filled any more, four bytes each: most ids are told from those in it
        -- by that.
        CREATE TABLE dedupe_marks (bucket INTEGER PRIMARY KEY, marks BLOB NOT NULL);
        """
}

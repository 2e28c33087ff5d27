/// The gateway's time, with which the next start compares its clock.
enum M0011KeepClockMark {
    static let migration = Migration("0011-keep-clock-mark", isAdditive: true, sql: sql)

    private static let sql = """
        -- One row: the newest time by a trusted clock, and how many milliseconds the gateway has run since by one that seemed
        -- too far ahead; null when its clock is trusted.
        CREATE TABLE clock_mark (id INTEGER PRIMARY KEY, trusted INTEGER NOT NULL, guarded INTEGER);
        """
}

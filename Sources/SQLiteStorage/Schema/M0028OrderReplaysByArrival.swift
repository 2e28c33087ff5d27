/// Keys of events are stored in the order in which the events came, so that the new ones of a turn share a few pages.
///
/// Not additive: the earlier version does not recognize the replays of events that this version has stored.
enum M0028OrderReplaysByArrival {
    static let migration = Migration("0028-order-replays-by-arrival", isAdditive: false, sql: sql)

    private static let sql = """
        -- `event` of `dedupe` is from now on 18 bytes: the number of the event within its bucket, and the 16 bytes of before.
        -- Earlier rows have no number, and stay: up to this bucket, events are looked up without it.
        CREATE TABLE dedupe_unnumbered_buckets (bucket INTEGER NOT NULL);
        INSERT INTO dedupe_unnumbered_buckets SELECT day FROM dedupe ORDER BY day DESC LIMIT 1;
        """
}

/// The time until which rows wait is stored once for each device, no longer in each of its rows.
enum M0007WaitByDevice {
    static let migration = Migration("0007-wait-by-device", isAdditive: false, sql: sql)

    private static let sql = """
        -- Until when a registration's rows wait that nobody owns, which are `rows`: one line for each registration that has
        -- some. `due` is null until its lane, which has as many of its rows in memory as it may, asks for them. It lies behind `not_before` only
        -- because of quiet hours: until then a provider wants none.
        CREATE TABLE waiting (
            registration INTEGER PRIMARY KEY, lane INTEGER NOT NULL, due INTEGER, not_before INTEGER NOT NULL,
            rows INTEGER NOT NULL);
        INSERT INTO waiting SELECT registration, lane, min(due), min(not_before), count(*) FROM outbox
            WHERE owner IS NULL GROUP BY registration;
        CREATE INDEX waiting_due ON waiting (lane, due) WHERE due IS NOT NULL;
        DROP INDEX outbox_waiting;
        ALTER TABLE outbox DROP COLUMN due;
        ALTER TABLE outbox DROP COLUMN not_before;
        """
}

/// A lane hands out agents' messages before badges, badges before proactive messages, and each campaign's separately.
enum M0010QueueByClass {
    static let migration = Migration("0010-queue-by-class", isAdditive: false, sql: sql)

    private static let sql = """
        -- 0 agents' messages, 1 badges, 2 proactive messages without a campaign, from 3 on the campaign's number plus 3.
        ALTER TABLE outbox ADD COLUMN queue INTEGER NOT NULL DEFAULT 0;
        UPDATE outbox SET queue = CASE WHEN message IS NULL THEN 1
            WHEN (SELECT kind FROM messages WHERE key = outbox.message) = 'agent' THEN 0
            ELSE coalesce(campaign + 3, 2) END;
        DROP INDEX outbox_registration;
        CREATE INDEX outbox_registration ON outbox (registration, queue, id);
        -- One line for each queue of a registration, and not for each registration.
        ALTER TABLE waiting RENAME TO waiting_before;
        CREATE TABLE waiting (
            registration INTEGER NOT NULL, queue INTEGER NOT NULL, lane INTEGER NOT NULL, due INTEGER,
            not_before INTEGER NOT NULL, rows INTEGER NOT NULL, PRIMARY KEY (registration, queue)) WITHOUT ROWID;
        INSERT INTO waiting SELECT w.registration, o.queue, w.lane, w.due, w.not_before, count(*)
            FROM waiting_before w JOIN outbox o ON o.registration = w.registration WHERE o.owner IS NULL
            GROUP BY w.registration, o.queue;
        DROP TABLE waiting_before;
        CREATE INDEX waiting_due ON waiting (lane, queue, due) WHERE due IS NOT NULL;
        """
}

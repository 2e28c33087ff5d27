/// The indexes and tables that keep an event cheap with many consumers and data that has grown for long.
///
/// Not additive: the earlier version names an index that is removed.
enum M0009HoldManyConsumers {
    static let migration = Migration("0009-hold-many-consumers", isAdditive: false, sql: sql)

    private static let sql = """
        -- A consumer's deliveries are found by its messages. Indexes of consumers and devices in the log would each have a page
        -- written for nearly each delivery where consumers are many; only what has no message, or none any more, is in one.
        CREATE INDEX delivery_log_alone ON delivery_log (consumer)
            WHERE indexed = 1 AND (message IS NULL OR message_low IS NOT NULL);
        -- Whose a device was whose registration ended or went to another consumer: the log of a device is looked for in the
        -- logs of those who have or had it. No delivery of the pair has a number above `last_delivery`.
        CREATE TABLE former_devices (
            brand INTEGER NOT NULL, device TEXT NOT NULL, consumer INTEGER NOT NULL, last_delivery INTEGER NOT NULL,
            PRIMARY KEY (brand, device, consumer)) WITHOUT ROWID;
        CREATE INDEX former_devices_consumer ON former_devices (consumer);
        CREATE INDEX former_devices_age ON former_devices (last_delivery);
        INSERT OR REPLACE INTO former_devices SELECT brand, device, consumer, id FROM delivery_log d
            WHERE NOT EXISTS (SELECT 1 FROM registrations r WHERE r.consumer = d.consumer AND r.device = d.device)
            ORDER BY id;
        CREATE TRIGGER registrations_ended AFTER DELETE ON registrations WHEN old.brand IN (SELECT key FROM brands) BEGIN
            INSERT INTO former_devices SELECT old.brand, old.device, old.consumer, max(id) FROM delivery_log
                HAVING max(id) IS NOT NULL
                ON CONFLICT DO UPDATE SET last_delivery = max(last_delivery, excluded.last_delivery);
        END;
        CREATE TRIGGER registrations_moved AFTER UPDATE OF consumer ON registrations
            WHEN old.consumer <> new.consumer BEGIN
            INSERT INTO former_devices SELECT old.brand, old.device, old.consumer, max(id) FROM delivery_log
                HAVING max(id) IS NOT NULL
                ON CONFLICT DO UPDATE SET last_delivery = max(last_delivery, excluded.last_delivery);
        END;
        DROP INDEX delivery_log_device;
        DROP INDEX delivery_log_consumer;

        -- A consumer's unread count is the sum over its conversations with something unread, whatever it has of others. A
        -- column of its own, so that the index is written when that changes and not with each message.
        ALTER TABLE conversations ADD COLUMN has_unread INTEGER NOT NULL DEFAULT 0;
        UPDATE conversations SET has_unread = 1 WHERE unread > 0;
        CREATE INDEX conversations_unread ON conversations (consumer) WHERE has_unread = 1;

        -- What counting needs of resolved conversations that back-ends named and of which no message is left: they are put
        -- back among the others when they are named again.
        CREATE TABLE resting_conversations (
            brand INTEGER NOT NULL, id TEXT NOT NULL, consumer INTEGER NOT NULL, last_sequence INTEGER NOT NULL,
            read_sequence INTEGER NOT NULL, PRIMARY KEY (brand, id)) WITHOUT ROWID;
        CREATE INDEX resting_conversations_consumer ON resting_conversations (consumer);
        -- Those that may come to rest or be forgotten, the ones that were used longest ago first.
        CREATE INDEX conversations_resolved ON conversations (brand, last_message) WHERE resolved = 1;
        DROP INDEX conversations_resting;

        -- The last day on which an event's long id was remembered as it was: from now on half of its SHA-256 is, as a blob.
        CREATE TABLE dedupe_text_days (day INTEGER NOT NULL);
        INSERT INTO dedupe_text_days SELECT max(day) FROM dedupe HAVING max(day) IS NOT NULL;

        -- When rows expire that are in no lane; those that go from the event to a lane pay nothing for it.
        CREATE INDEX outbox_expiry ON outbox (expires_at) WHERE owner IS NULL OR held = 1;

        -- Whom items of the outbound feed name.
        CREATE INDEX outbound_consumer ON outbound (brand, json_extract(data, '$.consumer'));
        """
}

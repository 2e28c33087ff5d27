/// The record of an ended registration: its last delivery is found by an index, not by a scan.
enum M0015RememberDevicesQuickly {
    static let migration = Migration("0015-remember-devices-quickly", isAdditive: true, sql: sql)

    private static let sql = """
        -- An aggregate beside other columns reads all of the log, for each registration that ends.
        DROP TRIGGER registrations_ended;
        DROP TRIGGER registrations_moved;
        CREATE TRIGGER registrations_ended AFTER DELETE ON registrations WHEN old.brand IN (SELECT key FROM brands) BEGIN
            INSERT INTO former_devices SELECT old.brand, old.device, old.consumer, id FROM delivery_log
                WHERE true ORDER BY id DESC LIMIT 1
                ON CONFLICT DO UPDATE SET last_delivery = max(last_delivery, excluded.last_delivery);
        END;
        CREATE TRIGGER registrations_moved AFTER UPDATE OF consumer ON registrations
            WHEN old.consumer <> new.consumer BEGIN
            INSERT INTO former_devices SELECT old.brand, old.device, old.consumer, id FROM delivery_log
                WHERE true ORDER BY id DESC LIMIT 1
                ON CONFLICT DO UPDATE SET last_delivery = max(last_delivery, excluded.last_delivery);
        END;
        """
}

/// A device whose provider reports its token as dead is stopped at once, and ends some minutes later.
enum M0012StopDevices {
    static let migration = Migration("0012-stop-devices", isAdditive: true, sql: sql)

    private static let sql = """
        -- Registrations in the state `invalid`: nothing finds them, until they end or are put back.
        CREATE TABLE stopped_devices (
            registration INTEGER PRIMARY KEY, lane INTEGER NOT NULL, stopped_at INTEGER NOT NULL);
        CREATE INDEX stopped_devices_lane ON stopped_devices (lane, stopped_at, registration);
        -- Their deliveries that ended because they were stopped, which wait again when they are put back.
        CREATE TABLE stopped_deliveries (
            registration INTEGER NOT NULL, delivery INTEGER NOT NULL, expires_at INTEGER NOT NULL,
            PRIMARY KEY (registration, delivery)) WITHOUT ROWID;
        -- Lanes whose provider is not believed, because it calls too many tokens dead.
        CREATE TABLE suspended_lanes (lane INTEGER PRIMARY KEY, since INTEGER NOT NULL);
        CREATE TRIGGER lanes_ended AFTER DELETE ON lanes BEGIN
            DELETE FROM suspended_lanes WHERE lane = old.id;
        END;

        -- How many registrations each lane has.
        CREATE TABLE lane_devices (lane INTEGER PRIMARY KEY, devices INTEGER NOT NULL);
        INSERT INTO lane_devices SELECT lane, count(*) FROM registrations GROUP BY lane;
        CREATE TRIGGER registrations_counted AFTER INSERT ON registrations BEGIN
            INSERT INTO lane_devices (lane, devices) VALUES (new.lane, 1)
                ON CONFLICT (lane) DO UPDATE SET devices = devices + 1;
        END;
        CREATE TRIGGER registrations_uncounted AFTER DELETE ON registrations BEGIN
            UPDATE lane_devices SET devices = devices - 1 WHERE lane = old.lane;
            DELETE FROM lane_devices WHERE lane = old.lane AND devices <= 0;
            DELETE FROM stopped_devices WHERE registration = old.id;
            DELETE FROM stopped_deliveries WHERE registration = old.id;
        END;
        """
}

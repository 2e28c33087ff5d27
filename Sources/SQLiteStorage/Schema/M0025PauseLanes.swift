/// Lanes that operators have paused.
///
/// Additive: the earlier version sends their pushes.
enum M0025PauseLanes {
    static let migration = Migration("0025-pause-lanes", isAdditive: true, sql: sql)

    private static let sql = """
        CREATE TABLE paused_lanes (lane INTEGER PRIMARY KEY, since INTEGER NOT NULL);
        CREATE TRIGGER paused_lanes_ended AFTER DELETE ON lanes BEGIN
            DELETE FROM paused_lanes WHERE lane = old.id;
        END;
        """
}

/// The paces that operators have set for lanes, in pushes a second.
///
/// Additive: the earlier version sends without a pace.
enum M0029PaceLanes {
    static let migration = Migration("0029-pace-lanes", isAdditive: true, sql: sql)

    private static let sql = """
        CREATE TABLE lane_paces (lane INTEGER PRIMARY KEY, per_second INTEGER NOT NULL);
        CREATE TRIGGER lane_paces_ended AFTER DELETE ON lanes BEGIN
            DELETE FROM lane_paces WHERE lane = old.id;
        END;
        """
}

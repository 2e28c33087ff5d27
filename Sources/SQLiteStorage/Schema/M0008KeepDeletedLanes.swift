/// The lanes of deleted apps, so that their registrations are ended in small batches.
enum M0008KeepDeletedLanes {
    static let migration = Migration("0008-keep-deleted-lanes", isAdditive: true, sql: sql)

    private static let sql = """
        -- Lanes of apps that are gone, whose registrations are still to be ended; they are in `lanes` no more.
        CREATE TABLE deleted_lanes (lane INTEGER PRIMARY KEY);
        CREATE INDEX registrations_lane ON registrations (lane);
        """
}

/// What a copy of the data holds.
package struct BackupReport: Sendable, Equatable {
    /// The size of the file in bytes.
    package var bytes: Int
    /// Its pages.
    package var pages: Int
    /// Deliveries that were not finished when it was made; they are sent again after a restore.
    package var pendingDeliveries: Int
    /// The name of the newest migration.
    package var newestMigration: String
    /// Where the database that was there before is kept; nil when there was none, and for backups.
    package var keptAside: String?
}

/// The report of a copy of the data.
package struct BackupReport: Sendable, Equatable {
    /// The size of the file in bytes.
    package var bytes: Int
    /// The number of its pages.
    package var pages: Int
    /// Deliveries that were not finished at the time of the copy; they are sent again after a restore.
    package var pendingDeliveries: Int
    /// The name of the newest migration.
    package var newestMigration: String
    /// The path to which the earlier database was moved; nil when there was none, and for backups.
    package var keptAside: String?
    /// The old backups that were removed after this one was complete.
    package var removed: [String] = []

    /// Creates the report of a copy that replaced nothing.
    package init(bytes: Int, pages: Int, pendingDeliveries: Int, newestMigration: String) {
        self.bytes = bytes
        self.pages = pages
        self.pendingDeliveries = pendingDeliveries
        self.newestMigration = newestMigration
    }
}

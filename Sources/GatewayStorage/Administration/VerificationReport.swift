/// The report of a database file that was checked in full.
package struct VerificationReport: Sendable, Equatable {
    /// The number of rows of one kind.
    package struct Rows: Sendable, Equatable {
        /// The kind, in camel case, for example `pendingDeliveries`.
        package var kind: String
        /// The number of rows.
        package var count: Int

        /// Creates a count.
        package init(kind: String, count: Int) {
            self.kind = kind
            self.count = count
        }
    }

    /// The size of the database in bytes.
    package var bytes: Int
    /// The number of its pages.
    package var pages: Int
    /// The name of the newest migration.
    package var newestMigration: String
    /// The migrations that this version applies when it opens the data, in their order.
    package var pendingMigrations: [String]
    /// The rows by kind, always the same kinds in the same order.
    package var rows: [Rows]

    /// Creates a report.
    package init(bytes: Int, pages: Int, newestMigration: String, pendingMigrations: [String], rows: [Rows]) {
        self.bytes = bytes
        self.pages = pages
        self.newestMigration = newestMigration
        self.pendingMigrations = pendingMigrations
        self.rows = rows
    }
}

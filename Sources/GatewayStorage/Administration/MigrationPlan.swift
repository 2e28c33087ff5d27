/// The applied and pending migrations of a database.
package struct MigrationPlan: Sendable {
    /// The migrations of this version in their order: number and purpose, and whether each is applied to the data.
    package var migrations: [(name: String, isApplied: Bool)]
    /// The file into which the data is copied before it is changed; nil when nothing is pending or there is no data.
    package var copy: String?

    /// Creates a plan.
    package init(migrations: [(name: String, isApplied: Bool)], copy: String? = nil) {
        self.migrations = migrations
        self.copy = copy
    }
}

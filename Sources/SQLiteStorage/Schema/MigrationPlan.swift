/// The applied and pending migrations of a database.
package struct MigrationPlan: Sendable {
    /// One migration.
    package struct Item: Sendable {
        /// Its number and purpose.
        package var name: String
        /// Whether it is applied to the data.
        package var isApplied: Bool
    }

    /// The migrations of this version, in their order.
    package var migrations: [Item]
    /// The file into which the data is copied before it is changed; nil when nothing is pending or there is no data.
    package var copy: String?
}

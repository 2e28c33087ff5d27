/// How the housekeeper behaves; tests shorten the intervals.
package struct HousekeepingSettings: Sendable, Equatable {
    /// Between two sweeps of expired deliveries.
    ///
    /// None of them would be sent anyway: this is how late the log may say so.
    package var expiredInterval = Duration.seconds(10)
    /// Between two passes of everything else, whose limits are hours and days.
    package var interval = Duration.seconds(600)
    /// The longest time that messages and the delivery log are kept, in days, 1 to 3,650 (`retention.days`); nil leaves
    /// it to each brand.
    package var maxRetentionDays: Int64?
    /// How long the audit trail is kept, in days, 365 to 3,650 (`retention.auditDays`): a year, so that a yearly review
    /// finds all of it, whatever the brands' own retention is.
    package var auditRetentionDays: Int64 = 365
    /// How large batches are.
    package var batchSize = HousekeepingBatchSize()

    /// The defaults.
    package init() {}
}

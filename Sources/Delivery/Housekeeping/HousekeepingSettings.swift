/// The settings of the housekeeper; tests shorten the intervals.
package struct HousekeepingSettings: Sendable, Equatable {
    /// The interval between two sweeps of expired deliveries.
    ///
    /// None of them would be sent anyway: the interval is only the delay until the delivery log shows them as expired.
    package var expiredInterval = Duration.seconds(10)
    /// The interval between two passes of everything else, whose limits are hours and days.
    package var interval = Duration.seconds(600)
    /// The longest retention of messages and the delivery log, in days, 1 to 3,650 (`retention.days`); nil leaves it to
    /// each brand.
    package var maxRetentionDays: Int64?
    /// The retention of the audit trail, in days, 365 to 3,650 (`retention.auditDays`): a year, so that a yearly review
    /// finds all of it, whatever the brands' own retention is.
    package var auditRetentionDays: Int64 = 365
    /// The batch size of the start.
    package var batchSize = HousekeepingBatchSize()

    /// Creates the defaults.
    package init() {}
}

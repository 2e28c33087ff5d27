/// The part of a ``GatewayStore`` that removes what is old or deleted.
package protocol HousekeepingStore: Sendable {
    /// Runs one small batch of housekeeping, in a transaction of its own; returns the removed rows and the position at
    /// which to continue.
    ///
    /// Candidates are searched concurrently with the writer; only their removal holds it. A pass (batches from a nil
    /// position until the next is nil) removes everything that its work names. One exception: rows that a clock change
    /// has put out of order may stay until those with lower ids are old enough too.
    func runHousekeeping(_ batch: HousekeepingBatch) async throws(StorageError) -> HousekeepingProgress
}

/// The part of a ``GatewayStore`` that removes what is old or deleted.
package protocol HousekeepingStore: Sendable {
    /// Runs one small batch of housekeeping, in a transaction of its own.
    ///
    /// Candidates are searched concurrently with the writer; only their removal holds it. A pass (batches from a nil
    /// position until the next is nil) removes everything that its work names. One exception: rows that a clock change
    /// has put out of order may stay until those with lower ids are old enough too.
    ///
    /// - Parameter batch: The work and its limit.
    /// - Returns: The removed rows and the position at which to continue.
    /// - Throws: `StorageError`; then the batch has changed nothing.
    func runHousekeeping(_ batch: HousekeepingBatch) async throws(StorageError) -> HousekeepingProgress
}

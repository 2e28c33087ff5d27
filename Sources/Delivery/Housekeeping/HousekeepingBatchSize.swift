/// How many rows the next batch of one kind of work removes, so that an event that waits for it hardly waits longer than for
/// its own commit.
///
/// A batch that took longer than the aim halves it; a full one that took less lets it grow by a quarter, so that the next
/// takes little more than the aim unless the disk slows down at that moment.
package struct HousekeepingBatchSize: Sendable, Equatable {
    /// What a batch should take, in milliseconds: some syncs of a disk.
    package static let aimMilliseconds = 2.0
    /// Larger batches save nothing: the sync is a small part of them by then.
    package static let maximum = 2000

    /// How many rows the next batch may remove, 1 to ``maximum``.
    package private(set) var limit: Int

    /// Starts small enough for a slow disk.
    ///
    /// - Parameter limit: The first batch's limit; brought into 1 to ``maximum``.
    package init(limit: Int = 200) { self.limit = min(max(limit, 1), Self.maximum) }

    /// Learns from a batch that had ``limit``.
    ///
    /// - Parameters:
    ///   - removed: How many rows it removed; one that was not full says nothing about larger ones.
    ///   - heldMilliseconds: How long it held the writer.
    package mutating func measured(removed: Int, heldMilliseconds: Double) {
        if heldMilliseconds > Self.aimMilliseconds {
            limit = max(limit / 2, 1)
        } else if removed >= limit {
            limit = min(limit + max(limit / 4, 1), Self.maximum)
        }
    }
}

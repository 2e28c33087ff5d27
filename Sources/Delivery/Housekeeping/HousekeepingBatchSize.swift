/// The number of rows that the next batch of one kind of work deletes, so that an event that waits for it hardly waits
/// longer than for its own commit.
///
/// A batch that took longer than the target halves it; a full one that took less lets it grow by a quarter, so that the
/// next takes little more than the target unless the disk slows down at that moment.
package struct HousekeepingBatchSize: Sendable, Equatable {
    /// The target duration of a batch, in milliseconds: a few syncs of a disk.
    package static let aimMilliseconds = 2.0
    /// Larger batches save nothing: the sync is a small part of them by then.
    package static let maximum = 2000

    /// The number of rows that the next batch may delete, 1 to ``maximum``.
    package private(set) var limit: Int

    /// Creates a size that is small enough for a slow disk; `limit` is clamped to 1 to ``maximum``.
    package init(limit: Int = 200) { self.limit = min(max(limit, 1), Self.maximum) }

    /// Adapts to the time that a batch of ``limit`` held the writer; one that was not full says nothing about larger
    /// ones.
    package mutating func measured(removed: Int, heldMilliseconds: Double) {
        if heldMilliseconds > Self.aimMilliseconds {
            limit = max(limit / 2, 1)
        } else if removed >= limit {
            limit = min(limit + max(limit / 4, 1), Self.maximum)
        }
    }
}

/// How many rows the next batch of one kind of work removes, so that none keeps the writer from events for more than 50 ms.
///
/// A batch that took longer than the aim halves it; a full one that took less lets it grow by a quarter, so that the next
/// takes about 25 ms at most and only a disk that slows down at that moment can come near the bound.
package struct HousekeepingBatchSize: Sendable, Equatable {
    /// What a batch should take, in milliseconds: well below the 50 that are allowed.
    package static let aimMilliseconds = 20.0
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

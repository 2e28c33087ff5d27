/// The writer's memory of the log between turns.
struct LogMemory {
    /// A change whose row is not in the filter indexes yet.
    struct Unindexed {
        var change: Int64
        var delivery: Int64
    }

    /// The number of the next change.
    var nextChange: Int64
    /// The last change up to which every row is indexed.
    var indexedChange: Int64
    /// The changes after it whose rows are not indexed, in order.
    var unindexed: [Unindexed] = []
}

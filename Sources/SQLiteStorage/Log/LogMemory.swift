/// What the writer remembers of the log between turns.
struct LogMemory {
    /// A change whose row is not in the indexes of filters yet.
    struct Unindexed {
        var change: Int64
        var delivery: Int64
    }

    /// The number of the next change.
    var nextChange: Int64
    /// Up to this change every row is indexed.
    var indexedChange: Int64
    /// The changes above it whose rows are not, in their order.
    var unindexed: [Unindexed] = []
}

/// One connection of one provider, for its whole life; no other ever has the same.
struct ConnectionNumber: Hashable {
    /// The number of its pool.
    var pool: UInt64
    /// Its number in that pool.
    var connection: UInt64
}

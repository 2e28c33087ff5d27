/// Divides a process's connections between its pools.
///
/// A pool without a connection has priority: further connections of pools may use only one half of the slots. When all
/// slots are used, a pool that has several is asked to close one. A plain value.
struct ConnectionShares {
    private let capacity: Int
    private(set) var count = 0
    private var held: [UInt64: Int] = [:]
    /// Pools with several connections, except those that were asked for one and have not released any since.
    private var rich: Set<UInt64> = []

    /// Creates shares with all slots free.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The number of slots that a pool holds.
    subscript(pool: UInt64) -> Int { held[pool] ?? 0 }

    /// Takes a slot; it is needed if the pool has no other connection.
    ///
    /// - Returns: False when there is none for this pool; otherwise the slot must be released.
    mutating func take(_ pool: UInt64, isNeeded: Bool) -> Bool {
        guard count < (isNeeded ? capacity : capacity / 2) else { return false }
        count += 1
        held[pool, default: 0] += 1
        if self[pool] == 2 { rich.insert(pool) }
        return true
    }

    /// Releases a slot.
    mutating func release(_ pool: UInt64) {
        guard let mine = held[pool] else { return assertionFailure("released a slot that was not taken") }
        count -= 1
        held[pool] = mine > 1 ? mine - 1 : nil
        if mine > 2 { rich.insert(pool) } else { rich.remove(pool) }
    }

    /// Returns a pool that is to be asked for one of its connections, once until it has released one; nil when there is
    /// none.
    mutating func nextToAsk() -> UInt64? { rich.popFirst() }
}

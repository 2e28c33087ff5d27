/// Shares a process's connections out between its pools.
///
/// A pool that has nothing to send by comes first: what others want besides fills one half only, and when all places are
/// taken, a pool that has several is asked for one of them. A plain value.
struct ConnectionShares {
    private let capacity: Int
    private(set) var count = 0
    private var held: [UInt64: Int] = [:]
    /// Pools with several, but for those that were asked for one and have not given any back since.
    private var rich: Set<UInt64> = []

    /// Makes free places.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The places that a pool holds.
    subscript(pool: UInt64) -> Int { held[pool] ?? 0 }

    /// Takes a place; needed is one that has no other to send by.
    ///
    /// - Returns: False when there is none for this pool; otherwise it must be given back.
    mutating func take(_ pool: UInt64, isNeeded: Bool) -> Bool {
        guard count < (isNeeded ? capacity : capacity / 2) else { return false }
        count += 1
        held[pool, default: 0] += 1
        if self[pool] == 2 { rich.insert(pool) }
        return true
    }

    /// Gives a place back that was taken.
    mutating func giveBack(_ pool: UInt64) {
        guard let mine = held[pool] else { return assertionFailure("a place that was not taken") }
        count -= 1
        held[pool] = mine > 1 ? mine - 1 : nil
        if mine > 2 { rich.insert(pool) } else { rich.remove(pool) }
    }

    /// A pool that is to be asked for one of its connections, once until it has given one back; nil when there is none.
    mutating func nextToAsk() -> UInt64? { rich.popFirst() }
}

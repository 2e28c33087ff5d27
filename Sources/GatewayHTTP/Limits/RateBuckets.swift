/// Token buckets by caller, bounded in number (a value; whoever holds it guards it).
///
/// A bucket is one number: the time at which it would be full again if nothing more were taken (the generic cell rate
/// algorithm, ITU-T I.371 annex A). A caller that has not asked for a while has a full bucket and needs none.
struct RateBuckets: Sendable {
    /// More than this many callers within the time that a bucket takes to fill are not told apart from new ones.
    static let maxCallers = 50_000

    /// What a request met.
    enum Verdict: Equatable {
        /// It may go on, with so many left, and so many nanoseconds until the bucket is full.
        case taken(remaining: Int, untilFull: UInt64)
        /// It must wait for so many nanoseconds.
        case refused(wait: UInt64)
    }

    private let interval: UInt64
    private let capacity: UInt64
    private var fullAt: [Int: UInt64] = [:]

    /// Buckets that fill with `perSecond`, 1 or more.
    init(perSecond: Int) {
        interval = max(1, 1_000_000_000 / UInt64(max(perSecond, 1)))
        capacity = interval * UInt64(max(perSecond, 1) * RateLimits.burstSeconds)
    }

    /// How many requests a full bucket holds.
    var quota: Int { Int(capacity / interval) }

    /// How many callers have a bucket that is not known to be full.
    var count: Int { fullAt.count }

    /// Takes one request of a caller.
    mutating func take(_ caller: Int, now: UInt64) -> Verdict {
        if let wait = wait(caller, now: now) { return .refused(wait: wait) }
        let full = max(fullAt[caller] ?? 0, now) + interval
        if fullAt.count >= Self.maxCallers, fullAt[caller] == nil { makeRoom(now) }
        fullAt[caller] = full
        return .taken(remaining: Int((capacity - (full - now)) / interval), untilFull: full - now)
    }

    /// For how many nanoseconds a caller would be refused; nil when it would not be.
    func wait(_ caller: Int, now: UInt64) -> UInt64? {
        let full = max(fullAt[caller] ?? 0, now) + interval
        return full - now > capacity ? full - now - capacity : nil
    }

    /// Forgets the buckets that are full, and all when that is not enough: it is better to let a few requests too many
    /// pass than to slow down those who did nothing.
    private mutating func makeRoom(_ now: UInt64) {
        fullAt = fullAt.filter { $0.value > now }
        if fullAt.count >= Self.maxCallers / 2 { fullAt.removeAll(keepingCapacity: true) }
    }
}

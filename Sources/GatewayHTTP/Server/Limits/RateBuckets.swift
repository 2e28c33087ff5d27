/// Token buckets by caller, limited in number (a value; its owner guards it).
///
/// A bucket is one number: the time at which it would be full again if nothing more were taken (the generic cell rate
/// algorithm, ITU-T I.371 annex A). A caller without recent requests has a full bucket and needs none.
struct RateBuckets: Sendable {
    /// The maximum number of buckets: callers beyond it, within the time that a bucket takes to fill, count as new
    /// ones.
    static let maxCallers = 50_000

    /// The result of taking a request.
    enum Verdict: Equatable {
        /// It is allowed; so many requests are left, and so many nanoseconds until the bucket is full.
        case taken(remaining: Int, untilFull: UInt64)
        /// It must wait for so many nanoseconds.
        case refused(wait: UInt64)
    }

    private let interval: UInt64
    private let capacity: UInt64
    private var fullAt: [Int: UInt64] = [:]

    /// Creates buckets that fill with `perSecond` requests a second, 1 or more.
    init(perSecond: Int) {
        interval = max(1, 1_000_000_000 / UInt64(max(perSecond, 1)))
        capacity = interval * UInt64(max(perSecond, 1) * RateLimits.burstSeconds)
    }

    /// The number of requests of a full bucket.
    var quota: Int { Int(capacity / interval) }

    /// The number of callers with a bucket that is not known to be full.
    var count: Int { fullAt.count }

    /// Takes one request of a caller.
    mutating func take(_ caller: Int, now: UInt64) -> Verdict {
        if let wait = wait(caller, now: now) { return .refused(wait: wait) }
        let full = max(fullAt[caller] ?? 0, now) + interval
        if fullAt.count >= Self.maxCallers, fullAt[caller] == nil { makeRoom(now) }
        fullAt[caller] = full
        return .taken(remaining: Int((capacity - (full - now)) / interval), untilFull: full - now)
    }

    /// Returns the nanoseconds for which a caller would be rejected; nil when it would not be.
    func wait(_ caller: Int, now: UInt64) -> UInt64? {
        let full = max(fullAt[caller] ?? 0, now) + interval
        return full - now > capacity ? full - now - capacity : nil
    }

    /// Removes full buckets, and all buckets when that is not enough: a few requests too many are better than slowing
    /// down callers that did nothing.
    private mutating func makeRoom(_ now: UInt64) {
        fullAt = fullAt.filter { $0.value > now }
        if fullAt.count >= Self.maxCallers / 2 { fullAt.removeAll(keepingCapacity: true) }
    }
}

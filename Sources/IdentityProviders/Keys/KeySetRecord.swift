import GatewayModel

/// The cached set of one URL, and the times at which it may be fetched again; without a clock or IO of its own.
struct KeySetRecord: Sendable {
    /// The time for which a set is used without fetching it again.
    static let freshSeconds: UInt64 = 600
    /// The time for which a set is used while its URL fails; after that a revoked key matters more than an outage.
    static let keptSeconds: UInt64 = 86_400
    /// The minimum time between two fetches for a `kid` that the set does not have: anybody can invent one.
    static let unknownKeySeconds: UInt64 = 60
    /// The minimum time between two fetches of a URL that fails: each makes logins wait.
    static let failureSeconds: UInt64 = 10

    private static let nanoseconds: UInt64 = 1_000_000_000

    /// The last set that was fetched.
    private(set) var set: JWKSet?
    /// The time of that fetch, monotonic.
    private var readAt: UInt64 = 0
    /// The time of the last request, monotonic; nil for never.
    private var askedAt: UInt64?
    /// The number of failed fetches since the last set.
    private(set) var failures = 0
    /// The error of the last fetch, without anything of the response.
    private(set) var fault: String?
    /// The running fetch.
    var read: SharedResult<KeySetRecord>?
    /// The number of the last use, from a counter.
    var usedAt: UInt64 = 0

    /// Returns whether to fetch the URL before keys are returned; `isKnown` means that the set has the wanted key.
    func isReadDue(isKnown: Bool, now: UInt64) -> Bool {
        guard let askedAt else { return true }
        let sinceAsked = now.elapsed(since: askedAt)
        if failures > 0, sinceAsked < Self.failureSeconds * Self.nanoseconds { return false }
        guard set != nil, now.elapsed(since: readAt) < Self.freshSeconds * Self.nanoseconds else { return true }
        return !isKnown && sinceAsked >= Self.unknownKeySeconds * Self.nanoseconds
    }

    /// Returns the set, unless it is too old; nil when there is none.
    func kept(now: UInt64) -> JWKSet? {
        now.elapsed(since: readAt) < Self.keptSeconds * Self.nanoseconds ? set : nil
    }

    /// Records the start of a fetch.
    mutating func asked(now: UInt64) { askedAt = now }

    /// Records a fetched set; its age counts from the start of the fetch.
    mutating func succeeded(_ set: JWKSet, askedAt: UInt64) {
        self.set = set
        readAt = askedAt
        failures = 0
        fault = nil
    }

    /// Records a failed fetch; the wait before the next one begins now.
    mutating func failed(_ fault: String, now: UInt64) {
        failures += 1
        self.fault = fault
        askedAt = now
    }
}

extension UInt64 {
    /// Returns the time since a moment, both monotonic; 0 for a moment in the future.
    ///
    /// The caller may have read the clock before another thread that wrote the moment: a negative difference must not
    /// trap.
    func elapsed(since moment: UInt64) -> UInt64 { self > moment ? self - moment : 0 }
}

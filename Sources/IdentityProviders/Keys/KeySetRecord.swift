import GatewayModel

/// What is known of the set at one address, and when it may be read again; no clock of its own, no IO.
struct KeySetRecord: Sendable {
    /// So long a set is used without asking again.
    static let freshSeconds: UInt64 = 600
    /// So long a set is used while its address fails; then a revoked key counts for more than an outage.
    static let keptSeconds: UInt64 = 86_400
    /// Between two reads because of a `kid` that the set does not have: anybody can make one up.
    static let unknownKeySeconds: UInt64 = 60
    /// Between two reads of an address that fails: each makes logins wait.
    static let failureSeconds: UInt64 = 10

    private static let nanoseconds: UInt64 = 1_000_000_000

    /// The last set that was read.
    private(set) var set: JWKSet?
    /// When that was, monotonic.
    private var readAt: UInt64 = 0
    /// When an address was asked last, monotonic; nil for never.
    private var askedAt: UInt64?
    /// How often it was asked in vain since.
    private(set) var failures = 0
    /// Why the last read failed, in our words.
    private(set) var fault: String?
    /// The read that runs.
    var read: SharedAnswer<KeySetRecord>?
    /// When somebody looked at it last, by a count.
    var usedAt: UInt64 = 0

    /// Whether the address should be asked before keys are handed out.
    ///
    /// - Parameters:
    ///   - isKnown: Whether the set has what is wanted.
    ///   - now: Monotonic.
    /// - Returns: False also while the address has to be left alone.
    func isReadDue(isKnown: Bool, now: UInt64) -> Bool {
        guard let askedAt else { return true }
        let sinceAsked = now.elapsed(since: askedAt)
        if failures > 0, sinceAsked < Self.failureSeconds * Self.nanoseconds { return false }
        guard set != nil, now.elapsed(since: readAt) < Self.freshSeconds * Self.nanoseconds else { return true }
        return !isKnown && sinceAsked >= Self.unknownKeySeconds * Self.nanoseconds
    }

    /// The set, unless it is too old to be believed.
    ///
    /// - Parameter now: Monotonic.
    /// - Returns: Nil when there is none.
    func kept(now: UInt64) -> JWKSet? {
        now.elapsed(since: readAt) < Self.keptSeconds * Self.nanoseconds ? set : nil
    }

    /// Notes that the address is asked.
    mutating func asked(now: UInt64) { askedAt = now }

    /// Notes what was read; its age counts from when it was asked for.
    mutating func succeeded(_ set: JWKSet, askedAt: UInt64) {
        self.set = set
        readAt = askedAt
        failures = 0
        fault = nil
    }

    /// Notes that nothing could be read; the wait before the next try begins now.
    mutating func failed(_ fault: String, now: UInt64) {
        failures += 1
        self.fault = fault
        askedAt = now
    }
}

extension UInt64 {
    /// How long ago a moment was, both monotonic; nothing for one that is still to come.
    ///
    /// Who looks may have read the clock before another who wrote: a difference below nothing must end no process.
    func elapsed(since moment: UInt64) -> UInt64 { self > moment ? self - moment : 0 }
}

internal import CoreMetrics
internal import GatewayModel
internal import GuardedHTTP
internal import Synchronization
internal import Telemetry

/// Counts callers' requests and slows down those that exceed their rate limit; usable from any thread.
final class RateLimiter: Sendable {
    /// The kind of caller that a limit applies to.
    enum Kind: Int, CaseIterable, Sendable {
        case account, credential, session, address

        var name: String {
            switch self {
            case .account: "account"
            case .credential: "credential"
            case .session: "session"
            case .address: "address"
            }
        }
    }

    /// The trusted proxies.
    let trustedProxies: [AddressRange]
    private let clock: any GatewayClock
    private let metrics: HTTPMetrics
    /// The buckets by ``Kind``; nil for a kind without a limit.
    private let buckets: Mutex<[RateBuckets?]>
    /// The limits in header fields, by ``Kind``.
    private let policies: [RatePolicy]

    init(_ limits: ServerLimits, clock: any GatewayClock, metrics: HTTPMetrics) {
        trustedProxies = limits.trustedProxies
        self.clock = clock
        self.metrics = metrics
        let all = Kind.allCases.map { kind in
            let rate =
                switch kind {
                case .account: limits.rates.accountPerSecond
                case .credential: limits.rates.credentialPerSecond
                case .session: limits.rates.sessionPerSecond
                case .address: limits.rates.addressPerSecond
                }
            return rate > 0 ? RateBuckets(perSecond: rate) : nil
        }
        policies = zip(Kind.allCases, all).map { RatePolicy($0, quota: $1?.quota ?? 0) }
        buckets = Mutex(all)
    }

    /// Counts one request of a caller.
    ///
    /// - Parameters:
    ///   - kind: The kind of caller.
    ///   - caller: Identifies the caller among those of its kind.
    /// - Returns: The state of the limit; nil when there is no limit.
    /// - Throws: `Problem` 429 when the caller exceeds its limit.
    func take(_ kind: Kind, _ caller: some Hashable) throws(Problem) -> RateLimitState? {
        let key = Self.key(caller)
        let now = clock.monotonicNanoseconds
        switch buckets.withLock({ $0[kind.rawValue]?.take(key, now: now) }) {
        case .taken(let remaining, let untilFull):
            return RateLimitState(
                policy: policies[kind.rawValue],
                remaining: remaining,
                seconds: Self.seconds(untilFull)
            )
        case .refused(let wait): throw rejection(kind, wait: wait)
        case nil: return nil
        }
    }

    /// Rejects a caller that already exceeds its limit, without counting the request.
    ///
    /// - Parameters:
    ///   - kind: The kind of caller.
    ///   - caller: Identifies the caller among those of its kind.
    /// - Throws: `Problem` 429.
    func check(_ kind: Kind, _ caller: some Hashable) throws(Problem) {
        if let wait = wait(kind, caller) { throw rejection(kind, wait: wait) }
    }

    /// Returns the nanoseconds for which a caller exceeds its limit; nil when it does not.
    func wait(_ kind: Kind, _ caller: some Hashable) -> UInt64? {
        let key = Self.key(caller)
        let now = clock.monotonicNanoseconds
        return buckets.withLock { $0[kind.rawValue]?.wait(key, now: now) }
    }

    /// The hash seed, new for each process, so that nobody can find callers that share a bucket.
    private static func key(_ caller: some Hashable) -> Int {
        var hasher = Hasher()
        hasher.combine(caller)
        return hasher.finalize()
    }

    private func rejection(_ kind: Kind, wait: UInt64) -> Problem {
        metrics.refused[.rate].increment()
        let seconds = max(1, Self.seconds(wait))
        var problem = Problem(.rateLimited, "Too many requests of this \(kind.name).", retryAfterSeconds: seconds)
        problem.rate = RateLimitState(policy: policies[kind.rawValue], remaining: 0, seconds: seconds)
        return problem
    }

    private static func seconds(_ nanoseconds: UInt64) -> Int { Int((nanoseconds + 999_999_999) / 1_000_000_000) }
}

internal import CoreMetrics
internal import GatewayModel
internal import Synchronization
internal import Telemetry

/// Counts what callers ask and slows down those who ask too often; any thread.
final class RateLimiter: Sendable {
    /// Whom a limit is for.
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

    /// The proxies that say for whom they speak.
    let trustedProxies: [AddressRange]
    private let clock: any GatewayClock
    private let metrics: HTTPMetrics
    /// By ``Kind``; nil for one without a limit.
    private let buckets: Mutex<[RateBuckets?]>
    /// By ``Kind``.
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
    ///   - kind: Whom the limit is for.
    ///   - caller: Names the caller among those of its kind.
    /// - Returns: How it stands now; nil when there is no limit.
    /// - Throws: `Problem` 429 when the caller asks too often.
    func take(_ kind: Kind, _ caller: some Hashable) throws(Problem) -> RateStanding? {
        let key = Self.key(caller)
        let now = clock.monotonicNanoseconds
        switch buckets.withLock({ $0[kind.rawValue]?.take(key, now: now) }) {
        case .taken(let remaining, let untilFull):
            return RateStanding(
                policy: policies[kind.rawValue],
                remaining: remaining,
                seconds: Self.seconds(untilFull)
            )
        case .refused(let wait): throw refusal(kind, wait: wait)
        case nil: return nil
        }
    }

    /// Refuses a caller who asks too often already, without counting anything.
    ///
    /// - Parameters:
    ///   - kind: Whom the limit is for.
    ///   - caller: Names the caller among those of its kind.
    /// - Throws: `Problem` 429.
    func check(_ kind: Kind, _ caller: some Hashable) throws(Problem) {
        let key = Self.key(caller)
        let now = clock.monotonicNanoseconds
        if let wait = buckets.withLock({ $0[kind.rawValue]?.wait(key, now: now) }) { throw refusal(kind, wait: wait) }
    }

    /// Seeded anew by each process, so that nobody finds callers that share a bucket.
    private static func key(_ caller: some Hashable) -> Int {
        var hasher = Hasher()
        hasher.combine(caller)
        return hasher.finalize()
    }

    private func refusal(_ kind: Kind, wait: UInt64) -> Problem {
        metrics.refused[.rate].increment()
        let seconds = max(1, Self.seconds(wait))
        var problem = Problem(.rateLimited, "Too many requests of this \(kind.name).", retryAfterSeconds: seconds)
        problem.rate = RateStanding(policy: policies[kind.rawValue], remaining: 0, seconds: seconds)
        return problem
    }

    private static func seconds(_ nanoseconds: UInt64) -> Int { Int((nanoseconds + 999_999_999) / 1_000_000_000) }
}

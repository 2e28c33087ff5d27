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

    init(_ limits: ServerLimits, clock: any GatewayClock, metrics: HTTPMetrics) {
        trustedProxies = limits.trustedProxies
        self.clock = clock
        self.metrics = metrics
        buckets = Mutex(
            Kind.allCases.map { kind in
                let rate =
                    switch kind {
                    case .account: limits.rates.accountPerSecond
                    case .credential: limits.rates.credentialPerSecond
                    case .session: limits.rates.sessionPerSecond
                    case .address: limits.rates.addressPerSecond
                    }
                return rate > 0 ? RateBuckets(perSecond: rate) : nil
            }
        )
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
        let met = buckets.withLock { buckets in
            let quota = buckets[kind.rawValue]?.quota ?? 0
            return buckets[kind.rawValue]?.take(key, now: now).map(quota)
        }
        guard let met else { return nil }
        switch met.verdict {
        case .taken(let remaining, let untilFull):
            return RateStanding(
                name: kind.name,
                quota: met.quota,
                remaining: remaining,
                seconds: Self.seconds(untilFull)
            )
        case .refused(let wait): throw refusal(kind, quota: met.quota, wait: wait)
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
        let met = buckets.withLock { buckets in
            buckets[kind.rawValue].flatMap { bucket in bucket.wait(key, now: now).map { (bucket.quota, $0) } }
        }
        if let (quota, wait) = met { throw refusal(kind, quota: quota, wait: wait) }
    }

    /// Seeded anew by each process, so that nobody finds callers that share a bucket.
    private static func key(_ caller: some Hashable) -> Int {
        var hasher = Hasher()
        hasher.combine(caller)
        return hasher.finalize()
    }

    private func refusal(_ kind: Kind, quota: Int, wait: UInt64) -> Problem {
        metrics.refused[.rate].increment()
        let seconds = max(1, Self.seconds(wait))
        var problem = Problem(.rateLimited, "Too many requests of this \(kind.name).", retryAfterSeconds: seconds)
        problem.rate = RateStanding(name: kind.name, quota: quota, remaining: 0, seconds: seconds)
        return problem
    }

    private static func seconds(_ nanoseconds: UInt64) -> Int { Int((nanoseconds + 999_999_999) / 1_000_000_000) }
}

extension RateBuckets.Verdict {
    fileprivate func map(_ quota: Int) -> (verdict: RateBuckets.Verdict, quota: Int) { (self, quota) }
}

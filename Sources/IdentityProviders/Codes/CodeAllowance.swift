import GatewayModel
import Synchronization

/// The rate limit for redeeming codes at each identity provider: each code costs a durable row, and strangers can
/// invent codes.
///
/// A bucket is one number, the moment at which it is full again (the generic cell rate algorithm). Thread-safe.
final class CodeAllowance: Sendable {
    /// The sustained rate for one provider, per second.
    ///
    /// It is about what ``ExchangeSlots/perProvider`` can redeem. In the hour of ``RedeemedCode`` it makes some 20 MB
    /// on the disk at most.
    static let perSecond: UInt64 = 50
    /// The burst: five seconds' worth, so that a rush of logins passes.
    static let burst: UInt64 = 250
    /// The maximum of providers in memory before those with a full bucket are evicted.
    private static let maxKept = 1000

    private static let interval = 1_000_000_000 / perSecond
    private static let capacity = interval * burst

    private let clock: any GatewayClock
    /// By credential, monotonic; a missing entry is a full bucket.
    private let fullAt = Mutex([String: UInt64]())

    init(clock: any GatewayClock) { self.clock = clock }

    /// Takes one token of a provider's bucket; nil when it was taken, else the seconds, rounded up, until there is one.
    func take(_ provider: String) -> Int? {
        fullAt.withLock { fullAt in
            let now = clock.monotonicNanoseconds
            let next = max(fullAt[provider] ?? 0, now) + Self.interval
            guard next - now <= Self.capacity else {
                return Int((next - now - Self.capacity + 999_999_999) / 1_000_000_000)
            }
            if fullAt.count >= Self.maxKept { fullAt = fullAt.filter { $0.value > now } }
            fullAt[provider] = next
            return nil
        }
    }
}

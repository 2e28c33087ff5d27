import GatewayModel
import Synchronization

/// How many codes of each identity provider may be burnt: every one is a durable row, and strangers can make codes up.
///
/// A bucket is one number, the moment at which it is full again (the generic cell rate algorithm). Any thread.
final class CodeAllowance: Sendable {
    /// On average at one provider: about what ``ExchangeSlots/perProvider`` can redeem, and for ``RedeemedCode``'s hour
    /// some 20 MB on the disk at most.
    static let perSecond: UInt64 = 50
    /// At once: five seconds' worth, so that a rush of logins passes.
    static let burst: UInt64 = 250
    /// Providers that are told apart before those with a full bucket are forgotten.
    private static let maxKept = 1000

    private static let interval = 1_000_000_000 / perSecond
    private static let capacity = interval * burst

    private let clock: any GatewayClock
    /// By credential, monotonic; none is full.
    private let fullAt = Mutex([String: UInt64]())

    init(clock: any GatewayClock) { self.clock = clock }

    /// Takes one.
    ///
    /// - Parameter provider: The credential's id.
    /// - Returns: Nil when it was taken; else in how many seconds, rounded up, there is one.
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

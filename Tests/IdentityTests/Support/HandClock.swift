import GatewayModel
import Synchronization

/// A clock that a test sets by hand.
final class HandClock: GatewayClock {
    /// 2023-11-14T22:13:20Z.
    static let start: Int64 = 1_700_000_000

    private let milliseconds = Mutex(HandClock.start * 1000)

    var now: Timestamp { Timestamp(milliseconds: milliseconds.withLock { $0 }) }

    var monotonicNanoseconds: UInt64 { UInt64(milliseconds.withLock { $0 }) * 1_000_000 }

    func advance(seconds: Int64) { milliseconds.withLock { $0 += seconds * 1000 } }
}

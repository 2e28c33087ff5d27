package import GatewayModel
import Synchronization

/// A wall clock and a monotonic clock that stand still until the test advances them.
///
/// Thread-safe.
package final class TestClock: GatewayClock {
    private let state: Mutex<(wall: Int64, monotonic: UInt64)>

    /// Creates a clock whose monotonic clock begins at one second, like that of a host that has just started.
    ///
    /// - Parameter now: The wall clock; 2026-01-02T03:04:05.678Z by default.
    package init(now: Timestamp = Timestamp(milliseconds: 1_767_323_045_678)) {
        state = Mutex((now.milliseconds, 1_000_000_000))
    }

    /// The wall clock.
    package var now: Timestamp { state.withLock { Timestamp(milliseconds: $0.wall) } }

    /// The monotonic clock, in nanoseconds.
    package var monotonicNanoseconds: UInt64 { state.withLock { $0.monotonic } }

    /// Advances both clocks.
    ///
    /// - Parameter seconds: 0 or more.
    package func advance(seconds: Int64) { advance(milliseconds: seconds * 1000) }

    /// Advances both clocks.
    ///
    /// - Parameter milliseconds: 0 or more.
    package func advance(milliseconds: Int64) {
        state.withLock {
            $0.wall += milliseconds
            $0.monotonic += UInt64(milliseconds) * 1_000_000
        }
    }

    /// Moves only the wall clock, as when it is set.
    ///
    /// - Parameter seconds: Negative for back.
    package func jump(seconds: Int64) { state.withLock { $0.wall += seconds * 1000 } }
}

import GatewayModel
import Synchronization

/// Clocks that only the test advances.
final class TestClock: GatewayClock {
    private let state: Mutex<(wall: Int64, monotonic: UInt64)>

    init(now: Timestamp = Timestamp(milliseconds: 1_767_323_045_678)) {
        state = Mutex((now.milliseconds, 1_000_000_000))
    }

    var now: Timestamp { state.withLock { Timestamp(milliseconds: $0.wall) } }
    var monotonicNanoseconds: UInt64 { state.withLock { $0.monotonic } }

    func advance(seconds: Int64) { advance(milliseconds: seconds * 1000) }

    func advance(milliseconds: Int64) {
        state.withLock {
            $0.wall += milliseconds
            $0.monotonic += UInt64(milliseconds) * 1_000_000
        }
    }
}

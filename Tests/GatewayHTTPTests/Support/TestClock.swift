import GatewayModel
import Synchronization

/// A clock that tests move.
final class TestClock: GatewayClock {
    private let milliseconds = Atomic<Int64>(1_767_323_045_678)

    var now: Timestamp { Timestamp(milliseconds: milliseconds.load(ordering: .relaxed)) }
    var monotonicNanoseconds: UInt64 { UInt64(milliseconds.load(ordering: .relaxed)) * 1_000_000 }

    func advance(seconds: Int64) { milliseconds.wrappingAdd(seconds * 1000, ordering: .relaxed) }
}

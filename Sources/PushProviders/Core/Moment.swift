import GatewayModel

/// One reading of both clocks.
struct Moment: Sendable {
    /// The wall clock.
    var wall: Timestamp
    /// The monotonic clock, in nanoseconds.
    var monotonic: UInt64

    init(_ clock: any GatewayClock) {
        wall = clock.now
        monotonic = clock.monotonicNanoseconds
    }

    /// Returns whole seconds from an earlier reading to this one, 0 when it was not earlier.
    func seconds(since earlier: UInt64) -> Int64 {
        monotonic > earlier ? Int64((monotonic - earlier) / 1_000_000_000) : 0
    }
}

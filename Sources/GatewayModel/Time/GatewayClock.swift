/// Where the gateway reads time from; tests hand in one that they move.
package protocol GatewayClock: Sendable {
    /// The wall clock, in UTC. It may jump either way.
    var now: Timestamp { get }

    /// A clock that never goes back, in nanoseconds from an arbitrary start: for latencies and deadlines.
    var monotonicNanoseconds: UInt64 { get }
}

/// The source of time of the gateway; tests use one that they set.
package protocol GatewayClock: Sendable {
    /// The wall clock, in UTC. It may jump either way.
    var now: Timestamp { get }

    /// The monotonic clock, in nanoseconds from an arbitrary start: for latencies and deadlines.
    var monotonicNanoseconds: UInt64 { get }
}

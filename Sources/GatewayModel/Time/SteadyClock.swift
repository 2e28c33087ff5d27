import Synchronization

/// The clock for timeouts and expiry of deliveries: a jump of the host's wall clock neither expires them nor delays
/// them (Architecture page, the delivery state machine).
///
/// It begins at the wall clock or a given time, advances with the monotonic clock, and slews towards the wall clock by
/// at most a tenth of the elapsed time. Thread-safe.
package final class SteadyClock: GatewayClock {
    private let base: any GatewayClock
    private let time: Mutex<SteadyTime>
    private let onJump: @Sendable (_ milliseconds: Int64) -> Void

    /// Creates a clock that begins at a time, or at the current wall clock.
    ///
    /// - Parameters:
    ///   - base: The host's clocks.
    ///   - start: The begin; nil for the wall clock.
    ///   - onJump: Called once for each jump of the wall clock by more than a second, with its size in milliseconds,
    ///     negative when the clock was set back. Called on the reader's thread, outside this clock's lock.
    package init(
        _ base: any GatewayClock,
        at start: Timestamp? = nil,
        onJump: @escaping @Sendable (_ milliseconds: Int64) -> Void
    ) {
        self.base = base
        self.onJump = onJump
        time = Mutex(
            SteadyTime(
                at: start.map(Self.nanoseconds),
                wall: Self.nanoseconds(base.now),
                monotonic: Int64(clamping: base.monotonicNanoseconds)
            )
        )
    }

    /// The steady time, in UTC.
    package var now: Timestamp {
        let (wall, monotonic) = (base.now, base.monotonicNanoseconds)
        let (now, jump) = time.withLock {
            $0.read(wall: Self.nanoseconds(wall), monotonic: Int64(clamping: monotonic))
        }
        if let jump { onJump(jump / 1_000_000) }
        return Timestamp(milliseconds: now / 1_000_000)
    }

    /// The host's monotonic clock.
    package var monotonicNanoseconds: UInt64 { base.monotonicNanoseconds }

    private static func nanoseconds(_ timestamp: Timestamp) -> Int64 {
        // Within the years that a nanosecond count can represent: 1678 to 2262.
        min(max(timestamp.milliseconds, -9_000_000_000_000), 9_000_000_000_000) * 1_000_000
    }
}

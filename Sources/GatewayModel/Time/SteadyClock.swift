import Synchronization

/// The clock by which deliveries wait and expire: a jump of the machine's wall clock neither expires them nor holds them
/// back (Architecture page, the delivery state machine).
///
/// It begins at the wall clock or a given time, goes on by the monotonic one, and follows the wall clock by at most a tenth of the time
/// that passes. Any thread may read.
package final class SteadyClock: GatewayClock {
    private let base: any GatewayClock
    private let time: Mutex<SteadyTime>
    private let onJump: @Sendable (_ milliseconds: Int64) -> Void

    /// Begins at a time, or at the wall clock of now.
    ///
    /// - Parameters:
    ///   - base: The machine's clocks.
    ///   - start: Where it begins; nil is the wall clock.
    ///   - onJump: Called once when the wall clock has jumped by more than a second, with how far, in milliseconds;
    ///     negative when it was set back. On the thread of the reader, who holds no lock of this clock.
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

    /// The machine's monotonic clock.
    package var monotonicNanoseconds: UInt64 { base.monotonicNanoseconds }

    private static func nanoseconds(_ timestamp: Timestamp) -> Int64 {
        // Within the years that a nanosecond count can name: 1678 to 2262.
        min(max(timestamp.milliseconds, -9_000_000_000_000), 9_000_000_000_000) * 1_000_000
    }
}

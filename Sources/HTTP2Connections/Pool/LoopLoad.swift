#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Measures how much of its time the current thread is busy.
///
/// A pool whose loop is busy gains nothing from more connections: the processor is the bottleneck.
struct LoopLoad {
    /// The share of the time from which a thread counts as busy.
    private static let busy = 0.5

    private var wall: UInt64 = 0
    private var work: UInt64 = 0

    /// Starts a measurement.
    mutating func start() {
        wall = Self.nanoseconds(CLOCK_MONOTONIC)
        work = Self.nanoseconds(CLOCK_THREAD_CPUTIME_ID)
    }

    /// Whether the thread was busy for most of the time since ``start()``; read it on the same thread.
    var isBusy: Bool {
        let passed = Self.nanoseconds(CLOCK_MONOTONIC) &- wall
        return Double(Self.nanoseconds(CLOCK_THREAD_CPUTIME_ID) &- work) > Self.busy * Double(passed)
    }

    private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return 0 }
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

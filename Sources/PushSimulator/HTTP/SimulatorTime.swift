internal import Glibc
internal import TextFormats

/// A time of the simulator's wall clock, passed to every decision so that tests can control it.
package struct SimulatorTime: Sendable, Hashable, Comparable {
    /// Milliseconds since the UNIX epoch.
    package var milliseconds: Int64

    /// Creates a time.
    ///
    /// - Parameter milliseconds: Milliseconds since the UNIX epoch.
    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Creates a time.
    ///
    /// - Parameter seconds: Seconds since the UNIX epoch.
    package init(seconds: Int64) {
        self.milliseconds = seconds * 1000
    }

    /// Returns the current time.
    ///
    /// - Returns: The system's wall clock.
    @Sendable package static func now() -> Self {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Self(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// The time as RFC 3339 in UTC with milliseconds.
    package var rfc3339: String { RFC3339.text(milliseconds: self.milliseconds) }

    /// Whole seconds since the UNIX epoch.
    package var seconds: Int64 { self.milliseconds / 1000 }

    /// Compares two times.
    ///
    /// - Parameters:
    ///   - lhs: The first.
    ///   - rhs: The second.
    /// - Returns: Whether the first is earlier.
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.milliseconds < rhs.milliseconds }
}

internal import Glibc

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
    package var rfc3339: String {
        let day = (self.milliseconds / 1000).floorDivided(by: 86_400)
        var rest = self.milliseconds - day * 86_400_000
        // The calendar of days since 1970, counted from 1 March of the year 0 so that leap days come last.
        let shifted = day + 719_468
        let era = shifted.floorDivided(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        func padded(_ number: Int64, _ digits: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1, 2))"
        let thousandths = rest % 1000
        rest /= 1000
        let time = "\(padded(rest / 3600, 2)):\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2))"
        return "\(date)T\(time).\(padded(thousandths, 3))Z"
    }

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

extension Int64 {
    /// Divides and rounds down, also below zero.
    fileprivate func floorDivided(by divisor: Int64) -> Int64 {
        self >= 0 ? self / divisor : -((-self + divisor - 1) / divisor)
    }
}

import Foundation

/// A time zone of the system's database, and the clocks on its walls.
///
/// Foundation, because its essentials know no zone by name. A look-up reads the system's files: not for each push.
package struct LocalTimeZone: Sendable {
    private let zone: TimeZone

    /// Finds a zone.
    ///
    /// - Parameter name: Its IANA name, such as `Europe/Berlin`; nil when the system knows none of that name.
    package init?(_ name: String) {
        guard let zone = TimeZone(identifier: name) else { return nil }
        self.zone = zone
    }

    /// How far its clocks are ahead of UTC.
    ///
    /// - Parameter seconds: The moment, in seconds since 1970.
    /// - Returns: Seconds; negative west of Greenwich.
    package func offset(at seconds: Int64) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
    }

    /// When its clocks show a time of a day: twice on the day on which they are set back, and, on the day on which they
    /// are set forward and pass over it, as much later as they were set forward.
    ///
    /// - Parameters:
    ///   - day: The day, in days since 1 January 1970.
    ///   - minutes: Minutes after midnight.
    /// - Returns: The first and the last such moment, in seconds since 1970; mostly the same.
    package func moments(day: Int64, minutes: Int) -> (first: Int64, last: Int64) {
        let local = day * 86_400 + Int64(minutes) * 60
        let (before, after) = (offset(at: local - 86_400), offset(at: local + 86_400))
        let found = [local - before, local - after].filter { $0 + offset(at: $0) == local }
        guard let first = found.min(), let last = found.max() else { return (local - before, local - before) }
        return (first, last)
    }
}

import Foundation

/// A time zone of the system's database, with conversions to and from local time.
///
/// It uses Foundation, because FoundationEssentials finds no zone by name. A lookup reads the system's files, so it
/// must not run for each push.
package struct LocalTimeZone: Sendable {
    private let zone: TimeZone

    /// Looks up a zone by its IANA name, such as `Europe/Berlin`; nil when the system has no zone of that name.
    package init?(_ name: String) {
        guard let zone = TimeZone(identifier: name) else { return nil }
        self.zone = zone
    }

    /// Returns the offset of local time from UTC, in seconds, at a moment in seconds since 1970; negative west of
    /// Greenwich.
    package func offset(at seconds: Int64) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
    }

    /// Returns the moments of a local time of day.
    ///
    /// There are two on the day on which clocks are set back. On the day on which they are set forward and skip that
    /// time, the moment is as much later as they were set forward.
    ///
    /// - Parameters:
    ///   - day: The day, in days since 1 January 1970.
    ///   - minutes: Minutes after midnight.
    /// - Returns: The first and the last such moment, in seconds since 1970; usually the same.
    package func moments(day: Int64, minutes: Int) -> (first: Int64, last: Int64) {
        let local = day * 86_400 + Int64(minutes) * 60
        let (before, after) = (offset(at: local - 86_400), offset(at: local + 86_400))
        let found = [local - before, local - after].filter { $0 + offset(at: $0) == local }
        guard let first = found.min(), let last = found.max() else { return (local - before, local - before) }
        return (first, last)
    }
}

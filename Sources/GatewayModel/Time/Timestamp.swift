/// A moment on the wall clock: whole milliseconds since 1970-01-01T00:00:00Z.
package struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Milliseconds since 1970, negative before it.
    package var milliseconds: Int64

    /// Creates a timestamp from milliseconds since 1970.
    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Whole seconds since 1970, rounded down (RFC 7519 NumericDate, `apns-expiration`).
    package var seconds: Int64 {
        milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000
    }

    /// Returns this moment moved by a number of milliseconds, which may be negative; clamped to the range instead of
    /// overflowing.
    package func adding(milliseconds: Int64) -> Timestamp {
        let (sum, overflow) = self.milliseconds.addingReportingOverflow(milliseconds)
        return Timestamp(milliseconds: overflow ? (milliseconds < 0 ? .min : .max) : sum)
    }

    /// Returns this moment moved by a number of seconds, which may be negative; clamped to the range instead of
    /// overflowing.
    package func adding(seconds: Int64) -> Timestamp {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return adding(milliseconds: overflow ? (seconds < 0 ? .min : .max) : product)
    }

    /// Orders by time.
    package static func < (lhs: Timestamp, rhs: Timestamp) -> Bool { lhs.milliseconds < rhs.milliseconds }

    /// The timestamp in RFC 3339 in UTC with milliseconds, for example `2026-01-02T03:04:05.678Z`.
    package var description: String { rfc3339 }
}

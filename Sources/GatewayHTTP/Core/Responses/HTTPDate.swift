internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The value of the `Date` field (RFC 9110 section 5.6.7); usable from any thread.
enum HTTPDate {
    private static let last = Mutex<(second: time_t, text: String)>((0, ""))
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The current time; its text is created once a second.
    static var now: String {
        let second = time(nil)
        return last.withLock { last in
            if last.second != second { last = (second, text(second)) }
            return last.text
        }
    }

    /// Returns a time as `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// - Parameter second: Seconds since 1970.
    /// - Returns: The text.
    static func text(_ second: time_t) -> String {
        var (second, parts) = (second, tm())
        gmtime_r(&second, &parts)
        func two(_ number: Int32) -> String { (number < 10 ? "0" : "") + String(number) }
        let date = "\(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900)"
        let time = "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
        return "\(days[Int(parts.tm_wday)]), \(date) \(time) GMT"
    }
}

/// The Retry-After field (RFC 9110 section 10.2.3).
package enum RetryAfter {
    /// The upper bound of the wait: one header field must not stop its reader for longer.
    package static let maxSeconds: Int64 = 3600

    /// Reads the field.
    ///
    /// - Parameters:
    ///   - value: The field as received: seconds, or an HTTP-date in one of its three forms.
    ///   - now: The wall clock in milliseconds since 1970, for dates.
    /// - Returns: Seconds from now, 0 to ``maxSeconds``; nil when the field is absent or neither form.
    package static func seconds(_ value: String?, nowMilliseconds now: Int64) -> Int64? {
        guard let value else { return nil }
        // Dates have less than 40 characters, and a number with more digits is not a valid time.
        guard value.utf8.count <= 64 else { return nil }
        let trimmed = value.byteSplit(" ")
        if trimmed.count == 1, !trimmed[0].isEmpty, trimmed[0].utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
            // A number that overflows is a long time.
            return min(Int64(trimmed[0]) ?? maxSeconds, maxSeconds)
        }
        guard let date = date(trimmed, now: now) else { return nil }
        return min(max((date - now + 999) / 1000, 0), maxSeconds)
    }

    /// Parses `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994` (RFC 9110
    /// section 5.6.7).
    private static func date(_ words: [Substring], now: Int64) -> Int64? {
        switch words.count {
        case 6: return milliseconds(day: words[1], month: words[2], year: words[3], time: words[4])
        case 5: return milliseconds(day: words[2], month: words[1], year: words[4], time: words[3])
        case 4:
            let parts = words[1].byteSplit("-")
            guard parts.count == 3, parts[2].utf8.count == 2, let short = Int(parts[2]),
                let thisYear = Int(RFC3339.text(milliseconds: now).prefix(4))
            else { return nil }
            // A year that seems more than 50 years ahead is the past one with the same last digits.
            var year = thisYear / 100 * 100 + short
            if year > thisYear + 50 { year -= 100 }
            return milliseconds(day: parts[0], month: parts[1], year: String(year)[...], time: words[2])
        default: return nil
        }
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func milliseconds(day: Substring, month: Substring, year: Substring, time: Substring) -> Int64? {
        guard let index = months.firstIndex(where: { $0.hasSameBytes(as: month) }), day.utf8.count <= 2 else {
            return nil
        }
        let monthText = index < 9 ? "0\(index + 1)" : "\(index + 1)"
        let dayText = day.utf8.count < 2 ? "0\(day)" : "\(day)"
        return RFC3339.milliseconds(of: "\(year)-\(monthText)-\(dayText)T\(time)Z")
    }
}

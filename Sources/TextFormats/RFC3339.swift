/// Date-times as RFC 3339 section 5.6 writes them, of moments in milliseconds since 1970-01-01T00:00:00Z.
package enum RFC3339 {
    /// The number of characters of a date-time that is written here.
    package static let count = 24

    /// Returns a moment in UTC with milliseconds, for example `2026-01-02T03:04:05.678Z`.
    ///
    /// - Parameter milliseconds: Milliseconds since 1970; moments outside the years 0000 to 9999 are clamped to that
    ///   range.
    /// - Returns: ``count`` characters.
    package static func text(milliseconds: Int64) -> String {
        String(unsafeUninitializedCapacity: count) { buffer in
            write(milliseconds: milliseconds, to: buffer)
            return count
        }
    }

    /// Writes the text of ``text(milliseconds:)``.
    ///
    /// - Parameters:
    ///   - milliseconds: Milliseconds since 1970, clamped likewise.
    ///   - buffer: Room for ``count`` bytes.
    static func write(milliseconds: Int64, to buffer: UnsafeMutableBufferPointer<UInt8>) {
        let bounded = Swift.min(Swift.max(milliseconds, Self.yearZero), Self.year10000 - 1)
        let days = bounded >= 0 ? bounded / 86_400_000 : (bounded - 86_399_999) / 86_400_000
        let inDay = bounded - days * 86_400_000
        let date = Self.civil(fromDays: days)
        func put(_ value: Int64, at position: Int, digits: Int) {
            var rest = value
            for index in stride(from: position + digits - 1, through: position, by: -1) {
                buffer[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
        }
        put(date.year, at: 0, digits: 4)
        buffer[4] = UInt8(ascii: "-")
        put(date.month, at: 5, digits: 2)
        buffer[7] = UInt8(ascii: "-")
        put(date.day, at: 8, digits: 2)
        buffer[10] = UInt8(ascii: "T")
        put(inDay / 3_600_000, at: 11, digits: 2)
        buffer[13] = UInt8(ascii: ":")
        put(inDay / 60_000 % 60, at: 14, digits: 2)
        buffer[16] = UInt8(ascii: ":")
        put(inDay / 1000 % 60, at: 17, digits: 2)
        buffer[19] = UInt8(ascii: ".")
        put(inDay % 1000, at: 20, digits: 3)
        buffer[23] = UInt8(ascii: "Z")
    }

    /// Parses a date-time with any offset and any number of fraction digits.
    ///
    /// A leap second counts as the last millisecond before it.
    ///
    /// - Parameter text: The text as received, for example `2026-01-02T03:04:05.678Z` or `2026-01-02t04:04:05+01:00`.
    /// - Returns: Milliseconds since 1970; nil when the text is not a date-time or its day does not exist.
    package static func milliseconds(of text: String) -> Int64? {
        var text = text
        return text.withUTF8 { bytes in
            guard bytes.count >= 20, bytes.count <= 64 else { return nil }
            func number(_ range: Range<Int>) -> Int64? {
                guard range.upperBound <= bytes.count else { return nil }
                var value: Int64 = 0
                for index in range {
                    guard bytes[index] >= UInt8(ascii: "0"), bytes[index] <= UInt8(ascii: "9") else { return nil }
                    value = value * 10 + Int64(bytes[index] - UInt8(ascii: "0"))
                }
                return value
            }
            guard let year = number(0..<4), bytes[4] == UInt8(ascii: "-"),
                let month = number(5..<7), bytes[7] == UInt8(ascii: "-"), let day = number(8..<10),
                bytes[10] | 0x20 == UInt8(ascii: "t"),
                let hour = number(11..<13), bytes[13] == UInt8(ascii: ":"),
                let minute = number(14..<16), bytes[16] == UInt8(ascii: ":"), let second = number(17..<19),
                month >= 1, month <= 12, day >= 1, day <= Self.daysInMonth(month, year: year),
                hour < 24, minute < 60, second <= 60
            else { return nil }
            var position = 19
            var fraction: Int64 = 0
            if bytes[position] == UInt8(ascii: ".") {
                position += 1
                let start = position
                while position < bytes.count, bytes[position] >= UInt8(ascii: "0"), bytes[position] <= UInt8(ascii: "9")
                {
                    if position - start < 3 { fraction = fraction * 10 + Int64(bytes[position] - UInt8(ascii: "0")) }
                    position += 1
                }
                guard position > start else { return nil }
                for _ in Swift.min(position - start, 3)..<3 { fraction *= 10 }
            }
            guard position < bytes.count else { return nil }
            var offsetMinutes: Int64 = 0
            if bytes[position] | 0x20 == UInt8(ascii: "z") {
                guard position + 1 == bytes.count else { return nil }
            } else {
                let negative = bytes[position] == UInt8(ascii: "-")
                guard negative || bytes[position] == UInt8(ascii: "+"), position + 6 == bytes.count,
                    let hours = number(position + 1..<position + 3), bytes[position + 3] == UInt8(ascii: ":"),
                    let minutes = number(position + 4..<position + 6), hours < 24, minutes < 60
                else { return nil }
                offsetMinutes = (hours * 60 + minutes) * (negative ? -1 : 1)
            }
            let leap = second == 60
            let days = Self.days(fromYear: year, month: month, day: day)
            let seconds = days * 86_400 + hour * 3600 + (minute - offsetMinutes) * 60 + (leap ? 59 : second)
            return seconds * 1000 + (leap ? 999 : fraction)
        }
    }

    private static let yearZero = days(fromYear: 0, month: 1, day: 1) * 86_400_000
    private static let year10000 = days(fromYear: 10_000, month: 1, day: 1) * 86_400_000

    private static func daysInMonth(_ month: Int64, year: Int64) -> Int64 {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)) ? 29 : 28
        default: 31
        }
    }

    /// Returns days since 1970-01-01 in the proleptic Gregorian calendar; years begin in March so that leap days come
    /// last.
    private static func days(fromYear year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthIndex = (5 * dayOfYear + 2) / 153
        let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthIndex + 2) / 5 + 1)
    }
}

internal import TextFormats

extension Timestamp {
    /// The timestamp in RFC 3339 (section 5.6) in UTC with milliseconds, for example `2026-01-02T03:04:05.678Z`.
    ///
    /// Moments outside the years 0000 to 9999 are clamped to that range.
    package var rfc3339: String { RFC3339.text(milliseconds: milliseconds) }

    /// Parses an RFC 3339 date-time with any offset and any number of fraction digits.
    ///
    /// A leap second counts as the last millisecond before it. Nil when the text is not a date-time or its day does not
    /// exist.
    ///
    /// - Parameter text: The text as received, for example `2026-01-02T03:04:05.678Z` or `2026-01-02t04:04:05+01:00`.
    package init?(rfc3339 text: String) {
        guard let milliseconds = RFC3339.milliseconds(of: text) else { return nil }
        self.init(milliseconds: milliseconds)
    }
}

package import GatewayModel

/// The span of time around a moment in which it is quiet or not.
///
/// Quiet hours are spans of real time: from the first moment at which the local clock shows their beginning to the last
/// at which it shows their end. So they never end twice in the night in which clocks are set back.
package struct QuietSpan: Sendable, Equatable {
    /// Whether it is quiet.
    package var isQuiet: Bool
    /// The start of the span.
    package var since: Timestamp
    /// The end of the span, exclusive.
    package var until: Timestamp

    /// Computes the span of a moment in the device's own time zone; if it is unknown, that of `hours` is used, and if
    /// that is unknown, UTC.
    ///
    /// With the mode `off` it is never quiet.
    package init(_ hours: QuietHours, timeZone: String?, at now: Timestamp) {
        since = now
        isQuiet = false
        until = now.adding(seconds: 86_400)
        guard hours.mode != .off,
            let zone = timeZone.flatMap(LocalTimeZone.init) ?? hours.timeZone.flatMap(LocalTimeZone.init)
                ?? LocalTimeZone("UTC")
        else { return }
        let seconds = now.milliseconds / 1000
        // Integer division rounds up only times before 1970, which do not occur.
        let today = (seconds + zone.offset(at: seconds)) / 86_400
        for day in today - 1...today + 1 {
            let start = Timestamp(milliseconds: zone.moments(day: day, minutes: hours.from).first * 1000)
            let endDay = hours.to > hours.from ? day : day + 1
            let end = Timestamp(milliseconds: zone.moments(day: endDay, minutes: hours.to).last * 1000)
            if start <= now, now < end {
                isQuiet = true
                until = end
                return
            }
            if now < start, start < end { until = min(until, start) }
        }
    }

    /// Returns whether the span contains a moment; false before ``since``, as after the clock was set back, and from
    /// ``until`` on.
    package func holds(at now: Timestamp) -> Bool { since <= now && now < until }
}

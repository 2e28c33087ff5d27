package import GatewayModel

/// Whether it is quiet now, and until when that answer holds.
///
/// Quiet hours are spans of real time: from the first moment at which the clock on the wall shows their beginning to the
/// last at which it shows their end. So they never end twice in the night in which clocks are set back.
package struct QuietSpan: Sendable, Equatable {
    /// Whether it is quiet.
    package var isQuiet: Bool
    /// The answer holds from here.
    package var since: Timestamp
    /// The answer holds up to here, exclusively.
    package var until: Timestamp

    /// Looks up a moment.
    ///
    /// - Parameters:
    ///   - hours: The quiet hours; one whose mode is `off` is never quiet.
    ///   - timeZone: The device's own time zone; one that is unknown gives way to that of `hours`, and this to UTC.
    ///   - now: The moment.
    package init(_ hours: QuietHours, timeZone: String?, at now: Timestamp) {
        since = now
        isQuiet = false
        until = now.adding(seconds: 86_400)
        guard hours.mode != .off,
            let zone = timeZone.flatMap(LocalTimeZone.init) ?? hours.timeZone.flatMap(LocalTimeZone.init)
                ?? LocalTimeZone("UTC")
        else { return }
        let seconds = now.milliseconds / 1000
        // Only a time before 1970 would be rounded up, which no clock shows.
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

    /// Whether the answer still holds, or already.
    ///
    /// - Parameter now: A moment.
    /// - Returns: False before ``since``, as after the clock was set back, and from ``until`` on.
    package func holds(at now: Timestamp) -> Bool { since <= now && now < until }
}

/// Decides at a start what time it is, and whether anything may expire or be cleared away: a plain value.
///
/// The system clock is compared with the newest time in the data. Far ahead of it, either the gateway was off for long or
/// the clock is wrong, which nothing here can tell; what expires by a wrong clock is lost for good, so that everything is
/// kept for some hours of running, over restarts, or until an operator says that the clock is right. Behind it, the clock
/// is wrong for certain, and time begins at the newest stored one.
///
/// A clock that is set back while everything is kept was wrong, and so is the gateway's time, which never goes back: then
/// everything is kept until the next start.
package struct ClockGuard: Sendable, Equatable {
    /// How far the clock may be ahead of the data, in milliseconds: 3 days, the longest weekend that a gateway is off for.
    package static let farAheadMilliseconds: Int64 = 3 * 86_400_000
    /// So much a clock is set back that was wrong, in milliseconds: an hour, far more than a time daemon slews.
    package static let setBackMilliseconds: Int64 = 3_600_000
    /// How long everything is kept, in milliseconds of running: 6 hours, time for a time daemon or an operator to set the clock.
    package static let lastsMilliseconds: Int64 = 6 * 3_600_000

    /// The newest time in the data; nil when there was none.
    package let newest: Timestamp?
    /// The time at which the gateway's time begins.
    package let start: Timestamp
    /// How much of ``lastsMilliseconds`` had passed at the start; nil when nothing is guarded, or not any more.
    private var earlier: Int64?
    private let startedAt: UInt64

    /// Decides at a start.
    ///
    /// - Parameters:
    ///   - stored: The times in the data.
    ///   - system: The system clock.
    ///   - monotonic: The monotonic clock, in nanoseconds.
    package init(_ stored: StoredTime, system: Timestamp, monotonic: UInt64) {
        newest = stored.newest
        start = max(system, newest ?? system)
        startedAt = monotonic
        let passed = stored.mark?.guardedMilliseconds ?? 0
        let isFarAhead = newest.map { system > $0.adding(milliseconds: Self.farAheadMilliseconds) } ?? false
        earlier = isFarAhead && passed < Self.lastsMilliseconds ? passed : nil
    }

    /// Whether nothing may expire or be cleared away.
    package var isOn: Bool { earlier != nil }

    /// How long the guard still lasts, in milliseconds of running; nil when it is off.
    ///
    /// - Parameter monotonic: The monotonic clock, in nanoseconds.
    /// - Returns: 0 or more.
    package func remainingMilliseconds(monotonic: UInt64) -> Int64? {
        passedMilliseconds(monotonic).map { max(Self.lastsMilliseconds - $0, 0) }
    }

    /// Whether the clock was set back since a start that doubts it, so that only a restart makes the gateway's time right.
    ///
    /// - Parameters:
    ///   - system: The system clock.
    ///   - monotonic: The monotonic clock, in nanoseconds.
    /// - Returns: False when the guard is off.
    package func wasWrong(system: Timestamp, monotonic: UInt64) -> Bool {
        isOn && system < start.adding(milliseconds: ranMilliseconds(monotonic) - Self.setBackMilliseconds)
    }

    /// Ends the guard when its time is over.
    ///
    /// - Parameters:
    ///   - system: The system clock.
    ///   - monotonic: The monotonic clock, in nanoseconds.
    /// - Returns: True when it ends by this call.
    package mutating func timePassed(system: Timestamp, monotonic: UInt64) -> Bool {
        guard remainingMilliseconds(monotonic: monotonic) == 0 else { return false }
        return accept(system: system, monotonic: monotonic)
    }

    /// Ends the guard: the clock is right.
    ///
    /// - Parameters:
    ///   - system: The system clock.
    ///   - monotonic: The monotonic clock, in nanoseconds.
    /// - Returns: False when it was off, or when it is on because the clock was wrong.
    package mutating func accept(system: Timestamp, monotonic: UInt64) -> Bool {
        guard isOn, !wasWrong(system: system, monotonic: monotonic) else { return false }
        earlier = nil
        return true
    }

    /// The mark to keep now.
    ///
    /// - Parameters:
    ///   - now: The gateway's time.
    ///   - monotonic: The monotonic clock, in nanoseconds.
    /// - Returns: The mark.
    package func mark(now: Timestamp, monotonic: UInt64) -> ClockMark {
        guard let newest, let passed = passedMilliseconds(monotonic) else { return ClockMark(trusted: now) }
        return ClockMark(trusted: newest, guardedMilliseconds: passed)
    }

    private func passedMilliseconds(_ monotonic: UInt64) -> Int64? {
        earlier.map { $0 + ranMilliseconds(monotonic) }
    }

    private func ranMilliseconds(_ monotonic: UInt64) -> Int64 {
        monotonic > startedAt ? Int64((monotonic - startedAt) / 1_000_000) : 0
    }
}

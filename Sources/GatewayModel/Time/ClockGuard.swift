/// The decision at a start what time it is, and whether anything may expire or be deleted: a plain value.
///
/// The system clock is compared with the newest time in the data. When it is far ahead, either the gateway was off for
/// long or the clock is wrong, and the two cannot be distinguished. Whatever expires by a wrong clock is lost for good.
/// So everything is kept for some hours of running, over restarts, or until an operator confirms the clock. When it is
/// behind, the clock is wrong for certain, and time begins at the newest stored one.
///
/// A clock that is set back while everything is kept was wrong, and so is the gateway's time, which never goes back:
/// then everything is kept until the next start. Times of the monotonic clock are in nanoseconds.
package struct ClockGuard: Sendable, Equatable {
    /// The limit by which the clock may be ahead of the data, in milliseconds: 3 days, the longest weekend that a
    /// gateway is off for.
    package static let farAheadMilliseconds: Int64 = 3 * 86_400_000
    /// The step back that shows that the clock was wrong, in milliseconds: an hour, far more than a time daemon slews.
    package static let setBackMilliseconds: Int64 = 3_600_000
    /// The time for which everything is kept, in milliseconds of running: 6 hours, time for a time daemon or an
    /// operator to set the clock.
    package static let lastsMilliseconds: Int64 = 6 * 3_600_000

    /// The newest time in the data; nil for none.
    package let newest: Timestamp?
    /// The start of the gateway's time.
    package let start: Timestamp
    /// The part of ``lastsMilliseconds`` that had passed at the start; nil when the guard is off.
    private var earlier: Int64?
    private let startedAt: UInt64

    /// Creates the guard at a start, from the times in the data.
    package init(_ stored: StoredTime, system: Timestamp, monotonic: UInt64) {
        newest = stored.newest
        start = max(system, newest ?? system)
        startedAt = monotonic
        let passed = stored.mark?.guardedMilliseconds ?? 0
        let isFarAhead = newest.map { system > $0.adding(milliseconds: Self.farAheadMilliseconds) } ?? false
        earlier = isFarAhead && passed < Self.lastsMilliseconds ? passed : nil
    }

    /// Whether nothing may expire or be deleted.
    package var isOn: Bool { earlier != nil }

    /// Returns the remaining time of the guard, in milliseconds of running, 0 or more; nil when it is off.
    package func remainingMilliseconds(monotonic: UInt64) -> Int64? {
        passedMilliseconds(monotonic).map { max(Self.lastsMilliseconds - $0, 0) }
    }

    /// Returns whether the clock was set back during the guard, so that only a restart corrects the gateway's time.
    package func wasWrong(system: Timestamp, monotonic: UInt64) -> Bool {
        isOn && system < start.adding(milliseconds: ranMilliseconds(monotonic) - Self.setBackMilliseconds)
    }

    /// Ends the guard when its time has passed; true when this call ended it.
    package mutating func timePassed(system: Timestamp, monotonic: UInt64) -> Bool {
        guard remainingMilliseconds(monotonic: monotonic) == 0 else { return false }
        return accept(system: system, monotonic: monotonic)
    }

    /// Ends the guard because an operator confirms the clock; false when it was off, or is on because the clock was
    /// wrong.
    package mutating func accept(system: Timestamp, monotonic: UInt64) -> Bool {
        guard isOn, !wasWrong(system: system, monotonic: monotonic) else { return false }
        earlier = nil
        return true
    }

    /// Returns the mark to store at the gateway's time.
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

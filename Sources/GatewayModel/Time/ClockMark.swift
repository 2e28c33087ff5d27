/// The gateway's time as stored in its data; the next start compares the system clock with it.
package struct ClockMark: Sendable, Equatable {
    /// The newest time at which the gateway ran with a trusted clock.
    package var trusted: Timestamp
    /// The time for which the gateway has run since then with a clock that seemed too far ahead, in milliseconds; nil
    /// when the clock is trusted.
    package var guardedMilliseconds: Int64?

    /// Creates a mark.
    package init(trusted: Timestamp, guardedMilliseconds: Int64? = nil) {
        self.trusted = trusted
        self.guardedMilliseconds = guardedMilliseconds
    }
}

/// The gateway's time as its data keeps it, for the next start to compare the system clock with.
package struct ClockMark: Sendable, Equatable {
    /// The newest time at which the gateway ran while nothing spoke against its clock.
    package var trusted: Timestamp
    /// How long the gateway has run since by a clock that seemed too far ahead, in milliseconds; nil when its clock is
    /// trusted.
    package var guardedMilliseconds: Int64?

    /// Takes a mark.
    ///
    /// - Parameters:
    ///   - trusted: The newest time by a trusted clock.
    ///   - guardedMilliseconds: How long it has run by another one since.
    package init(trusted: Timestamp, guardedMilliseconds: Int64? = nil) {
        self.trusted = trusted
        self.guardedMilliseconds = guardedMilliseconds
    }
}

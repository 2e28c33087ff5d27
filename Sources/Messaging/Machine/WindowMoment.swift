package import GatewayModel

/// The time of an event in a window.
package struct WindowMoment: Sendable {
    /// Nanoseconds on a monotonic clock, for timeouts.
    package var steady: UInt64
    /// The wall clock, for tokens.
    package var date: Timestamp

    /// Creates a moment.
    package init(steady: UInt64, date: Timestamp) {
        self.steady = steady
        self.date = date
    }
}

package import GatewayModel

/// When something happens to a window.
package struct WindowMoment: Sendable {
    /// Nanoseconds on a clock that never goes back, for waits.
    package var steady: UInt64
    /// The wall clock, for tokens.
    package var date: Timestamp

    /// Takes a moment.
    ///
    /// - Parameters:
    ///   - steady: Nanoseconds on a clock that never goes back.
    ///   - date: The wall clock.
    package init(steady: UInt64, date: Timestamp) {
        self.steady = steady
        self.date = date
    }
}

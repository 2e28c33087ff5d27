package import GatewayModel

/// The gateway's time beside the system clock.
package struct ClockState: Sendable, Equatable {
    /// The system clock.
    package var system: Timestamp
    /// The gateway's time.
    package var gateway: Timestamp
    /// The newest time in the data at the start; nil when there was no data.
    package var newestStored: Timestamp?
    /// The gateway's time until which nothing expires and nothing is deleted by age; nil when the guard is off.
    package var guardedUntil: Timestamp?
    /// Whether the clock was set back after a start at which it was far ahead: things expire again only after a
    /// restart.
    package var needsRestart: Bool
}

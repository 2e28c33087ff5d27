package import GatewayModel

/// The gateway's time beside the system clock.
package struct ClockState: Sendable, Equatable {
    /// The system clock.
    package var system: Timestamp
    /// The time that the gateway goes by.
    package var gateway: Timestamp
    /// The newest time in the data at the start; nil when there was no data.
    package var newestStored: Timestamp?
    /// Until when, by the gateway's time, nothing expires and nothing is cleared away; nil when things do.
    package var guardedUntil: Timestamp?
    /// Whether the clock was set back since a start that doubted it: things expire again only after a restart.
    package var needsRestart: Bool
}

internal import Messaging
internal import Telemetry

/// The services that messaging windows use.
struct WindowServices: Sendable {
    /// The hub of open windows; the observer of the delivery core's commits.
    let hub: WindowHub
    /// The limits of windows.
    let limits: WindowLimits
    /// The metrics of windows.
    let metrics: WindowMetrics
}

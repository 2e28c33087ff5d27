package import Messaging
internal import Metrics
package import Telemetry

/// The services that messaging windows use.
package struct WindowServices: Sendable {
    /// The hub of open windows; the observer of the delivery core's commits.
    package let hub: WindowHub
    /// The limits of windows.
    package let limits: WindowLimits
    /// The metrics of windows.
    package let metrics: WindowMetrics

    /// Creates the services; the defaults are windows that hold back no pushes and are not counted.
    ///
    /// - Parameters:
    ///   - presence: The observer of opened and closed windows.
    ///   - limits: The limits of windows.
    ///   - metrics: The metrics of windows.
    package init(
        presence: any WindowPresence = NoPresence(),
        limits: WindowLimits = WindowLimits(),
        metrics: WindowMetrics = WindowMetrics(factory: NOOPMetricsHandler.instance)
    ) {
        hub = WindowHub(presence: presence, metrics: metrics)
        self.limits = limits
        self.metrics = metrics
    }
}

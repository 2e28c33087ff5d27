package import Messaging
internal import Metrics
package import Telemetry

/// What messaging windows stand on.
package struct WindowServices: Sendable {
    /// Who knows the open windows; the observer of the delivery core's commits.
    package let hub: WindowHub
    /// What they may cost.
    package let limits: WindowLimits
    /// What is counted.
    package let metrics: WindowMetrics

    /// Puts them together; the defaults are windows that hold back no pushes and are not counted.
    ///
    /// - Parameters:
    ///   - presence: Who must know of windows.
    ///   - limits: What they may cost.
    ///   - metrics: What is counted.
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

package import Metrics

/// How the gateway's time stands to the system clock.
///
/// Made once; any thread may use it.
package struct ClockMetrics: Sendable {
    private let guarded: Meter
    private let ahead: Meter

    /// Makes the gauges.
    ///
    /// - Parameter factory: Where they are kept; tests hand in their own.
    package init(factory: any MetricsFactory) {
        guarded = Meter(label: MetricCatalogue.clockGuarded.name, factory: factory)
        ahead = Meter(label: MetricCatalogue.clockAhead.name, factory: factory)
        record(isGuarded: false, aheadMilliseconds: 0)
    }

    /// Sets the gauges.
    ///
    /// - Parameters:
    ///   - isGuarded: Whether nothing expires because the clock may be wrong.
    ///   - aheadMilliseconds: By how much the gateway's time is ahead of the system clock; negative when it is behind.
    package func record(isGuarded: Bool, aheadMilliseconds: Int64) {
        guarded.set(isGuarded ? Int64(1) : 0)
        ahead.set(Double(aheadMilliseconds) / 1000)
    }
}

package import Metrics

/// The state of the gateway's clock relative to the system clock.
///
/// Created once; usable from any thread.
package struct ClockMetrics: Sendable {
    private let guarded: Meter
    private let ahead: Meter

    /// Creates the gauges.
    package init(factory: any MetricsFactory) {
        guarded = Meter(label: MetricCatalogue.clockGuarded.name, factory: factory)
        ahead = Meter(label: MetricCatalogue.clockAhead.name, factory: factory)
        record(isGuarded: false, aheadMilliseconds: 0)
    }

    /// Sets the gauges; the gateway's time is ahead of the system clock, or behind it when the number is negative.
    ///
    /// If `isGuarded`, expiry is suspended because the clock may be wrong.
    package func record(isGuarded: Bool, aheadMilliseconds: Int64) {
        guarded.set(isGuarded ? Int64(1) : 0)
        ahead.set(Double(aheadMilliseconds) / 1000)
    }
}

package import Metrics

/// The metrics of housekeeping.
///
/// Created once and passed to it; usable from any thread.
package struct HousekeepingMetrics: Sendable {
    /// Rows that were deleted, by kind of data.
    package let removed: LabelledMetrics<HousekeepingLabel, Counter>
    /// The time for which a batch occupied the writer.
    package let held: Timer

    /// Creates the metric objects.
    package init(factory: any MetricsFactory) {
        removed = LabelledMetrics {
            Counter(
                label: MetricCatalogue.housekeepingRemovedRows.name,
                dimensions: [("kind", $0.rawValue)],
                factory: factory
            )
        }
        held = Timer(label: MetricCatalogue.housekeepingBatch.name, factory: factory)
    }
}

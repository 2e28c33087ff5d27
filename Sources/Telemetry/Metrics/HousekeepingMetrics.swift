package import Metrics

/// What housekeeping counts.
///
/// Made once and handed to it; any thread may use it.
package struct HousekeepingMetrics: Sendable {
    /// Rows that were removed, by kind of work.
    package let removed: LabelledMetrics<HousekeepingLabel, Counter>
    /// How long a batch held the writer.
    package let held: Timer

    /// Makes the metric objects.
    ///
    /// - Parameter factory: Where they are kept; tests hand in their own.
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

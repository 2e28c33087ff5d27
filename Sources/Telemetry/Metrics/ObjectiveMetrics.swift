package import Metrics

/// The numbers of objectives by condition, one gauge for each.
///
/// Created once; usable from any thread.
///
/// - Note: The conditions are named by a target which this target does not import.
package struct ObjectiveMetrics<Condition: RawRepresentable<String> & CaseIterable & Hashable & Sendable>: Sendable {
    private let gauges: LabelledMetrics<Condition, Meter>

    /// Creates the gauges, all at 0.
    package init(factory: any MetricsFactory) {
        gauges = LabelledMetrics {
            Meter(label: MetricCatalogue.objectives.name, dimensions: [("condition", $0.rawValue)], factory: factory)
        }
        record([])
    }

    /// Sets the gauges by the condition of each objective.
    package func record(_ conditions: [Condition]) {
        for condition in Condition.allCases { gauges[condition].set(Int64(conditions.count { $0 == condition })) }
    }
}

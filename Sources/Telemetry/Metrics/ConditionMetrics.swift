package import Metrics

/// The numbers of what operators watch, such as objectives, by condition: one gauge for each.
///
/// Created once; usable from any thread.
///
/// - Note: The conditions are named by a target which this target does not import.
package struct ConditionMetrics<Condition: RawRepresentable<String> & CaseIterable & Hashable & Sendable>: Sendable {
    private let gauges: LabelledMetrics<Condition, Meter>

    /// Creates the gauges of a metric with the label `condition`, all at 0.
    package init(_ metric: MetricDeclaration, factory: any MetricsFactory) {
        gauges = LabelledMetrics {
            Meter(label: metric.name, dimensions: [("condition", $0.rawValue)], factory: factory)
        }
        record([])
    }

    /// Sets the gauges by all conditions of now.
    package func record(_ conditions: [Condition]) {
        for condition in Condition.allCases { gauges[condition].set(Int64(conditions.count { $0 == condition })) }
    }
}

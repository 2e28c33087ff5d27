package import Metrics

/// What is wrong with the machine, one gauge for each fault.
///
/// Made once; any thread may use it.
///
/// - Note: The faults are the delivery core's words, which this target does not know.
package struct MachineMetrics<Fault: RawRepresentable<String> & CaseIterable & Hashable & Sendable>: Sendable {
    private let gauges: LabelledMetrics<Fault, Meter>

    /// Makes the gauges, all at 0.
    ///
    /// - Parameter factory: Where they are kept.
    package init(factory: any MetricsFactory) {
        gauges = LabelledMetrics {
            Meter(label: MetricCatalogue.machineFaults.name, dimensions: [("fault", $0.rawValue)], factory: factory)
        }
        record([])
    }

    /// Says how the machine stands.
    ///
    /// - Parameter faults: What is wrong now.
    package func record(_ faults: Set<Fault>) {
        for fault in Fault.allCases { gauges[fault].set(faults.contains(fault) ? Int64(1) : 0) }
    }
}

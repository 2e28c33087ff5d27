package import Metrics

/// The faults of the host, one gauge for each, and the free space for the data.
///
/// Created once; usable from any thread.
///
/// - Note: The faults are named by the delivery core, which this target does not import.
package struct HostMetrics<Fault: RawRepresentable<String> & CaseIterable & Hashable & Sendable>: Sendable {
    private let gauges: LabelledMetrics<Fault, Meter>
    private let free: Meter

    /// Creates the gauges, all at 0.
    package init(factory: any MetricsFactory) {
        gauges = LabelledMetrics {
            Meter(label: MetricCatalogue.hostFaults.name, dimensions: [("fault", $0.rawValue)], factory: factory)
        }
        free = Meter(label: MetricCatalogue.storageFree.name, factory: factory)
        record([])
    }

    /// Sets the free space on the data's file system, in bytes.
    package func record(freeBytes: UInt64) { free.set(Double(freeBytes)) }

    /// Sets the gauges.
    package func record(_ faults: Set<Fault>) {
        for fault in Fault.allCases { gauges[fault].set(faults.contains(fault) ? Int64(1) : 0) }
    }
}

package import Metrics
import Synchronization

/// The log lines that were dropped.
///
/// Created once; usable from any thread.
package final class LogMetrics: Sendable {
    private let dropped: Counter
    private let counted = Mutex<Int64>(0)

    /// Creates the counter.
    package init(factory: any MetricsFactory) {
        dropped = Counter(label: MetricCatalogue.logDroppedLines.name, factory: factory)
    }

    /// Counts the lines that were dropped since the last call, given the total since the start of the process.
    package func record(droppedLines total: Int64) {
        let added = counted.withLock { counted in
            defer { counted = max(counted, total) }
            return max(0, total - counted)
        }
        dropped.increment(by: added)
    }
}

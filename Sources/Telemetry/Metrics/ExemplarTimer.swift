package import GatewayModel
import Metrics

/// The trace of one observation, which OpenMetrics shows beside the bucket.
package struct Exemplar: Sendable {
    let trace: SpanIdentity
    let at: Timestamp

    /// Creates the exemplar of an observation at a time; nil without a trace.
    package init?(_ trace: SpanIdentity?, at time: Timestamp) {
        guard let trace else { return nil }
        self.trace = trace
        at = time
    }
}

/// A timer whose observations may have an exemplar.
package struct ExemplarTimer: Sendable {
    private let timer: Timer
    /// The histogram of the timer, if it keeps exemplars.
    private let histogram: PrometheusHistogram?

    init(_ declaration: MetricDeclaration, dimensions: [(String, String)], factory: any MetricsFactory) {
        let handler = factory.makeTimer(label: declaration.name, dimensions: dimensions)
        timer = Timer(label: declaration.name, dimensions: dimensions, handler: handler, factory: factory)
        histogram = handler as? PrometheusHistogram
    }

    /// Records a duration in nanoseconds.
    package func record(nanoseconds: Int64, _ exemplar: Exemplar?) {
        if let exemplar, let histogram {
            histogram.record(Double(nanoseconds) / 1e9, exemplar)
        } else {
            timer.recordNanoseconds(nanoseconds)
        }
    }
}

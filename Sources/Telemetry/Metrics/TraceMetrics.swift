package import Metrics

/// The end of a span, as a label.
package enum SpanResultLabel: String, CaseIterable, Sendable {
    /// The collector has accepted it.
    case exported
    /// There was no room for it.
    case dropped
    /// The collector did not accept it.
    case failed
}

/// The metrics of traces.
///
/// Created once; usable from any thread.
package struct TraceMetrics: Sendable {
    /// Spans by their end.
    package let spans: LabelledMetrics<SpanResultLabel, Counter>

    /// Creates the counters.
    package init(factory: any MetricsFactory) {
        spans = LabelledMetrics {
            Counter(label: MetricCatalogue.traceSpans.name, dimensions: [("result", $0.rawValue)], factory: factory)
        }
    }
}

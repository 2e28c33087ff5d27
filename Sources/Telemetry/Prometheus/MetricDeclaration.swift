/// The declaration of a metric: made once in ``MetricCatalogue``, so that names and label sets cannot diverge.
package struct MetricDeclaration: Sendable, Equatable {
    /// The type of a metric, as the Prometheus text format defines it.
    package enum Kind: Sendable, Equatable {
        /// Only rises; its name ends in `_total`.
        case counter
        /// Rises and falls.
        case gauge
        /// Counts observations in buckets with these upper bounds, ascending, without the last one (`+Inf`).
        case histogram(bounds: [Double])
    }

    /// The metric's name: `switchboard_<area>_<what>_<unit>`.
    package let name: String
    /// The metric's type.
    package let kind: Kind
    /// One sentence for `# HELP`.
    package let help: String
    /// The names of its labels; the values of each are a closed set.
    package let labels: [String]

    /// Declares a metric.
    package init(_ name: String, _ kind: Kind, help: String, labels: [String] = []) {
        self.name = name
        self.kind = kind
        self.help = help
        self.labels = labels
    }
}

extension MetricDeclaration.Kind {
    /// The type's name on the `# TYPE` line.
    var typeName: String {
        switch self {
        case .counter: "counter"
        case .gauge: "gauge"
        case .histogram: "histogram"
        }
    }
}

/// What a metric is: declared once in ``MetricCatalogue``, so that names and label sets cannot drift apart.
package struct MetricDeclaration: Sendable, Equatable {
    /// How a metric behaves, in the words of the Prometheus text format.
    package enum Kind: Sendable, Equatable {
        /// Only rises; its name ends in `_total`.
        case counter
        /// Rises and falls.
        case gauge
        /// Counts observations into buckets by these upper bounds, ascending, without the last one (`+Inf`).
        case histogram(bounds: [Double])
    }

    /// The metric's name: `switchboard_<area>_<what>_<unit>`.
    package let name: String
    /// How it behaves.
    package let kind: Kind
    /// One sentence for `# HELP`.
    package let help: String
    /// The names of its labels, each with values from a closed set.
    package let labels: [String]

    /// Declares a metric.
    ///
    /// - Parameters:
    ///   - name: The metric's name.
    ///   - kind: How it behaves.
    ///   - help: One sentence for `# HELP`.
    ///   - labels: The names of its labels.
    package init(_ name: String, _ kind: Kind, help: String, labels: [String] = []) {
        self.name = name
        self.kind = kind
        self.help = help
        self.labels = labels
    }
}

extension MetricDeclaration.Kind {
    /// The word of the text format's `# TYPE` line.
    var typeName: String {
        switch self {
        case .counter: "counter"
        case .gauge: "gauge"
        case .histogram: "histogram"
        }
    }
}

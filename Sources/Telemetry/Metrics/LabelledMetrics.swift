/// One metric object for each value of a label, created once, so that counting needs no lookup by text.
package struct LabelledMetrics<Label: CaseIterable & Hashable & Sendable, Metric: Sendable>: Sendable {
    private let metrics: [Metric]
    private let positions: [Label: Int]

    /// Creates the objects, with `make` for each label value.
    package init(make: (Label) -> Metric) {
        let labels = Array(Label.allCases)
        metrics = labels.map(make)
        positions = Dictionary(uniqueKeysWithValues: labels.enumerated().map { ($1, $0) })
    }

    /// The metric object of a label value.
    package subscript(label: Label) -> Metric {
        // Every case has a position; the first object is the fallback for a type whose `allCases` would change.
        metrics[positions[label] ?? 0]
    }
}

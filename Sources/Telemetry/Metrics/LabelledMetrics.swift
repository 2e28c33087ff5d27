/// One metric object for each value of a label, made once, so that counting looks nothing up by text.
package struct LabelledMetrics<Label: CaseIterable & Hashable & Sendable, Metric: Sendable>: Sendable {
    private let metrics: [Metric]
    private let positions: [Label: Int]

    /// Makes the objects.
    ///
    /// - Parameter make: Makes the object of one label value.
    package init(make: (Label) -> Metric) {
        let labels = Array(Label.allCases)
        metrics = labels.map(make)
        positions = Dictionary(uniqueKeysWithValues: labels.enumerated().map { ($1, $0) })
    }

    /// The object of a label value.
    ///
    /// - Parameter label: Any case.
    package subscript(label: Label) -> Metric {
        // Every case has a position; the first stands in for a type whose `allCases` would change.
        metrics[positions[label] ?? 0]
    }
}

/// One metric with one set of label values.
protocol PrometheusSeries: AnyObject, Sendable {
    /// Appends the series' lines in the text format.
    ///
    /// - Parameters:
    ///   - name: The metric's name.
    ///   - labels: The label pairs as they stand between the braces; empty without labels.
    ///   - text: What is appended to.
    func appendSamples(name: String, labels: String, to text: inout String)
}

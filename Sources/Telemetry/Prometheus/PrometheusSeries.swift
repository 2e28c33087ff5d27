/// One metric with one set of label values.
protocol PrometheusSeries: AnyObject, Sendable {
    /// Appends the series' lines in the text format.
    ///
    /// - Parameters:
    ///   - name: The metric's name.
    ///   - labels: The label pairs as written between the braces; empty without labels.
    ///   - text: The text to append to.
    func appendSamples(name: String, labels: String, to text: inout String)
}

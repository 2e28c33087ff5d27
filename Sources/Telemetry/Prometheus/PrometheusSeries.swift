/// One metric with one set of label values.
protocol PrometheusSeries: AnyObject, Sendable {
    /// Appends the series' lines in the text format; `labels` are the pairs as written between the braces, or empty.
    func appendSamples(name: String, labels: String, to text: inout String)
}

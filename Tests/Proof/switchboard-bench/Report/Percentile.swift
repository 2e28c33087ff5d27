extension [Double] {
    /// Returns the value below which a share of the values lies.
    ///
    /// - Parameter share: 0 to 1, for example 0.99.
    /// - Returns: The value; 0 when there are no values.
    func percentile(_ share: Double) -> Double {
        guard !isEmpty else { return 0 }
        let sorted = sorted()
        return sorted[Swift.min(Int(Double(sorted.count) * share), sorted.count - 1)]
    }

    /// The median, for figures of rounds of which some were disturbed.
    var median: Double { percentile(0.5) }
}

import ProcessHarness

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

/// Returns the median time of some work.
///
/// - Parameters:
///   - samples: What the work is done with, in another order than they are stored in.
///   - work: The work.
/// - Returns: The seconds of the median round of 101.
/// - Throws: The error of the work.
func medianSeconds<Sample>(_ samples: [Sample], _ work: (Sample) async throws -> Void) async throws -> Double {
    var times: [Double] = []
    for round in 0..<101 {
        let sample = samples[round * 7919 % samples.count]
        let start = ContinuousClock.now
        try await work(sample)
        times.append(seconds(ContinuousClock.now - start))
    }
    return times.median
}

import Telemetry

/// The metrics of one test's gateway.
struct TestMetrics: Sendable {
    let factory = WatchedMetrics()
    /// The response of `/metrics`.
    var response = "# a test\n"
    var openMetrics = "# EOF\n"

    /// Returns the value of a sample, by its whole name with labels.
    func value(_ sample: String) -> Double? {
        factory.registry.render().split(separator: "\n").first { $0.hasPrefix(sample + " ") }
            .flatMap { Double($0.dropFirst(sample.utf8.count + 1)) }
    }

    /// Waits until a sample has a value; false when the test ends before.
    func reaches(_ sample: String, _ expected: Double) async -> Bool {
        for await _ in factory.changes() where value(sample) == expected { return true }
        return false
    }
}

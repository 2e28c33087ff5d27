import Telemetry

/// The metrics of one test's gateway.
struct TestMetrics: Sendable {
    let registry = PrometheusRegistry()
    /// What `/metrics` answers.
    var answer = "# a test\n"

    /// The value of a sample, by its whole name with labels.
    func value(_ sample: String) -> Double? {
        registry.render().split(separator: "\n").first { $0.hasPrefix(sample + " ") }
            .flatMap { Double($0.dropFirst(sample.utf8.count + 1)) }
    }

    /// Waits until a sample has a value; false when it never has.
    func reaches(_ sample: String, _ expected: Double) async -> Bool {
        let deadline = ContinuousClock.now + .seconds(540)
        while value(sample) != expected {
            if ContinuousClock.now > deadline { return false }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return true
    }
}

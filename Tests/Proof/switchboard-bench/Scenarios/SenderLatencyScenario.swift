import AsyncHTTPClient
import Foundation
import ProcessHarness

/// The latency from a push's due time to its response at half of the sender's capacity, compared with `h2load` at the
/// same rate, in bursts as `h2load` sends them.
struct SenderLatencyScenario {
    /// The number of notifications to find the sender's capacity.
    var notifications: Int
    /// The duration of one paced run in seconds.
    var seconds = 3
    /// The number of pairs of paced runs.
    var rounds = 5
    /// The limit: our p99 as a multiple of `h2load`'s.
    var ratioLimit: Double

    /// Runs both in turns against one simulator.
    ///
    /// - Parameter http: An HTTP client.
    /// - Returns: The figures: medians over the rounds.
    /// - Throws: An error when a push is rejected.
    func run(http: HTTPClient) async throws -> Report {
        try await SimulatorProcess.use { try await measure($0, $1, http) }
    }

    private func measure(
        _ simulator: SimulatorProcess,
        _ directory: TemporaryDirectory,
        _ http: HTTPClient
    ) async throws -> Report {
        var highest: [Double] = []
        for _ in 0..<3 {
            highest.append(
                Double(notifications) / (try await SenderResult.run(simulator, count: notifications)).wallSeconds
            )
        }
        let rate = Int(highest.median / 2)
        let h2load = H2load(simulator: simulator, directory: directory, http: http)
        var (own, reference): ([(p50: Double, p99: Double)], [(p50: Double, p99: Double)]) = ([], [])
        for _ in 0..<rounds {
            let sender = try await SenderResult.run(simulator, count: seconds, rate: rate)
            own.append((sender.p50Seconds, sender.p99Seconds))
            let latencies = try await h2load.latencies(
                rate: rate,
                seconds: seconds,
                body: sender.body,
                headers: sender.headers
            )
            if let latencies { reference.append((latencies.percentile(0.5), latencies.percentile(0.99))) }
        }
        var report = Report()
        let name = "sender at half load"
        report.add(name, "rate", Double(rate), "pushes/s")
        report.add(name, "due to answered, p50", own.map(\.p50).median * 1e3, "ms")
        report.add(name, "due to answered, p99", own.map(\.p99).median * 1e3, "ms")
        guard !reference.isEmpty else {
            report.add(name, H2load.missing, 0, "")
            return report
        }
        report.add(name, "h2load p50", reference.map(\.p50).median * 1e3, "ms")
        report.add(name, "h2load p99", reference.map(\.p99).median * 1e3, "ms")
        let ratio = own.map(\.p99).median / reference.map(\.p99).median
        report.add(name, "p99 ratio to h2load", ratio, "x", atMost: ratioLimit)
        return report
    }
}

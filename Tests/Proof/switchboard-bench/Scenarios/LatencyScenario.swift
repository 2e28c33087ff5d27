import AsyncHTTPClient
import Foundation
import ProcessHarness

/// The latency from posting an event to the arrival of its push at the provider, at a rate that does not saturate the
/// host.
struct LatencyScenario {
    /// The number of events, each posted at its due time.
    var events = 2000
    /// Events per second.
    var rate = 200

    /// Runs it on a fresh installation whose simulator stores every push with its time of arrival.
    ///
    /// - Parameter http: An HTTP client with keep-alive connections.
    /// - Returns: The figures.
    /// - Throws: An error when a request is rejected or a push is missing.
    func run(http: HTTPClient) async throws -> Report {
        try await Installation.use(quiet: false) { try await measure($0, http: http) }
    }

    private func measure(_ installation: Installation, http: HTTPClient) async throws -> Report {
        let authorization = try await installation.configure(http: http, consumers: 500)
        let idle = try ProcessUsage(pid: installation.gateway.process.id)
        var load = TimedEvents(installation, http: http, authorization: authorization, consumers: 500)
        let latencies = try await load.latencies(run: "latency", events: events, rate: rate)
        var report = Report()
        let name = "latency at \(rate) events/s"
        report.add(name, "posted to push received, p50", latencies.percentile(0.5), "ms")
        report.add(name, "posted to push received, p99", latencies.percentile(0.99), "ms")
        report.add("idle", "gateway resident memory, 500 devices", Double(idle.residentBytes) / 1e6, "MB", atMost: 60)
        return report
    }
}

import AsyncHTTPClient
import Foundation
import ProcessHarness

/// How long an event takes from being posted to its push arriving at the provider, at a rate that leaves the machine air.
struct LatencyScenario {
    /// How many events, each posted when its moment comes.
    var events = 2000
    /// Events a second.
    var rate = 200

    /// Runs it on a fresh installation whose simulator keeps every push with its time of arrival.
    ///
    /// - Parameter http: A client; its connections are kept alive.
    /// - Returns: The figures.
    /// - Throws: When a request is refused or a push is missing.
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

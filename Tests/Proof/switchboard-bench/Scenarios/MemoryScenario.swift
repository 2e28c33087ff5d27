import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import ProcessHarness

/// The gateway's memory when idle, and with many deliveries that wait for an unreachable provider.
struct MemoryScenario {
    /// The number of waiting deliveries.
    var pending = 200_000

    /// Runs it on a fresh installation whose app's provider is a closed port.
    ///
    /// - Parameter http: An HTTP client.
    /// - Returns: The figures.
    /// - Throws: An error when a request is rejected.
    func run(http: HTTPClient) async throws -> Report {
        try await Installation.use(quiet: true) { try await measure($0, http: http) }
    }

    private func measure(_ installation: Installation, http: HTTPClient) async throws -> Report {
        var report = Report()
        let idle = try ProcessUsage(pid: installation.gateway.process.id)
        report.add("idle", "gateway resident memory, no brand", Double(idle.residentBytes) / 1e6, "MB", atMost: 60)
        // Port 9 (discard) of the loopback address: nobody listens there.
        let consumers = 2000
        let authorization = try await installation.configure(
            http: http,
            consumers: consumers,
            apnsEndpoint: "https://127.0.0.1:9"
        )
        for first in stride(from: 0, to: pending, by: 500) {
            var request = HTTPClientRequest(url: installation.gateway.url + "/v1/brands/\(Installation.brand)/events")
            request.method = .POST
            request.headers.add(name: "authorization", value: authorization)
            request.headers.add(name: "content-type", value: "application/x-ndjson")
            let count = min(500, pending - first)
            request.body = .bytes(EventBodies.batch(run: "dead", first: first, count: count, consumers: consumers))
            let response = try await http.execute(request, timeout: .seconds(60))
            _ = try await response.body.collect(upTo: 16 << 20)
            guard response.status == .accepted else { throw HarnessError("the gateway responded \(response.status)") }
        }
        let usage = try ProcessUsage(pid: installation.gateway.process.id)
        let name = "\(pending) deliveries pending"
        report.add(name, "gateway resident memory", Double(usage.residentBytes) / 1e6, "MB", atMost: 250)
        report.add(name, "gateway peak memory", Double(usage.peakResidentBytes) / 1e6, "MB", atMost: 250)
        return report
    }
}

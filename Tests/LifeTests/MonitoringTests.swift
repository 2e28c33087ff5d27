import Foundation
import GatewayClient
import ProcessHarness
import Testing

/// The alert rules and the dashboard of `Deploy`, checked with the metrics of a running gateway.
@Suite("Alert rules and dashboard", .timeLimit(.minutes(10)))
struct MonitoringTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("promtool finds every metric of the rules and the dashboard in the gateway's, and reports an unknown one")
    func recorded() async throws {
        let fixture = try await GatewayFixture.start(in: directory)
        #expect(try await fixture.post("recorded-1").status == 202)
        try await fixture.wait(for: "the push") { try await fixture.deliveries().first?["state"].string == "accepted" }
        // Its connection is closed, which is counted too.
        _ = try await fixture.gateway.admin.call("DELETE", fixture.path("apps", "ios"))
        try await fixture.wait(for: "the end of the connection") {
            try await !fixture.metrics("switchboard_provider_connections_closed_total").isEmpty
        }
        let lines = try await fixture.metrics("")
        #expect(try await fixture.gateway.process.stop().status == 0)
        let whole = try await check(lines)
        #expect(whole.status == 0, "\(whole.errors)")
        let missing = try await check(lines.filter { !$0.hasPrefix("switchboard_delivery_oldest_waiting_seconds") })
        #expect(missing.status == 1)
        #expect(missing.errors.contains { $0.contains("has no metric switchboard_delivery_oldest_waiting_seconds") })
        #expect(missing.errors.contains { $0.hasPrefix("SwitchboardOldestPushTooOld: ") })
    }

    /// Runs `Deploy/monitoring.py` on the lines of metrics.
    private func check(_ metrics: [String]) async throws -> (status: Int32, errors: [String]) {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = directory.path("metrics")
        try (metrics.joined(separator: "\n") + "\n").write(toFile: file, atomically: true, encoding: .utf8)
        let script = root.appending(path: "Deploy/monitoring.py").path()
        let process = try ChildProcess("/usr/bin/env", ["python3", script, file])
        let status = try await process.ended().status
        return (status, process.errors)
    }
}

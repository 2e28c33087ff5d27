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
        try await expectViews(of: fixture.gateway)
        #expect(try await fixture.gateway.process.stop().status == 0)
        let whole = try await check(lines)
        #expect(whole.status == 0, "\(whole.errors)")
        let missing = try await check(lines.filter { !$0.hasPrefix("switchboard_delivery_oldest_waiting_seconds") })
        #expect(missing.status == 1)
        #expect(missing.errors.contains { $0.contains("has no metric switchboard_delivery_oldest_waiting_seconds") })
        #expect(missing.errors.contains { $0.hasPrefix("SwitchboardOldestPushTooOld: ") })
    }

    /// Checks that `switchboard top` prints one snapshot and ends where there is no terminal.
    private func expectViews(of gateway: GatewayProcess) async throws {
        async let table = gateway.verb(["top", "--interval", "1"])
        async let object = gateway.verb(["top", "--interval", "1", "--json"])
        let (shown, json) = try await (table, object)
        #expect(shown.exit.status == 0 && json.exit.status == 0, "\(shown.errors) \(json.errors)")
        #expect(shown.output.first?.hasPrefix("gateway   ready") == true)
        #expect(shown.output.contains { $0.hasPrefix("apns ") } && !shown.output.joined().contains("\u{1B}"))
        try #require(json.output.count == 1)
        let snapshot = try JSONValue(parsing: Data(json.output[0].utf8))
        #expect(snapshot["ready"] == .bool(true) && snapshot["problem"] == .null)
        #expect(snapshot["providers"].items.contains { $0["provider"].string == "apns" })
        let unknown = try await gateway.verb(["top", "--interval", "1", "--once", "--brand", "nobody"])
        #expect(unknown.exit.status == 1 && unknown.errors.joined().contains("404"))
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

import Foundation
import GatewayModel
import Metrics
import Telemetry
import Testing

/// Checks with `promtool`, the checker of Prometheus.
///
/// Debian's package `prometheus` contains it, and `Deploy/test.sh` installs it. These tests fail without it.
@Suite("promtool")
struct PromtoolTests {
    @Test("promtool reads everything that is rendered and reports no error", .timeLimit(.minutes(10)))
    func check() throws {
        let registry = PrometheusRegistry()
        let delivery = DeliveryMetrics(factory: registry)
        let providers = ProviderMetrics(factory: registry)
        providers.connections[.apns][.ready].increment()
        providers.connectionEnded(.apns, reason: "goaway")
        let http = HTTPMetrics(factory: registry)
        let process = ProcessMetrics(factory: registry)
        registry.addCollector { process.collect() }
        delivery.storeFailed("full")
        delivery.commit.recordMilliseconds(3)
        http.route(method: "GET", template: "/v1/brands/{brand}").record(status: 200, nanoseconds: 1000)
        let (status, output) = try Self.promtool(checking: registry.render())
        #expect(status == 0 && output.isEmpty, "\(output)")
    }

    @Test("promtool reports invalid text", .timeLimit(.minutes(10)))
    func wrong() throws {
        let (status, output) = try Self.promtool(checking: "# TYPE a counter\na{x=\"1\"} 1\n")
        #expect(status != 0 && output.contains("_total"))
    }

    private static func promtool(checking text: String) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: promtoolPath)
        process.arguments = ["check", "metrics"]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try input.fileHandleForWriting.close()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}

private let promtoolPath = "/usr/bin/promtool"

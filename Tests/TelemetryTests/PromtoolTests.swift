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
        let registry = Self.filled()
        let (status, output) = try Self.promtool(["check", "metrics"], input: registry.render())
        #expect(status == 0 && output.isEmpty, "\(output)")
    }

    @Test("promtool reads OpenMetrics with exemplars, once every sample has a time", .timeLimit(.minutes(10)))
    func openMetrics() throws {
        let text = Self.filled().render(openMetrics: true)
        let lines = text.split(separator: "\n").map { line in
            guard !line.hasPrefix("#") else { return String(line) }
            let parts = line.split(separator: " # ", maxSplits: 1)
            return "\(parts[0]) 1767323045" + (parts.count > 1 ? " # \(parts[1])" : "")
        }
        #expect(lines.contains { $0.contains(" 1767323045 # {trace_id=\"0af7651916cd43dd8448eb211c80319c\"}") })
        let folder = FileManager.default.temporaryDirectory.appending(path: "openmetrics-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func run(_ lines: [String]) throws -> (status: Int32, output: String) {
            let file = folder.appending(path: "metrics")
            try (lines.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
            return try Self.promtool(
                ["tsdb", "create-blocks-from", "openmetrics", file.path(), folder.appending(path: "blocks").path()],
                input: ""
            )
        }
        let (status, output) = try run(lines)
        #expect(status == 0, "\(output)")
        #expect(try run(Array(lines.dropLast())).status != 0, "it reports a text without an end")
    }

    /// A registry with metrics of each kind.
    private static func filled() -> PrometheusRegistry {
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
        let trace = SpanIdentity(traceParent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        http.route(method: "GET", template: "/v1/brands/{brand}").record(
            status: 200,
            nanoseconds: 1000,
            Exemplar(trace, at: Timestamp(milliseconds: 1_767_323_045_678))
        )
        return registry
    }

    @Test("promtool reports invalid text", .timeLimit(.minutes(10)))
    func wrong() throws {
        let (status, output) = try Self.promtool(["check", "metrics"], input: "# TYPE a counter\na{x=\"1\"} 1\n")
        #expect(status != 0 && output.contains("_total"))
    }

    private static func promtool(_ arguments: [String], input text: String) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: promtoolPath)
        process.arguments = arguments
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

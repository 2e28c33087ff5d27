import Foundation
import GatewayClient
import Logging
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Gateway

@Suite("Trace exporter")
struct TraceExporterTests {
    /// A collector with scripted replies, and the waits before its requests.
    private final class Collector: Sendable {
        let replies: Mutex<[TraceCollector.Reply]>
        let bodies = Mutex<[[UInt8]]>([])
        let waits = Mutex<[Duration]>([])

        init(_ replies: [TraceCollector.Reply]) { self.replies = Mutex(replies) }

        func post(_ body: [UInt8]) -> TraceCollector.Reply {
            bodies.withLock { $0.append(body) }
            return replies.withLock { $0.isEmpty ? TraceCollector.Reply(status: 200) : $0.removeFirst() }
        }
    }

    private let registry = PrometheusRegistry()
    private let recorder: TraceRecorder
    private let metrics: TraceMetrics

    init() {
        metrics = TraceMetrics(factory: registry)
        recorder = TraceRecorder(share: 1, clock: TestClock(), queue: SpanQueue(metrics: metrics))
    }

    private func exporter(_ collector: Collector) -> TraceExporter {
        TraceExporter(
            queue: recorder.queue,
            metrics: metrics,
            encode: { OTLPTraces.body($0, version: "1", instance: "i") },
            post: { collector.post($0) },
            sleep: { wait in collector.waits.withLock { $0.append(wait) } },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    private func record(_ count: Int) throws {
        for _ in 0..<count {
            let span = try #require(recorder.startRequest(traceParent: nil))
            span.finishRequest(method: "GET", route: "/", status: 200, brand: nil, requestID: "", errorCode: nil)
        }
    }

    private func count(_ result: String) -> String? {
        registry.render().split(separator: "\n")
            .first { $0.hasPrefix("switchboard_trace_spans_total{result=\"\(result)\"}") }
            .flatMap { $0.split(separator: " ").last.map { String($0) } }
    }

    @Test("spans are sent in batches, the oldest first, until none waits")
    func batches() async throws {
        let collector = Collector([])
        let exporter = exporter(collector)
        #expect(await exporter.exportBatch() == false)
        #expect(collector.bodies.withLock { $0.isEmpty })
        try record(TraceExporter.batchSize + 1)
        #expect(await exporter.exportBatch())
        #expect(await exporter.exportBatch())
        #expect(await exporter.exportBatch() == false)
        let sizes = collector.bodies.withLock { $0.map { String(decoding: $0, as: UTF8.self) } }
            .map { $0.split(separator: "\"spanId\"").count - 1 }
        #expect(sizes == [TraceExporter.batchSize, 1])
        #expect(count("exported") == "513" && count("failed") == "0")
    }

    @Test(
        "a transient error is retried once, after the wait that the collector asks for within limits",
        arguments: [
            (429, nil, 1), (502, 0, 1), (503, 7, 7), (504, 9999, TraceExporter.maxWaitSeconds), (0, nil, 1),
        ] as [(Int, Int64?, Int64)]
    )
    func transient(status: Int, asked: Int64?, waited: Int64) async throws {
        try record(1)
        let collector = Collector([TraceCollector.Reply(status: status, retryAfterSeconds: asked)])
        #expect(await exporter(collector).exportBatch())
        #expect(collector.waits.withLock { $0 } == [.seconds(waited)])
        let bodies = collector.bodies.withLock { $0 }
        #expect(bodies.count == 2 && bodies[0] == bodies[1])
        #expect(count("exported") == "1" && count("failed") == "0")
    }

    @Test("a batch that fails twice, or in another way, is lost and counted, and the next one is sent")
    func lost() async throws {
        let collector = Collector([503, 503, 400].map { TraceCollector.Reply(status: $0) })
        let exporter = exporter(collector)
        for isTaken in [false, false, true] {
            try record(1)
            #expect(await exporter.exportBatch() == isTaken)
        }
        #expect(collector.bodies.withLock { $0.count } == 4 && collector.waits.withLock { $0.count } == 1)
        #expect(count("failed") == "2" && count("exported") == "1")
    }

    // MARK: Settings

    private static func collector(_ url: String?, _ headers: String?) throws -> TraceCollector? {
        let folder = FileManager.default.temporaryDirectory.appending(path: "traces-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var settings = TelemetrySettings()
        settings.traces = url
        if let headers {
            let path = folder.appending(path: "headers").path(percentEncoded: false)
            if headers != "-" { try headers.write(toFile: path, atomically: true, encoding: .utf8) }
            settings.traceHeadersFile = path
        }
        return try TraceCollector(settings)
    }

    @Test("a collector has a URL and perhaps header fields")
    func settings() throws {
        #expect(try Self.collector(nil, nil) == nil)
        let plain = try #require(try Self.collector("http://otel.internal:4318/v1/traces", nil))
        #expect(plain.headers.isEmpty)
        let headers = try #require(
            try Self.collector("https://h.example/v1/traces", "Authorization: Basic a:b=\nx-team:  1 \n\n")
        ).headers
        #expect(headers.map(\.name) == ["Authorization", "x-team"] && headers.map(\.value) == ["Basic a:b=", "1"])
    }

    @Test(
        "what cannot be used is an error that shows neither URL nor header field",
        arguments: [
            (nil, "a: b", "without telemetry.traces"), ("ftp://h/private-path", nil, "http or https"),
            ("private-path", nil, "http or https"), ("http:///private-path", nil, "http or https"),
            ("http://u:private-path@h/", nil, "without a user"), ("http://h/p", "-", "cannot be read"),
            ("http://h/p", "private-path", "NAME: VALUE"), ("http://h/p", "private-path :x", "NAME: VALUE"),
            ("http://h/p", "a:", "NAME: VALUE"), ("http://h/p", "a: private-path\u{7}", "NAME: VALUE"),
            ("http://h/p", String(repeating: "a: private-path\n", count: 17), "16 at most"),
        ] as [(String?, String?, String)]
    )
    func wrong(url: String?, headers: String?, text: String) throws {
        let error = #expect(throws: CommandFailure.self) { _ = try Self.collector(url, headers) }
        let failure = try #require(error)
        #expect(failure.status == .usage && failure.message.contains(text))
        #expect(!failure.message.contains("private-path"))
    }
}

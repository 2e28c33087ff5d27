import Foundation
import GatewayClient
import ProcessHarness
import Testing

/// Traces of a running gateway, received by another implementation of OTLP.
@Suite("Traces", .timeLimit(.minutes(10)))
struct TraceTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let parent = "b7ad6b7169203331"

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Posts an event as the caller of a trace; returns the status.
    private func post(
        _ id: String,
        of trace: String,
        to fixture: GatewayFixture,
        bearer: String
    ) async throws -> String {
        let event: JSONValue = [
            "id": .string(id), "type": "agent.message", "consumer": "u-1", "conversation": "c-1", "text": "hidden text",
        ]
        return try await curl([
            "-o", "/dev/null", "-w", "%{http_code}\n", "-H", "traceparent: 00-\(trace)-\(Self.parent)-01",
            "-H", "authorization: Bearer \(bearer)", "-H", "content-type: application/json", "--data", event.text,
            "\(fixture.gateway.url)/v1/brands/acme/events",
        ]).joined()
    }

    private func curl(_ arguments: [String]) async throws -> [String] {
        let process = try ChildProcess("/usr/bin/env", ["curl", "-sS"] + arguments)
        #expect(try await process.ended().status == 0, "\(process.errors)")
        return process.output
    }

    private func spans(_ lines: [String]) throws -> [JSONValue] {
        try lines.map { try JSONValue(parsing: Data($0.dropFirst(5).utf8)) }
    }

    private func time(_ span: JSONValue, _ name: String) throws -> Int64 {
        try #require(span[name].string.flatMap { Int64($0) })
    }

    @Test("an event, its storing and its push are one trace, which a collector receives and a metric names")
    func oneEvent() async throws {
        // Without opentelemetry-proto this fails: Deploy/test.sh installs it.
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Interop/otlp_receiver.py").path()
        let receiver = try ChildProcess("/usr/bin/env", ["python3", script])
        let port = try await receiver.line("listening on ")
        let headers = directory.path("collector-headers")
        try "x-collector-key: hidden-word\n".write(toFile: headers, atomically: true, encoding: .utf8)
        let fixture = try await GatewayFixture.start(
            in: directory,
            environment: [
                "SWITCHBOARD_TELEMETRY_TRACES": "http://127.0.0.1:\(port)/v1/traces",
                "SWITCHBOARD_TELEMETRY_TRACE_SHARE": "0", "SWITCHBOARD_TELEMETRY_TRACE_HEADERS_FILE": headers,
            ]
        )
        let token = fixture.gateway.adminToken
        // Only the `traceparent` of a known caller decides.
        let stranger = String(repeating: "5", count: 32)
        #expect(try await post("e-0", of: stranger, to: fixture, bearer: "nobody") == "401")
        #expect(try await post("e-1", of: Self.trace, to: fixture, bearer: token) == "202")

        let found = try spans(try await receiver.lines("span ", count: 3))
        #expect(found.count == 3 && found.allSatisfy { $0["trace"].string == Self.trace })
        #expect(found.allSatisfy { $0["service"].string == "switchboard" && $0["key"].string == "hidden-word" })
        let request = try #require(found.first { $0["kind"].string == "SPAN_KIND_SERVER" })
        let storing = try #require(found.first { $0["kind"].string == "SPAN_KIND_INTERNAL" })
        let push = try #require(found.first { $0["kind"].string == "SPAN_KIND_CLIENT" })
        #expect(request["name"].string == "POST /v1/brands/{brand}/events")
        #expect(storing["name"].string == "store events" && push["name"].string == "push apns")
        #expect(request["parent"].string == Self.parent)
        #expect(storing["parent"] == request["span"] && push["parent"] == storing["span"])
        for span in found {
            #expect(span["status"].string == "STATUS_CODE_UNSET")
            #expect(span["attributes"]["switchboard.brand"].string == "acme")
            let (begin, start, end) = (try time(request, "start"), try time(span, "start"), try time(span, "end"))
            #expect(begin <= start && start <= end)
        }
        #expect(request["attributes"]["http.response.status_code"].integer == 202)
        let delivery = try #require(try await fixture.deliveries().first)
        #expect(push["attributes"]["switchboard.delivery.id"].string == delivery["id"].plain)
        #expect(push["attributes"]["switchboard.message.id"].string == delivery["messageId"].string)
        #expect(storing["attributes"]["switchboard.message.id"].string == delivery["messageId"].string)
        #expect(push["attributes"]["switchboard.attempt"].integer == 1)
        #expect(push["attributes"]["switchboard.outcome"].string == "accepted")

        let accept = "accept: application/openmetrics-text; version=1.0.0, text/plain; q=0.5"
        let metrics = try await curl(["-H", accept, "\(fixture.gateway.url)/metrics"])
        let named = metrics.filter { $0.contains("# {trace_id=\"\(Self.trace)\"}") }
        #expect(named.contains { $0.hasPrefix("switchboard_delivery_end_to_end_seconds_bucket") })
        #expect(named.contains { $0.hasPrefix("switchboard_http_request_seconds_bucket") })
        #expect(metrics.last == "# EOF")
        try await fixture.wait(for: "the count") {
            try await fixture.metrics("switchboard_trace_spans_total{result=\"exported\"} 3").count == 1
        }

        // What waits is sent before the end.
        let last = String(repeating: "7", count: 32)
        #expect(try await post("e-2", of: last, to: fixture, bearer: token) == "202")
        #expect(try await fixture.gateway.process.stop() == .init(status: 0, isSignal: false))
        let all = try spans(try await receiver.lines("span ", count: 5))
        #expect(all.contains { $0["trace"].string == last && $0["kind"].string == "SPAN_KIND_SERVER" })
        let printed = (receiver.output + fixture.gateway.process.errors).joined()
        #expect(!printed.contains("hidden text") && !printed.contains(GatewayFixture.token))
        #expect(!receiver.output.contains { $0.hasPrefix("wrong") || $0.contains(stranger) })
        #expect(!fixture.gateway.process.errors.joined().contains("hidden-word"))
        receiver.signal(SIGTERM)
        _ = try await receiver.ended()
        _ = try await fixture.simulator.process.stop()
    }
}

import Foundation
import GatewayModel
import Metrics
import TestSupport
import Testing
import Tracing

@testable import Telemetry

@Suite("Traces")
struct TraceTests {
    private static let header = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    private static let unsampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"

    private let registry = PrometheusRegistry()
    private let clock = TestClock()

    private func recorder(share: Double) -> TraceRecorder {
        TraceRecorder(share: share, clock: clock, queue: SpanQueue(metrics: TraceMetrics(factory: registry)))
    }

    /// The members of a span in the body of a request.
    private struct Exported: Decodable {
        struct Value: Decodable {
            var stringValue: String?
            var intValue: String?
        }
        struct Attribute: Decodable {
            var key: String
            var value: Value
        }
        struct Status: Decodable { var code: Int }

        var traceId: String
        var spanId: String
        var parentSpanId: String?
        var name: String
        var kind: Int
        var startTimeUnixNano: String
        var endTimeUnixNano: String
        var attributes: [Attribute]
        var status: Status?

        subscript(name: String) -> String? {
            attributes.first { $0.key == name }.flatMap { $0.value.stringValue ?? $0.value.intValue }
        }
    }

    private struct Body: Decodable {
        struct Resource: Decodable { var scopeSpans: [Scope] }
        struct Scope: Decodable { var spans: [Exported] }

        var resourceSpans: [Resource]
    }

    private func exported(_ recorder: TraceRecorder) throws -> [Exported] {
        let body = OTLPTraces.body(recorder.queue.take(atMost: 100), version: "1.2", instance: "i")
        let parsed = try JSONDecoder().decode(Body.self, from: Data(body))
        return try #require(parsed.resourceSpans.first?.scopeSpans.first).spans
    }

    @Test("a traceparent is read and written as W3C Trace Context says")
    func traceParent() throws {
        let read = try #require(SpanIdentity(traceParent: Self.header))
        #expect(read.isSampled && read.traceParent == Self.header)
        #expect(try #require(SpanIdentity(traceParent: Self.unsampled)).traceParent == Self.unsampled)
        // A later version may have more members; only the last bit of the flags is known.
        let later = try #require(SpanIdentity(traceParent: "cc\(Self.header.dropFirst(2).dropLast(2))03-more"))
        #expect(later.traceText == read.traceText && later.spanText == read.spanText && later.isSampled)
    }

    @Test(
        "a malformed traceparent is ignored",
        arguments: [
            "", "00", "ff\(header.dropFirst(2))", "\(header)-more", "0\(header)", header.uppercased(),
            header.replacingOccurrences(of: "0af7", with: "+af7"),
            "00-\(String(repeating: "0", count: 32))\(header.dropFirst(35))",
            header.replacingOccurrences(of: "b7ad6b7169203331", with: "0000000000000000"), String(header.dropLast()),
        ]
    )
    func malformed(text: String) {
        #expect(SpanIdentity(traceParent: text) == nil)
        #expect(recorder(share: 0).startRequest(traceParent: text) == nil)
    }

    @Test("the caller's traceparent decides, and without one the share")
    func sampling() throws {
        #expect(recorder(share: 0).startRequest(traceParent: nil) == nil)
        #expect(recorder(share: 1).startRequest(traceParent: Self.unsampled) == nil)
        let asked = try #require(recorder(share: 0).startRequest(traceParent: Self.header))
        #expect(asked.isAskedFor && asked.identity.traceText == "0af7651916cd43dd8448eb211c80319c")
        #expect(asked.identity.spanText != "b7ad6b7169203331")
        let own = try #require(recorder(share: 1).startRequest(traceParent: nil))
        #expect(!own.isAskedFor && own.isRecording)
        let some = recorder(share: 0.5)
        let taken = (0..<1000).count { _ in some.startRequest(traceParent: nil) != nil }
        #expect((300...700).contains(taken))
    }

    @Test("request, storing and push are one trace, with times, kinds and attributes as OTLP writes them")
    func export() throws {
        let recorder = recorder(share: 1)
        let request = try #require(recorder.startRequest(traceParent: Self.header))
        clock.advance(milliseconds: 2)
        let storing = request.startStoring()
        clock.advance(milliseconds: 3)
        storing.finishStoring(brand: BrandID(trusted: "acme"), events: 1, message: nil, isStored: true)
        let message = try #require(MessageID("01890a5d-ac96-774b-bcce-b302099a8057"))
        let response = PushResponse(
            outcome: .rejected(token: .keep),
            status: 400,
            reason: "<a text of the provider's own>",
            badge: nil,
            sentAt: clock.now,
            latencyMilliseconds: 7
        )
        let lane = LaneKey(
            brand: BrandID(trusted: "acme"),
            app: AppID(trusted: "ios"),
            pushType: .apns,
            environment: .sandbox
        )
        recorder.recordPush(
            response,
            delivery: DeliveryID(41),
            message: message,
            attempt: 2,
            lane: lane,
            parent: storing.identity
        )
        request.finishRequest(
            method: "POST",
            route: "/v1/brands/{brand}/events",
            status: 503,
            brand: BrandID(trusted: "acme"),
            requestID: "r-1",
            errorCode: "overloaded"
        )
        // Once only.
        request.end()
        let spans = try exported(recorder)
        try #require(spans.count == 3)
        let (stored, push, whole) = (spans[0], spans[1], spans[2])
        #expect(spans.allSatisfy { $0.traceId == "0af7651916cd43dd8448eb211c80319c" })
        #expect(Set(spans.map(\.spanId)).count == 3 && spans.allSatisfy { $0.spanId.utf8.count == 16 })
        #expect(whole.parentSpanId == "b7ad6b7169203331" && stored.parentSpanId == whole.spanId)
        #expect(push.parentSpanId == stored.spanId)
        #expect(spans.map(\.kind) == [1, 3, 2])
        #expect(whole.startTimeUnixNano == "1767323045678000000" && whole.endTimeUnixNano == "1767323045683000000")
        #expect(stored.startTimeUnixNano == "1767323045680000000" && stored.endTimeUnixNano == "1767323045683000000")
        #expect(push.startTimeUnixNano == "1767323045683000000" && push.endTimeUnixNano == "1767323045690000000")
        #expect(stored.status == nil && push.status?.code == 2 && whole.status?.code == 2)
        #expect(whole.name == "POST /v1/brands/{brand}/events" && whole["error.type"] == "overloaded")
        #expect(whole["http.response.status_code"] == "503" && whole["switchboard.request.id"] == "r-1")
        #expect(push["switchboard.message.id"] == "\(message)" && push["switchboard.delivery.id"] == "41")
        #expect(push["switchboard.attempt"] == "2" && push["error.type"] == "other")
        #expect(stored["switchboard.events"] == "1" && stored["switchboard.message.id"] == nil)
    }

    private struct Fields: Extractor, Injector {
        func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }

        func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
            carrier[key] = value
        }
    }

    @Test("as a tracer of swift-distributed-tracing it starts, passes on and ends spans")
    func tracer() throws {
        let recorder = recorder(share: 0)
        var context = InstrumentationContext.topLevel
        recorder.extract(["traceparent": Self.header], into: &context, using: Fields())
        let outer = recorder.startSpan("outer", context: context)
        outer.attributes["count"] = 3
        outer.setStatus(SpanStatus(code: .error))
        var fields: [String: String] = [:]
        recorder.inject(outer.context, into: &fields, using: Fields())
        #expect(fields == ["traceparent": outer.identity.traceParent])
        outer.end(at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: 0))
        recorder.startSpan("not sampled", context: .topLevel).end()
        let spans = try exported(recorder)
        #expect(spans.map(\.name) == ["outer"] && spans[0].parentSpanId == "b7ad6b7169203331")
        // It does not end before it began.
        #expect(spans[0].endTimeUnixNano == spans[0].startTimeUnixNano)
        #expect(spans[0]["count"] == "3" && spans[0].status?.code == 2)
    }

    @Test("a brand has a share of the queue; what finds no room is dropped and counted")
    func bounded() throws {
        let recorder = recorder(share: 1)
        func span(_ brand: String) throws {
            let span = try #require(recorder.startRequest(traceParent: nil))
            span.finishRequest(
                method: "GET",
                route: "/",
                status: 200,
                brand: BrandID(trusted: brand),
                requestID: "",
                errorCode: nil
            )
        }
        for _ in 0..<SpanQueue.capacityPerBrand + 3 { try span("acme") }
        try span("other")
        #expect(registry.render().contains("switchboard_trace_spans_total{result=\"dropped\"} 3\n"))
        #expect(recorder.queue.take(atMost: 10).count == 10)
        #expect(recorder.queue.take(atMost: .max).count == SpanQueue.capacityPerBrand - 9)
        #expect(recorder.queue.take(atMost: 10).isEmpty)
        // The share is free again.
        try span("acme")
        #expect(recorder.queue.take(atMost: 10).count == 1)
    }
}

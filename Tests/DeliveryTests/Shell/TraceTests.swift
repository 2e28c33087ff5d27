import GatewayModel
import GatewayStorage
import Metrics
import Telemetry
import Testing

@testable import Delivery

@Suite("Traces of deliveries", .timeLimit(.minutes(10)))
struct TraceTests {
    private static func identity() throws -> SpanIdentity {
        try #require(SpanIdentity(traceParent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"))
    }

    private static func message(_ number: Int) -> MessageID { MessageID(high: 1, low: UInt64(number)) }

    @Test("an event with a span is stored and pushed in its trace, one without has none")
    func trace() async throws {
        let queue = SpanQueue(metrics: TraceMetrics(factory: NOOPMetricsHandler.instance))
        let tracer = TraceRecorder(share: 1, clock: SystemClock(), queue: queue)
        let core = try TestCore()
        try await core.run(tracer: tracer) { service, _ in
            _ = try await service.perform(.register(TestCore.device("d1")))
            _ = try await service.accept(brand: TestCore.brand, events: [TestCore.event("e1")])
            _ = await core.provider().taken(1)
            let span = tracer.startRequest(traceParent: nil)
            _ = try await service.accept(brand: TestCore.brand, events: [TestCore.event("e2")], trace: span)
            _ = await core.provider().taken(2)
        }
        // The storing and the push of the second event; the request is the caller's to end.
        #expect(queue.take(atMost: 10).count == 2)
    }

    @Test("traced messages are bounded, for each brand and for all; the oldest are forgotten")
    func bounded() throws {
        var traced = TracedMessages()
        let trace = try Self.identity()
        let (first, other) = (BrandID(trusted: "first"), BrandID(trusted: "other"))
        let limit = TracedMessages.capacityPerBrand
        for number in 0..<limit + 2 { traced.add(Self.message(number), of: first, trace) }
        #expect(traced[Self.message(1)] == nil && traced[Self.message(2)] == trace)
        let rest = 10_000..<10_000 + TracedMessages.capacity - limit
        for number in rest { traced.add(Self.message(number), of: other, trace) }
        #expect(traced[Self.message(2)] == trace && traced[Self.message(10_000)] == trace)
        // All room is used: a third brand takes it from one that has most.
        traced.add(Self.message(20_000), of: BrandID(trusted: "third"), trace)
        #expect(traced[Self.message(20_000)] == trace)
        #expect((traced[Self.message(2)] == nil) != (traced[Self.message(10_000)] == nil))
        #expect(traced[Self.message(3)] == trace && traced[Self.message(10_001)] == trace)
    }
}

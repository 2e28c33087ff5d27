package import GatewayModel
package import Tracing

/// Records spans of a share of the requests, and puts those that have ended into a queue for the exporter.
///
/// A tracer of swift-distributed-tracing, passed to those that use it; it is not the process's tracer, because the
/// HTTP client would then record the exporter's own requests. Usable from any thread.
package final class TraceRecorder: Tracer {
    /// The type of its spans.
    package typealias Span = RecordedSpan

    /// The header field of W3C Trace Context.
    private static let field = "traceparent"

    /// The spans that have ended.
    package let queue: SpanQueue
    let clock: any GatewayClock
    private let share: Double

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - share: The share of traces without a parent that are recorded, 0 to 1.
    ///   - clock: The clock; its times must fit those of pushes.
    ///   - queue: The queue of spans that have ended.
    package init(share: Double, clock: any GatewayClock, queue: SpanQueue) {
        self.share = share
        self.clock = clock
        self.queue = queue
    }

    /// The time on the wall clock.
    var now: DefaultTracerClock.Timestamp { Self.instant(clock.now) }

    static func instant(_ time: Timestamp) -> DefaultTracerClock.Timestamp {
        DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: UInt64(max(time.milliseconds, 0)) &* 1_000_000)
    }

    /// Starts a span: of its parent's trace if the context has one, and recorded if the parent is; else of a new trace,
    /// of which the share is recorded.
    package func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> InstrumentationContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> RecordedSpan {
        let context = context()
        let parent = context[SpanIdentity.Key.self]
        let identity = parent.map(SpanIdentity.init(parent:)) ?? SpanIdentity(isSampled: isInShare())
        let start = instant().nanosecondsSinceEpoch
        let record = SpanRecord(identity, of: parent, kind, operationName, from: start, to: start)
        return RecordedSpan(record, context: context, recorder: self, startedAt: clock.monotonicNanoseconds)
    }

    func isInShare() -> Bool { share > 0 && (share >= 1 || Double.random(in: 0..<1) < share) }

    /// Does nothing: the exporter sends every second.
    package func forceFlush() {}

    /// Reads the parent of `traceparent`.
    package func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout InstrumentationContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {
        let parent = extractor.extract(key: Self.field, from: carrier).flatMap(SpanIdentity.init(traceParent:))
        context[SpanIdentity.Key.self] = parent
    }

    /// Writes `traceparent`, with the span of the context as the parent.
    package func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let identity = context[SpanIdentity.Key.self] else { return }
        injector.inject(identity.traceParent, forKey: Self.field, into: &carrier)
    }
}

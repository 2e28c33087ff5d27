import GatewayModel
import Synchronization
package import Tracing

/// A span of ``TraceRecorder``; when it ends, it is queued for the exporter if its trace is recorded.
///
/// Usable from any thread. Events, links and texts of errors are not kept.
package final class RecordedSpan: Tracing.Span {
    /// The context of child spans.
    package let context: InstrumentationContext
    /// The ids of the span.
    package let identity: SpanIdentity
    let recorder: TraceRecorder
    /// The start on the monotonic clock.
    private let startedAt: UInt64
    private let state: Mutex<State>

    private struct State {
        var record: SpanRecord
        var isEnded = false
    }

    init(_ record: SpanRecord, context: InstrumentationContext, recorder: TraceRecorder, startedAt: UInt64) {
        identity = record.identity
        var context = context
        context[SpanIdentity.Key.self] = record.identity
        self.context = context
        self.recorder = recorder
        self.startedAt = startedAt
        state = Mutex(State(record: record))
    }

    /// Whether the caller's `traceparent` asked for the record.
    package var isAskedFor: Bool { state.withLock { $0.record.parent?.isSampled ?? false } }

    /// Whether the span is exported when it ends.
    package var isRecording: Bool { identity.isSampled && state.withLock { !$0.isEnded } }

    /// The name of the operation.
    package var operationName: String {
        get { state.withLock { $0.record.name } }
        set { state.withLock { $0.record.name = newValue } }
    }

    /// The attributes.
    package var attributes: SpanAttributes {
        get { state.withLock { $0.record.attributes } }
        set { state.withLock { $0.record.attributes = newValue } }
    }

    /// Sets whether the operation failed.
    package func setStatus(_ status: SpanStatus) { state.withLock { $0.record.isError = status.code == .error } }

    /// Notes that the operation failed.
    package func recordError<Instant: TracerInstant>(
        _ error: any Error,
        attributes: SpanAttributes,
        at instant: @autoclosure () -> Instant
    ) { setStatus(SpanStatus(code: .error)) }

    /// Does nothing.
    package func addEvent(_ event: SpanEvent) {}

    /// Does nothing.
    package func addLink(_ link: SpanLink) {}

    /// Ends the span, once; later calls do nothing.
    package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        end(atNanoseconds: instant().nanosecondsSinceEpoch) { _ in }
    }

    /// Ends the span now, by the monotonic clock, after a last change of its record.
    func finish(_ change: (inout SpanRecord) -> Void) {
        let passed = recorder.clock.monotonicNanoseconds &- startedAt
        end(atNanoseconds: nil, after: passed, change)
    }

    private func end(
        atNanoseconds instant: UInt64?,
        after passed: UInt64 = 0,
        _ change: (inout SpanRecord) -> Void
    ) {
        let record: SpanRecord? = state.withLock { state in
            guard !state.isEnded else { return nil }
            state.isEnded = true
            change(&state.record)
            state.record.end = max(instant ?? state.record.start &+ passed, state.record.start)
            return state.record
        }
        if let record, identity.isSampled { recorder.queue.add(record) }
    }
}

import FairSharing
import Metrics
import Synchronization

/// The spans that wait for the exporter, with a fair share for each brand; usable from any thread.
///
/// A span for which there is no room is dropped and counted.
package final class SpanQueue: Sendable {
    /// The maximum of spans that wait; a brand that has one already gets none of the last half.
    package static let capacity = 8192
    /// The maximum of spans of one brand that wait.
    package static let capacityPerBrand = 2048

    private struct State {
        var spans: [SpanRecord] = []
        var slots = FairSlots<String>(
            capacity: SpanQueue.capacity,
            capacityPerOwner: SpanQueue.capacityPerBrand
        )
    }

    private let state = Mutex(State())
    private let metrics: TraceMetrics

    /// Creates an empty queue.
    package init(metrics: TraceMetrics) { self.metrics = metrics }

    func add(_ span: SpanRecord) {
        let isTaken = state.withLock { state in
            guard state.slots.take(span.owner) else { return false }
            state.spans.append(span)
            return true
        }
        if !isTaken { metrics.spans[.dropped].increment() }
    }

    /// Removes spans that wait, and returns them, the oldest first.
    package func take(atMost limit: Int) -> [SpanRecord] {
        state.withLock { state in
            let spans = Array(state.spans.prefix(limit))
            state.spans.removeFirst(spans.count)
            for span in spans { state.slots.release(span.owner) }
            return spans
        }
    }
}

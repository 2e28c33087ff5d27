import GatewayModel
import GatewayStorage
import PushProviders
import Synchronization
import Telemetry

/// The spans of recorded traces.
extension DeliveryService {
    /// Remembers which messages a turn has stored for a trace: their pushes belong to it.
    func rememberTraces(of commit: WriterCommit, _ result: WriterTurnResult) {
        for (trace, (request, events)) in zip(commit.traces, zip(commit.turn.accepts, result.accepts)) {
            guard let trace else { continue }
            let messages = events.compactMap { $0.deliveries > 0 ? $0.stored?.messageID : nil }
            traced.withLock { traced in
                for message in messages.prefix(TracedMessages.capacityPerPiece) {
                    traced.add(message, of: request.brand, trace)
                }
            }
        }
    }

    /// Records the span of each response whose message is known; returns its trace for each response.
    func recordAttempts(
        _ attempts: [(message: MessageID, number: Int)?],
        of results: [PushResult],
        on lane: LaneKey
    ) -> [SpanIdentity?] {
        let traces = traced.withLock { traced in attempts.map { $0.flatMap { traced[$0.message] } } }
        for (result, (attempt, trace)) in zip(results, zip(attempts, traces)) {
            guard let attempt, let trace else { continue }
            tracer?.recordPush(
                result.response,
                delivery: result.delivery,
                message: attempt.message,
                attempt: attempt.number,
                lane: lane,
                parent: trace
            )
        }
        return traces
    }
}

extension EventResult {
    /// The event, if this request has stored it.
    fileprivate var stored: AcceptedEvent? { if case .accepted(let event) = self { event } else { nil } }
}

extension RecordedSpan {
    /// Ends the span of storing events, with their result.
    func finishStoring(_ result: Result<[IntakeResult], IntakeError>, brand: BrandID, events: Int) {
        let decided = try? result.get()
        var message: MessageID?
        if events == 1, case .decided(let event) = decided?.first { message = event.stored?.messageID }
        let isStored = decided?.allSatisfy { if case .decided = $0 { true } else { false } } ?? false
        finishStoring(brand: brand, events: events, message: message, isStored: isStored)
    }
}

import GatewayModel
import GatewayStorage
import Logging
import PushProviders
import Synchronization
import Telemetry

/// Log lines about single deliveries, at level `debug`: ids, never texts or tokens.
///
/// At other levels a batch costs one comparison.
extension DeliveryService {
    private var logsDeliveries: Bool { logger.logLevel <= .debug }

    /// Logs the events that a turn has stored, each with the number of its deliveries.
    func logAccepts(_ result: WriterTurnResult, of turn: WriterTurn) {
        guard logsDeliveries else { return }
        for (request, events) in zip(turn.accepts, result.accepts) {
            for case .accepted(let event) in events {
                var metadata: Logger.Metadata = [
                    LogKey.brand: "\(request.brand)", LogKey.count: "\(event.deliveries)",
                ]
                metadata[LogKey.message] = event.messageID.map { "\($0)" }
                logger.debug("an event was accepted", metadata: metadata)
            }
        }
    }

    /// Logs that pushes are handed to their provider.
    func logLeaving(_ pushes: ArraySlice<PushJob>, of lane: LaneKey) {
        guard logsDeliveries else { return }
        for push in pushes { logger.debug("a push leaves", metadata: Self.ids(push.delivery, push.message?.id, lane)) }
    }

    /// Logs responses of a provider; call it before the state machine receives them.
    func logResponses(_ results: [PushResult], of lane: LaneKey) {
        guard logsDeliveries else { return }
        let messages = state.withLock { state in
            results.map { state.writer.delivery.message(of: $0.delivery) }
        }
        for (result, message) in zip(results, messages) {
            var metadata = Self.ids(result.delivery, message, lane)
            metadata[LogKey.outcome] = "\(OutcomeLabel(result.response.outcome).rawValue)"
            metadata[LogKey.providerStatus] = "\(result.response.status)"
            metadata[LogKey.reason] = result.response.reason.map { "\($0)" }
            metadata[LogKey.milliseconds] = "\(result.response.latencyMilliseconds)"
            logger.debug("a provider has responded to a push", metadata: metadata)
        }
    }

    /// Logs which deliveries of a stored turn ended without a push, because they expired or were withdrawn.
    func logEnds(of turn: WriterTurn) {
        guard logsDeliveries else { return }
        for outcome in turn.outcomes where outcome.response == nil {
            guard case .finished(let end, _) = outcome.disposition else { continue }
            logger.debug(
                "a delivery ended without a push",
                metadata: [LogKey.delivery: "\(outcome.delivery)", LogKey.outcome: "\(end.rawValue)"]
            )
        }
    }

    private static func ids(_ delivery: DeliveryID, _ message: MessageID?, _ lane: LaneKey) -> Logger.Metadata {
        var metadata: Logger.Metadata = [LogKey.delivery: "\(delivery)", LogKey.laneName: "\(lane)"]
        metadata[LogKey.message] = message.map { "\($0)" }
        return metadata
    }
}

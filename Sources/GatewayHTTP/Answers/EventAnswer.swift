internal import Delivery
internal import GatewayModel
internal import GatewayStorage
internal import PushPayloads

/// Writes the answer of the events route (`http-api.md` section 3).
enum EventAnswer {
    /// Why an event was not stored; nil when it was, now or before.
    static func problem(of result: IntakeResult) -> Problem? {
        switch result {
        case .decided(.accepted), .decided(.duplicate): nil
        case .decided(.rejected(let rejection)): Problem(rejection)
        case .failed(let error): Problem(error)
        }
    }

    /// Writes the whole answer; `results` follow the batch's events.
    static func write(_ batch: EventBatch, _ results: [IntakeResult], requestID: String) -> JSONWriter {
        var writer = JSONWriter(capacity: 96 + batch.count * 224)
        var accepted: Int64 = 0
        var duplicates: Int64 = 0
        for result in results {
            switch result {
            case .decided(.accepted): accepted += 1
            case .decided(.duplicate): duplicates += 1
            case .decided(.rejected), .failed: break
            }
        }
        writer.literal(#"{"accepted":"#)
        writer.integer(accepted)
        writer.literal(#","duplicates":"#)
        writer.integer(duplicates)
        writer.literal(#","rejected":"#)
        writer.integer(Int64(batch.count) - accepted - duplicates)
        writer.literal(#","results":["#)
        var nextEvent = 0
        var nextRefused = 0
        for index in 0..<batch.count {
            if index > 0 { writer.literal(",") }
            if nextRefused < batch.refused.count, batch.refused[nextRefused].index == index {
                let refused = batch.refused[nextRefused]
                writeRejected(refused.id, refused.problem, &writer, requestID)
                nextRefused += 1
            } else {
                // By its members: the whole event would be copied.
                let id = batch.events[nextEvent].id.rawValue
                let isClamped = batch.events[nextEvent].clampedTime
                write(id, isClamped: isClamped, results[nextEvent], &writer, requestID)
                nextEvent += 1
            }
        }
        writer.literal("]}")
        return writer
    }

    private static func write(
        _ id: String,
        isClamped: Bool,
        _ result: IntakeResult,
        _ writer: inout JSONWriter,
        _ requestID: String
    ) {
        switch result {
        case .decided(.accepted(let stored)):
            writer.literal(#"{"id":"#)
            writer.string(id)
            writer.literal(#","status":"accepted""#)
            write(stored, &writer)
            if isClamped { writer.literal(#","warnings":["clamped_time"]"#) }
        case .decided(.duplicate(let stored, let bodyDiffers)):
            writer.literal(#"{"id":"#)
            writer.string(id)
            writer.literal(#","status":"duplicate""#)
            write(stored, &writer)
            if bodyDiffers { writer.literal(#","warnings":["body_differs"]"#) }
        case .decided(.rejected(let rejection)):
            return writeRejected(id, Problem(rejection), &writer, requestID)
        case .failed(let error):
            return writeRejected(id, Problem(error), &writer, requestID)
        }
        writer.literal("}")
    }

    private static func write(_ stored: AcceptedEvent, _ writer: inout JSONWriter) {
        writer.literal(#","messageId":"#)
        writer.identifier(orNull: stored.messageID)
        writer.literal(#","conversation":"#)
        writer.string(orNull: stored.conversation?.rawValue)
        writer.literal(#","sequence":"#)
        writer.integer(orNull: stored.sequence)
        writer.literal(#","unread":"#)
        writer.integer(stored.unread)
        writer.literal(#","deliveries":"#)
        writer.integer(Int64(stored.deliveries))
    }

    private static func writeRejected(
        _ id: String?,
        _ problem: Problem,
        _ writer: inout JSONWriter,
        _ requestID: String
    ) {
        writer.literal(#"{"id":"#)
        writer.string(orNull: id)
        writer.literal(
            #","status":"rejected","messageId":null,"conversation":null,"sequence":null,"unread":null,"deliveries":null,"#
        )
        writer.literal(#""problem":"#)
        problem.write(to: &writer, requestID: requestID)
        writer.literal("}")
    }
}

internal import Delivery
internal import GatewayModel
internal import GatewayStorage
internal import NIOCore
internal import TextFormats

/// Writes the response of the events route (SendingMessages page), piece by piece: of finished pieces it keeps only the
/// text.
struct EventsResponse {
    private let requestID: String
    /// The results, in the order of the request.
    private var writer = JSONWriter(capacity: 256)
    private var accepted = 0
    private var duplicates = 0
    private var rejected = 0

    /// The reason for which an event was not stored; nil when it was stored, now or before.
    static func problem(of result: IntakeResult) -> Problem? {
        switch result {
        case .decided(.accepted), .decided(.duplicate): nil
        case .decided(.rejected(let rejection)): Problem(rejection)
        case .failed(let error): Problem(error)
        }
    }

    /// Starts an empty response.
    init(requestID: String) { self.requestID = requestID }

    /// Appends the results of a piece of the request.
    ///
    /// - Parameters:
    ///   - piece: The piece.
    ///   - results: One for each of its valid events.
    ///   - isBatch: Whether the request is a batch, whose events are rejected one by one.
    /// - Throws: The reason for which the only event of another request was not stored.
    mutating func append(_ piece: EventBatch, _ results: [IntakeResult], isBatch: Bool) throws(Problem) {
        if !isBatch, let problem = results.first.flatMap(Self.problem) { throw problem }
        for result in results {
            switch result {
            case .decided(.accepted): accepted += 1
            case .decided(.duplicate): duplicates += 1
            case .decided(.rejected), .failed: rejected += 1
            }
        }
        rejected += piece.refused.count
        var nextEvent = 0
        var nextRefused = 0
        for index in 0..<piece.count {
            if !writer.bytes.isEmpty { writer.literal(",") }
            if nextRefused < piece.refused.count, piece.refused[nextRefused].index == index {
                let refused = piece.refused[nextRefused]
                Self.writeRejected(refused.id, refused.problem, &writer, requestID)
                nextRefused += 1
            } else {
                // Member by member: otherwise the whole event would be copied.
                let id = piece.events[nextEvent].id.rawValue
                let isClamped = piece.events[nextEvent].clampedTime
                Self.write(id, isClamped: isClamped, results[nextEvent], &writer, requestID)
                nextEvent += 1
            }
        }
    }

    /// The complete response.
    var body: ByteBuffer {
        var head = JSONWriter(capacity: 96)
        head.literal(#"{"accepted":"#)
        head.integer(Int64(accepted))
        head.member("duplicates", Int64(duplicates))
        head.member("rejected", Int64(rejected))
        head.literal(#","results":["#)
        var body = ByteBuffer()
        body.reserveCapacity(head.bytes.count + writer.bytes.count + 2)
        body.writeBytes(head.bytes)
        body.writeBytes(writer.bytes)
        body.writeStaticString("]}")
        return body
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
            writeWarnings(isClamped: isClamped, bodyDiffers: false, &writer)
        case .decided(.duplicate(let stored, let bodyDiffers)):
            writer.literal(#"{"id":"#)
            writer.string(id)
            writer.literal(#","status":"duplicate""#)
            write(stored, &writer)
            writeWarnings(isClamped: isClamped, bodyDiffers: bodyDiffers, &writer)
        case .decided(.rejected(let rejection)):
            return writeRejected(id, Problem(rejection), &writer, requestID)
        case .failed(let error):
            return writeRejected(id, Problem(error), &writer, requestID)
        }
        writer.literal("}")
    }

    private static func writeWarnings(isClamped: Bool, bodyDiffers: Bool, _ writer: inout JSONWriter) {
        guard isClamped || bodyDiffers else { return }
        writer.literal(#","warnings":["#)
        if isClamped { writer.literal(#""clamped_time""#) }
        if isClamped && bodyDiffers { writer.literal(",") }
        if bodyDiffers { writer.literal(#""body_differs""#) }
        writer.literal("]")
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

internal import Delivery
internal import GatewayModel
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The events route (`http-api.md` section 3).
enum EventRoutes {
    /// The longest body.
    static let maxBatchBytes = 16 << 20

    static func add(to routes: inout RouteTable) {
        routes.on(.post, "/v1/brands/:brand/events") { try await post($0) }
    }

    private static func post(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.eventsWrite)
        let contentType = call.request.headers[.contentType] ?? "application/json"
        guard let format = EventFormat(contentType: contentType) else {
            throw Problem(.unsupportedMediaType, "The body must be application/json or application/x-ndjson.")
        }
        let body = try await call.body { start in
            // One event is short; only an array or lines may be long, and the first byte tells.
            guard let start, format == .json else { return maxBatchBytes }
            let first = start.first { !EventText.isSpace($0) }
            return first == UInt8(ascii: "[") || first == nil ? maxBatchBytes : Call.maxBodyBytes
        }
        let batch = try read(body, format, call)
        guard batch.isBatch || batch.refused.isEmpty else { throw batch.refused[0].problem }
        let results = try await accept(batch, brand, call)
        if !batch.isBatch, let problem = EventAnswer.problem(of: results[0]) { throw problem }
        return Answer.json(.accepted, EventAnswer.write(batch, results, requestID: call.requestID))
    }

    private static func read(_ body: ByteBuffer, _ format: EventFormat, _ call: Call) throws -> EventBatch {
        let now = call.services.clock.now
        return try body.withUnsafeReadableBytes { raw in
            try call.services.events.read(
                raw.bindMemory(to: UInt8.self),
                // What the buffer has allocated behind its text may be read, whatever stands there.
                readable: raw.count + body.writableBytes,
                format: format,
                now: now
            )
        }
    }

    private static func accept(_ batch: EventBatch, _ brand: Brand, _ call: Call) async throws(Problem)
        -> [IntakeResult]
    {
        guard !batch.events.isEmpty else { return [] }
        do {
            return try await call.services.delivery.accept(brand: brand, events: batch.events)
        } catch { throw Problem(error) }
    }
}

internal import GatewayModel
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The events route (SendingMessages page).
enum EventRoutes {
    /// The path, with the names of its parameters.
    static let path = "/v1/brands/:brand/events"
    /// The maximum length of the body, packed or not.
    static let maxBatchBytes = 16 << 20

    static func add(to routes: inout RouteTable) {
        routes.on(.post, path, takesGzip: true) { try await post($0) }
    }

    private static func post(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.eventsWrite)
        guard let format = EventFormat(call.request.headers) else {
            throw Problem(.unsupportedMediaType, EventFormat.rejection)
        }
        let body = try await call.body { start in
            // A single event is short; only an array or lines may be long, and the first byte shows which it is.
            format.isBatch(first: start?.first { !EventText.isSpace($0) }) ? maxBatchBytes : Call.maxBodyBytes
        }
        var pieces = try call.services.events.open(body, format: format, now: call.services.clock.now)
        var intake = EventIntake(call, brand: brand)
        var response = EventsResponse(requestID: call.requestID)
        while let piece = try pieces.next() {
            guard pieces.isBatch || piece.refused.isEmpty else { throw piece.refused[0].problem }
            let results = try await intake.take(piece.events)
            try response.append(piece, results, isBatch: pieces.isBatch)
        }
        return ResponseFactory.json(.accepted, response.body)
    }

    /// Returns the events of a body that is one piece; nil for other requests.
    static func submission(_ call: Call, _ body: ByteBuffer) throws(Problem) -> EventSubmission? {
        guard let (caller, brand) = call.knownBackend(.eventsWrite), let format = EventFormat(call.request.headers)
        else { return nil }
        var pieces = try call.services.events.open(body, format: format, now: call.services.clock.now)
        let isBatch = pieces.isBatch
        // An empty array has no piece.
        guard let piece = try pieces.next() else {
            return EventSubmission(caller: caller, brand: brand, EventBatch(), isBatch: isBatch)
        }
        guard isBatch || piece.refused.isEmpty, try pieces.next() == nil else { return nil }
        return EventSubmission(caller: caller, brand: brand, piece, isBatch: isBatch)
    }
}

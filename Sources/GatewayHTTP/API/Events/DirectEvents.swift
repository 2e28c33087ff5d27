internal import Delivery
internal import GatewayModel
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TextFormats

/// The events route on the event loop of a connection, without the router and without a task (SendingMessages page).
///
/// It handles the usual request: all of it has arrived, its caller is known without a look into the store, and its
/// events are one valid piece. It leaves every other one to the router before it counts anything of it, so that each
/// error has one place. The responses are the same.
struct DirectEvents: Sendable {
    /// The head and the body of a response.
    typealias Reply = (head: HTTPResponse, body: ByteBuffer)

    /// The maximum length of a body: a long one would hold up the other connections of the event loop.
    static let maxBodyBytes = 32_768

    private static let route = RouterPath(EventRoutes.path).description
    private static let (prefix, suffix) = ("/v1/brands/", "/events")
    /// The header fields of requests for the router; ``takes(_:)`` knows the exception.
    private static let otherFields: Set<HTTPField.Name> = [
        .connection, .contentEncoding, .expect, .host, .origin, .upgrade,
    ]

    let gate: RequestGate
    let responses: ResponseMiddleware

    /// Whether a request may be handled here, as far as its head tells.
    ///
    /// - Parameter head: The head, which ``RequestHeadRules`` allow.
    /// - Returns: False for a request that the router must handle.
    static func takes(_ head: HTTPRequest) -> Bool {
        guard head.method == .post, brand(of: head) != nil, head.authority != nil else { return false }
        return head.headerFields.allSatisfy {
            !otherFields.contains($0.name) || $0.name == .connection && $0.value.isWord("keep-alive")
        }
    }

    /// The segment of the path that names the brand, which needs no decoding; nil for another path.
    private static func brand(of head: HTTPRequest) -> Substring? {
        guard let path = head.path, path.hasBytePrefix(prefix), path.hasByteSuffix(suffix) else { return nil }
        let brand = Substring(path.utf8.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count))
        return BrandID.isValid(String(brand)) ? brand : nil
    }

    /// Handles a request; call it on the event loop of its connection.
    ///
    /// - Parameters:
    ///   - head: The head, which ``takes(_:)`` allows.
    ///   - body: The whole body.
    ///   - channel: The connection.
    ///   - completion: Called once with the response, on the event loop, after the return.
    /// - Returns: False for a request that the router must handle; then nothing of it was counted.
    func respond(
        to head: HTTPRequest,
        _ body: ByteBuffer,
        on channel: any Channel,
        completion: @escaping @Sendable (Reply) -> Void
    ) -> Bool {
        guard body.readableBytes <= Self.maxBodyBytes, let name = Self.brand(of: head) else { return false }
        let services = gate.shared.services
        let start = services.clock.monotonicNanoseconds
        let source = ApplicationRequestContextSource(channel: channel, logger: services.logger)
        var context = GatewayContext(source: source)
        context.requestID = RequestID(header: head.headerFields.value(.xRequestID)).text
        context.coreContext.endpointPath.value = Self.route
        context.coreContext.parameters["brand"] = name
        // Its bytes are not kept while its events are stored.
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        let address = gate.address(of: request, context)
        guard let slot = gate.slots.enterIfFree(address) else { return false }
        let arriving = IncomingBody(request, budget: gate.budget)
        arriving.belongs(to: address)
        let call = gate.call(request, arriving, context, slot: slot)
        guard let (caller, brand) = call.knownBackend(.eventsWrite), let (piece, isBatch) = onlyPiece(of: call, body)
        else {
            slot.release()
            return false
        }
        let finish: @Sendable (Result<[IntakeResult], Problem>) -> Void = { result in
            channel.eventLoop.execute { completion(response(to: call, since: start, piece, isBatch: isBatch, result)) }
        }
        do throws(Problem) {
            try call.admit(caller, in: brand.id)
            try arriving.reserve(body.readableBytes)
            EventIntake(delivery: services.delivery, brand: brand).take(piece.events, completion: finish)
        } catch {
            finish(.failure(error))
        }
        return true
    }

    /// Returns the events of a body that is one piece, and whether it is a batch; nil for a body with an error or more
    /// pieces.
    private func onlyPiece(of call: Call, _ body: ByteBuffer) -> (EventBatch, isBatch: Bool)? {
        let services = call.services
        guard let format = EventFormat(call.request.headers),
            var pieces = try? services.events.open(body, format: format, now: services.clock.now)
        else { return nil }
        do throws(Problem) {
            // An empty array has no piece.
            guard let piece = try pieces.next() else { return (EventBatch(), pieces.isBatch) }
            guard pieces.isBatch || piece.refused.isEmpty, try pieces.next() == nil else { return nil }
            return (piece, pieces.isBatch)
        } catch { return nil }
    }

    private func response(
        to call: Call,
        since start: UInt64,
        _ piece: EventBatch,
        isBatch: Bool,
        _ result: Result<[IntakeResult], Problem>
    ) -> Reply {
        call.arriving.end()
        call.slot?.release()
        var reply: (response: Response, body: ByteBuffer, code: ProblemCode?)
        do throws(Problem) {
            var results = EventsResponse(requestID: call.requestID)
            try results.append(piece, try result.get(), isBatch: isBatch)
            let body = results.body
            reply = (ResponseFactory.json(.accepted, body), body, nil)
        } catch {
            let (head, body) = error.message(requestID: call.requestID)
            reply = (Response(status: head.status, headers: head.headerFields), body, error.code)
        }
        responses.complete(&reply.response, to: call.request, call.context, route: Self.route, since: start, reply.code)
        reply.response.headers[.date] = HTTPDate.now
        return (reply.response.head, reply.body)
    }
}

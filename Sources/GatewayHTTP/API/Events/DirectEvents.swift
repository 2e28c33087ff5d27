internal import Delivery
internal import GatewayModel
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Telemetry
internal import TextFormats

/// The routes of events on the event loop of a connection, without the router and without a task (SendingMessages page).
///
/// It handles the usual request: all of it has arrived, its caller is known without a look into the store, and its
/// events are one valid piece. It leaves every other one to the router before it counts anything of it, so that each
/// error has one place. The responses are the same.
struct DirectEvents: Sendable {
    /// The head and the body of a response.
    typealias Reply = (head: HTTPResponse, body: ByteBuffer)

    /// The maximum length of a body: a long one would hold up the other connections of the event loop.
    static let maxBodyBytes = 32_768

    /// The header fields of requests for the router; ``target(of:)`` knows the exception.
    private static let otherFields: Set<HTTPField.Name> = [
        .connection, .contentEncoding, .expect, .host, .origin, .upgrade,
    ]

    let gate: RequestGate
    let responses: ResponseMiddleware

    /// Returns the route of a request that may be handled here, as far as its head tells.
    ///
    /// - Parameter head: The head, which ``RequestHeadRules`` allow.
    /// - Returns: Nil for a request that the router must handle.
    static func target(of head: HTTPRequest) -> DirectRoute.Target? {
        guard head.method == .post, head.authority != nil, let target = DirectRoute.target(of: head) else { return nil }
        let isUsual = head.headerFields.allSatisfy {
            !otherFields.contains($0.name) || $0.name == .connection && $0.value.isWord("keep-alive")
        }
        return isUsual ? target : nil
    }

    /// Handles a request; call it on the event loop of its connection.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - target: What ``target(of:)`` returned for it.
    ///   - body: The whole body.
    ///   - channel: The connection.
    ///   - completion: Called once with the response, on the event loop, after the return.
    /// - Returns: False for a request that the router must handle; then nothing of it was counted.
    func respond(
        to head: HTTPRequest,
        _ target: DirectRoute.Target,
        _ body: ByteBuffer,
        on channel: any Channel,
        completion: @escaping @Sendable (Reply) -> Void
    ) -> Bool {
        guard body.readableBytes <= Self.maxBodyBytes else { return false }
        let (route, shared) = (target.route, gate.shared)
        let start = shared.services.clock.monotonicNanoseconds
        let source = ApplicationRequestContextSource(channel: channel, logger: shared.services.logger)
        var context = GatewayContext(source: source)
        context.requestID = RequestID(header: head.headerFields.value(.xRequestID)).text
        context.span = shared.services.tracer?.startRequest(traceParent: head.headerFields.value(.traceParent))
        context.coreContext.endpointPath.value = route.template
        context.segments = target.segments
        // Its bytes are not kept while its events are stored.
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        let address = gate.address(of: request, context)
        guard let slot = gate.slots.enterIfFree(address) else { return false }
        let arriving = IncomingBody(request, budget: gate.budget)
        arriving.belongs(to: address)
        let call = gate.call(request, arriving, context, slot: slot)
        guard let submission = route.submission(of: call, body) else {
            slot.release()
            return false
        }
        let answer = submission.answer
        let finish: @Sendable (Result<[IntakeResult], Problem>) -> Void = { result in
            channel.eventLoop.execute { completion(response(to: call, since: start, route, answer, result)) }
        }
        do throws(Problem) {
            try call.admit(submission.caller, in: submission.brand.id)
            try arriving.reserve(body.readableBytes)
            let intake = EventIntake(call, brand: submission.brand)
            intake.take(submission.events, completion: finish)
        } catch {
            finish(.failure(error))
        }
        return true
    }

    private func response(
        to call: Call,
        since start: UInt64,
        _ route: DirectRoute,
        _ answer: (_ requestID: String, _ results: [IntakeResult]) throws(Problem) -> EventSubmission.Answer,
        _ result: Result<[IntakeResult], Problem>
    ) -> Reply {
        call.arriving.end()
        call.slot?.release()
        var reply: (response: Response, body: ByteBuffer, code: ProblemCode?)
        do throws(Problem) {
            let (status, body) = try answer(call.requestID, try result.get())
            reply = (ResponseFactory.json(status, body), body, nil)
        } catch {
            let (problem, now) = (route.problem(error), call.services.clock.now)
            let shape = responses.paths.shape(of: call.request.uri.path)
            reply = (
                problem.response(requestID: call.requestID, shape: shape, at: now),
                problem.body(requestID: call.requestID, shape: shape, at: now),
                problem.code
            )
        }
        let template = route.template
        responses.complete(&reply.response, to: call.request, call.context, route: template, since: start, reply.code)
        reply.response.headers[.date] = HTTPDate.now
        return (reply.response.head, reply.body)
    }
}

/// A route that ``DirectEvents`` handles.
enum DirectRoute: Sendable {
    case events, pushProxy, gorush, hook, hookWithSecret

    /// The route of a request, and the parameters of its path, which need no decoding.
    typealias Target = (route: DirectRoute, segments: [(name: String, segment: Substring)])

    /// The path as it was declared.
    var template: String {
        switch self {
        case .events: Self.templates.events
        case .pushProxy: Self.templates.pushProxy
        case .gorush: GorushRoutes.path
        case .hook: Self.templates.hook
        case .hookWithSecret: Self.templates.hookWithSecret
        }
    }

    private static let templates = (
        events: RouterPath(EventRoutes.path).description,
        pushProxy: RouterPath(LivePersonPushProxy.path).description,
        hook: RouterPath(HookIntakeRoutes.path).description,
        hookWithSecret: RouterPath(HookIntakeRoutes.pathWithSecret).description
    )

    /// Returns the route of a request by its path; nil for another path.
    static func target(of head: HTTPRequest) -> Target? {
        guard let path = head.path else { return nil }
        if path.hasSameBytes(as: GorushRoutes.path) { return (.gorush, []) }
        let isHook = path.hasBytePrefix(hooks)
        guard isHook || path.hasBytePrefix(brands) else { return nil }
        let (brand, rest) = step(path.utf8.dropFirst(isHook ? hooks.utf8.count : brands.utf8.count))
        guard let rest, BrandID.isValid(String(brand)) else { return nil }
        guard isHook else {
            if rest.hasSameBytes(as: "events") { return (.events, [("brand", brand)]) }
            return rest.hasSameBytes(as: "push-proxy") ? (.pushProxy, [("brand", brand)]) : nil
        }
        let (hook, secret) = step(rest.utf8)
        guard HookID.isValid(String(hook)) else { return nil }
        guard let secret else { return (.hook, [("brand", brand), ("hook", hook)]) }
        guard !secret.isEmpty, secret.utf8.allSatisfy(isPlain) else { return nil }
        return (.hookWithSecret, [("brand", brand), ("hook", hook), ("pathSecret", secret)])
    }

    private static let (hooks, brands) = ("/v1/hooks/", "/v1/brands/")

    /// Returns a path's first segment, and what follows after the slash; nil when none does.
    private static func step(_ path: Substring.UTF8View) -> (segment: Substring, rest: Substring?) {
        guard let slash = path.firstIndex(of: UInt8(ascii: "/")) else { return (Substring(path), nil) }
        return (Substring(path[..<slash]), Substring(path[path.index(after: slash)...]))
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte != UInt8(ascii: "/") && byte != UInt8(ascii: "%") && byte != UInt8(ascii: "?") && byte != UInt8(ascii: "#")
    }

    /// Returns what a request submits, and counts nothing; nil for one that the router must handle.
    func submission(of call: Call, _ body: ByteBuffer) -> EventSubmission? {
        do throws(Problem) {
            switch self {
            case .events: return try EventRoutes.submission(call, body)
            case .pushProxy: return try LivePersonPushProxy.submission(call, body)
            case .gorush: return try GorushRoutes.submission(call, body)
            case .hook: return try HookIntakeRoutes.submission(call, nil, body)
            case .hookWithSecret: return try HookIntakeRoutes.submission(call, try call.segment("pathSecret"), body)
            }
        } catch { return nil }
    }

    /// Returns the error that the route responds with.
    func problem(_ problem: Problem) -> Problem {
        if case .pushProxy = self { LivePersonPushProxy.retryable(problem) } else { problem }
    }
}

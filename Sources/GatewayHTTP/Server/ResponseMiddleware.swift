internal import GatewayModel
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import Logging
internal import NIOHTTP1
internal import Telemetry

/// The outermost middleware: sets the request's id, turns every error into `application/problem+json` or the format of
/// the route, and logs the result.
///
/// It must be added first: Hummingbird wraps only routes that are added later.
struct ResponseMiddleware: RouterMiddleware {
    typealias Context = GatewayContext

    let clock: any GatewayClock
    let logger: Logger
    let metrics: HTTPMetrics
    let tracer: TraceRecorder?
    let paths: KnownPaths
    let directory: Directory
    let limiter: RateLimiter

    func handle(
        _ request: Request,
        context: GatewayContext,
        next: @concurrent (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        let start = clock.monotonicNanoseconds
        let hasEmptySegment = request.hasEmptySegment
        var context = context
        context.requestID = RequestID(header: request.headers.value(.xRequestID)).text
        context.span = tracer?.startRequest(traceParent: request.headers.value(.traceParent))
        let page = CrossOrigin(request, paths, directory)
        var response: Response
        var code: ProblemCode?
        do {
            // Systems that read the one and systems that read the other must see the same host (RFC 9112 section 3.2).
            guard request.head.authority != nil, !request.headers.contains(.host) else { throw Problem.wrongHost }
            guard !hasEmptySegment else { throw HTTPError(.notFound) }
            if page?.isPreflight == true {
                response = ResponseFactory.noContent
            } else if let consent = EventConsent.response(to: request) {
                response = consent
            } else {
                response = try await next(request, context)
                if context.notes.hidesTexts { response = try await TextRedaction.redacted(response) }
            }
        } catch let error as HTTPParserError {
            // Hummingbird closes the connection on this error.
            throw error
        } catch {
            let isUnmatched = route(context, hasEmptySegment) == Self.unmatched
            if isUnmatched, !(error is Problem),
                let page = LinkHost(request, directory).fallback
            {
                response = page
            } else {
                let problem = translate(error, request, context, isUnmatched: isUnmatched)
                code = problem.code
                let shape = paths.shape(of: request.uri.path)
                response = problem.response(requestID: context.requestID, shape: shape, at: clock.now)
            }
        }
        let route = route(context, hasEmptySegment)
        complete(&response, to: request, context, route: route, since: start, code, page: page)
        return response
    }

    /// Adds the header fields that all responses have, and records the result.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - request: Its request.
    ///   - context: The context of the request.
    ///   - route: The route as it was declared.
    ///   - start: The time at which the request arrived, in monotonic nanoseconds.
    ///   - code: The code of the error; nil for a success.
    ///   - page: The page of another origin that sent it.
    func complete(
        _ response: inout Response,
        to request: Request,
        _ context: GatewayContext,
        route: String,
        since start: UInt64,
        _ code: ProblemCode?,
        page: CrossOrigin? = nil
    ) {
        if code == nil { context.notes.rate?.write(to: &response.headers) }
        page?.write(to: &response.headers)
        response.headers[.xRequestID] = context.requestID
        response.headers[.contentTypeOptions] = "nosniff"
        // Nearly all responses are private; a response that may be cached sets the header itself.
        if !response.headers.contains(.cacheControl) { response.headers[.cacheControl] = "no-store" }
        let nanoseconds = Int64(clamping: clock.monotonicNanoseconds &- start)
        let trace = context.trace
        trace?.finishRequest(
            method: request.method.rawValue,
            route: route,
            status: response.status.code,
            brand: context.notes.caller == nil ? nil : context.segment("brand").flatMap { BrandID(String($0)) },
            requestID: context.requestID,
            errorCode: code?.rawValue
        )
        metrics.route(method: request.method.rawValue, template: route)
            .record(
                status: response.status.code,
                nanoseconds: nanoseconds,
                trace.flatMap { Exemplar($0.identity, at: clock.now) }
            )
        // Errors of callers are logged at info; successful requests only at debug.
        let level: Logger.Level = response.status.code >= 400 ? .info : .debug
        if logger.logLevel <= level {
            var metadata: Logger.Metadata = [
                LogKey.request: .string(context.requestID),
                LogKey.method: .string(request.method.rawValue),
                LogKey.route: .string(route),
                LogKey.status: .stringConvertible(response.status.code),
                LogKey.milliseconds: .stringConvertible(Double(nanoseconds / 10_000) / 100),
            ]
            if let brand = context.segment("brand"), brand.utf8.count <= 64 {
                metadata[LogKey.brand] = .string(String(brand))
            }
            if let caller = context.notes.caller {
                metadata[LogKey.callerKind] = .string(caller.kind)
                metadata[LogKey.callerID] = .string(caller.id)
            }
            metadata[LogKey.peer] = limiter.address(of: request, context).logText.map { .string($0) }
            if let code { metadata[LogKey.errorCode] = .string(code.rawValue) }
            let parent = request.headers.value(.traceParent).flatMap { SpanIdentity(traceParent: $0) }
            metadata[LogKey.trace] = (trace?.identity ?? parent).map { .string($0.traceText) }
            logger.log(level: level, "request", metadata: metadata)
        }
    }

    /// The label of a request without a route.
    private static let unmatched = "unmatched"

    /// Returns the route as it was declared, so that labels are a closed set.
    private func route(_ context: GatewayContext, _ hasEmptySegment: Bool) -> String {
        guard !hasEmptySegment, let path = context.endpointPath, path != "NotFound" else {
            return Self.unmatched
        }
        return path
    }

    private func translate(
        _ error: any Error,
        _ request: Request,
        _ context: GatewayContext,
        isUnmatched: Bool
    ) -> Problem {
        switch error {
        case let problem as Problem: return problem
        case let error as any HTTPResponseError where isUnmatched && error.status == .notFound:
            // A caller that tries paths is slowed down, like one that tries credentials.
            do { _ = try limiter.takeAddress(of: request, context) } catch { return error }
            return paths.rejection(of: request.uri.path)
        case let error as any HTTPResponseError: return Problem(error)
        default:
            // The text of an unknown error may contain secrets: only its type is logged.
            logger.error(
                "a request failed unexpectedly",
                metadata: [
                    LogKey.request: .string(context.requestID),
                    LogKey.errorText: .string(String(describing: type(of: error))),
                ]
            )
            return Problem(.internal, "Internal error of the gateway.")
        }
    }
}

extension Request {
    /// Whether a segment of the path is empty: the router ignores those, and one resource would have many paths.
    fileprivate var hasEmptySegment: Bool {
        var path = uri.path
        return path.withUTF8 { path in
            let slash = UInt8(ascii: "/")
            if path.count > 1, path.last == slash { return true }
            return path.indices.dropFirst().contains { path[$0] == slash && path[$0 - 1] == slash }
        }
    }
}

extension Problem {
    /// The error of a request that names no host, or names it twice.
    fileprivate static let wrongHost = Problem.unreadable("A request must have exactly one Host header field.")
}

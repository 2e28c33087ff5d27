internal import GatewayModel
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOHTTP1

/// The outermost layer: names the request, turns every refusal into `application/problem+json`, and logs the outcome.
///
/// It must be added first: Hummingbird wraps only routes that are added later.
struct AnsweringMiddleware: RouterMiddleware {
    typealias Context = GatewayContext

    let clock: any GatewayClock
    let logger: Logger
    let observe: @Sendable (RequestSummary) -> Void

    func handle(
        _ request: Request,
        context: GatewayContext,
        next: @concurrent (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        let start = clock.monotonicNanoseconds
        var context = context
        context.requestID = RequestID(header: request.headers[.xRequestID]).text
        var response: Response
        var code: ProblemCode?
        do {
            response = try await next(request, context)
        } catch let error as HTTPParserError {
            // Hummingbird closes the connection on this one.
            throw error
        } catch {
            let problem = translate(error, context)
            code = problem.code
            response = problem.response(requestID: context.requestID)
        }
        response.headers[.xRequestID] = context.requestID
        let summary = RequestSummary(
            method: request.method.rawValue,
            route: context.endpointPath ?? "NotFound",
            status: response.status.code,
            nanoseconds: clock.monotonicNanoseconds &- start
        )
        observe(summary)
        log(summary, code, request, context)
        return response
    }

    private func translate(_ error: any Error, _ context: GatewayContext) -> Problem {
        switch error {
        case let problem as Problem: return problem
        case let error as any HTTPResponseError: return Problem(error)
        default:
            // The text of an error that we do not know may hold anything: only its type is logged.
            logger.error(
                "a request failed unexpectedly",
                metadata: [
                    LogKey.requestID: .string(context.requestID),
                    LogKey.errorType: .string(String(describing: type(of: error))),
                ]
            )
            return Problem(.internal, "The gateway failed.")
        }
    }

    private func log(_ summary: RequestSummary, _ code: ProblemCode?, _ request: Request, _ context: GatewayContext) {
        // What callers did wrong is worth a line; what went well only when somebody looks for it.
        let level: Logger.Level = summary.status >= 400 ? .info : .debug
        guard logger.logLevel <= level else { return }
        var metadata: Logger.Metadata = [
            LogKey.requestID: .string(context.requestID),
            LogKey.method: .string(summary.method),
            LogKey.route: .string(summary.route),
            LogKey.status: .stringConvertible(summary.status),
            LogKey.duration: .stringConvertible(summary.nanoseconds / 1000),
        ]
        if let brand = context.parameters["brand"], brand.utf8.count <= 64 {
            metadata[LogKey.brand] = .string(String(brand))
        }
        if let code { metadata[LogKey.code] = .string(code.rawValue) }
        if let trace = request.headers[.traceParent].flatMap(TraceParent.traceID) {
            metadata[LogKey.trace] = .string(trace)
        }
        logger.log(level: level, "request", metadata: metadata)
    }
}

internal import HTTPTypes
internal import Hummingbird

/// Collects routes, so that a path that is known under other methods answers 405 with `Allow` and not 404.
struct RouteTable {
    private let router: Router<GatewayContext>
    private let shared: Call.Shared
    private let slots: RequestSlots
    private let limiter: RateLimiter
    private var methods: [String: [HTTPRequest.Method]] = [:]

    private static let allMethods: [HTTPRequest.Method] = [
        .get, .head, .put, .post, .patch, .delete, .options, .trace, .connect,
    ]

    init(services: GatewayServices, limits: ServerLimits) {
        shared = Call.Shared(services)
        slots = RequestSlots(limit: limits.maxRequestsInFlight, metrics: services.metrics)
        limiter = RateLimiter(limits, clock: services.clock, metrics: services.metrics)
        router = Router(context: GatewayContext.self, options: .autoGenerateHeadEndpoints)
        router.add(
            middleware: AnsweringMiddleware(
                clock: services.clock,
                logger: services.logger,
                metrics: services.metrics
            )
        )
    }

    /// Adds a route.
    ///
    /// - Parameters:
    ///   - method: Its method.
    ///   - path: Its path with `:name` for parameters, undecoded.
    ///   - isAlwaysAnswered: Whether it is answered although too many requests are being handled.
    ///   - handler: What it does.
    mutating func on(
        _ method: HTTPRequest.Method,
        _ path: String,
        isAlwaysAnswered: Bool = false,
        _ handler: @escaping @Sendable (Call) async throws -> Response
    ) {
        let shared = shared
        let limiter = limiter
        methods[path, default: []].append(method)
        let slots = isAlwaysAnswered ? nil : slots
        router.on(RouterPath(path), method: method) { request, context in
            let call = Call(request: request, context: context, shared: shared, limiter: limiter)
            guard let slots else { return try await handler(call) }
            try slots.enter()
            defer { slots.leave() }
            return try await handler(call)
        }
    }

    /// All routes in the words of their description: `GET /v1/brands/{brand}`.
    var names: [String] {
        methods.flatMap { path, methods in
            let words = path.split(separator: "/", omittingEmptySubsequences: false)
                .map { $0.hasPrefix(":") ? "{\($0.dropFirst())}" : String($0) }
            return methods.map { "\($0.rawValue) \(words.joined(separator: "/"))" }
        }
    }

    /// Adds the refusals and gives the router.
    func finish() -> Router<GatewayContext> {
        for (path, taken) in methods {
            let allowed = taken.contains(.get) ? taken + [.head] : taken
            let names = allowed.map(\.rawValue).sorted()
            for method in Self.allMethods where !allowed.contains(method) {
                router.on(RouterPath(path), method: method) { _, _ -> Response in
                    var problem = Problem(.methodNotAllowed, "The path takes \(names.joined(separator: ", ")).")
                    problem.allow = names
                    throw problem
                }
            }
        }
        return router
    }
}

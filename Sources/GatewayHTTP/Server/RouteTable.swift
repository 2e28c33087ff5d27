internal import HTTPTypes
internal import Hummingbird
internal import TextFormats

/// Collects the routes.
struct RouteTable {
    private let router: Router<GatewayContext>
    private let gate: RequestGate
    private let responses: ResponseMiddleware
    private var methods: [String: [HTTPRequest.Method]] = [:]
    private var shapes: [String: ErrorShape] = [:]
    private var pages: [String: PageAccess] = [:]

    private let known = KnownPaths()

    init(shared: Call.Shared, limiter: RateLimiter, addresses: AddressShares, limits: ServerLimits) {
        let services = shared.services
        gate = RequestGate(
            shared: shared,
            limiter: limiter,
            addresses: addresses,
            slots: RequestSlots(limits, metrics: services.metrics),
            budget: BodyBudget(limits, metrics: services.metrics)
        )
        responses = ResponseMiddleware(
            clock: services.clock,
            logger: services.logger,
            metrics: services.metrics,
            tracer: services.tracer,
            paths: known,
            directory: services.directory,
            limiter: limiter
        )
        router = Router(context: GatewayContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: responses)
    }

    /// The events route without the router, with the limits of all routes.
    var directEvents: DirectEvents { DirectEvents(gate: gate, responses: responses) }

    /// The routes so far, for calls by routes that are added later.
    var responder: RouterResponder<GatewayContext> { router.buildResponder() }

    /// Adds a route.
    ///
    /// - Parameters:
    ///   - method: The route's method.
    ///   - path: The route's path with `:name` for parameters, undecoded.
    ///   - isAlwaysAnswered: Whether it responds even though too many requests are in progress.
    ///   - errors: The format of its error responses, including those for other methods of the path.
    ///   - pages: The pages of other origins that may call the path.
    ///   - takesGzip: Whether the body may have the `Content-Encoding` gzip.
    ///   - handler: The route's handler.
    mutating func on(
        _ method: HTTPRequest.Method,
        _ path: String,
        isAlwaysAnswered: Bool = false,
        errors: ErrorShape = .problem,
        pages: PageAccess = .closed,
        takesGzip: Bool = false,
        _ handler: @escaping @Sendable (Call) async throws -> Response
    ) {
        methods[path, default: []].append(method)
        shapes[path] = errors
        self.pages[path] = pages
        router.on(RouterPath(path), method: method) { [gate] request, context in
            let body = IncomingBody(request, budget: gate.budget)
            defer { body.end() }
            guard !isAlwaysAnswered else { return try await handler(gate.call(request, body, context, slot: nil)) }
            let address = gate.address(of: request, context)
            body.belongs(to: address)
            if body.isAnnounced {
                guard body.coding == .identity || takesGzip && body.coding == .gzip else {
                    let other = takesGzip ? " other than gzip" : ""
                    throw Problem(.unsupportedMediaType, "The body must have no Content-Encoding\(other).")
                }
                // A caller that will be rejected need not send its body first.
                try gate.slots.check(address)
                try body.checkRoom()
                // A caller that sends nothing after its head must not occupy a slot.
                try await body.begin(context)
            }
            let slot = try gate.slots.enter(address)
            defer { slot.release() }
            return try await handler(gate.call(request, body, context, slot: slot))
        }
    }

    /// All routes as the API description writes them: `GET /v1/brands/{brand}`.
    var names: [String] {
        methods.flatMap { path, methods in
            let words = path.split(separator: "/", omittingEmptySubsequences: false)
                .map { $0.hasPrefix(":") ? "{\($0.dropFirst())}" : String($0) }
            return methods.map { "\($0.rawValue) \(words.joined(separator: "/"))" }
        }
    }

    /// Returns the router; no route is added afterwards.
    func finish() -> Router<GatewayContext> {
        known.set(methods.mapValues { $0.contains(.get) ? $0 + [.head] : $0 }, shapes: shapes, pages: pages)
        return router
    }
}

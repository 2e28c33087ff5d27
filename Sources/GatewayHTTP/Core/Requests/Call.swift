internal import GatewayModel
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import Synchronization
internal import TextFormats

/// One request in a route, with everything that routes need.
///
/// A class, because copying all of it at each step of a route would cost more than the step.
final class Call: Sendable {
    let request: Request
    /// The request's body; only this call reads it.
    let arriving: IncomingBody
    let context: GatewayContext
    /// The values that all calls share.
    let shared: Shared
    let limiter: RateLimiter
    /// Its slot among the requests in progress; nil for a route that always responds.
    let slot: RequestSlots.Slot?

    init(
        request: Request,
        arriving: IncomingBody,
        context: GatewayContext,
        shared: Shared,
        limiter: RateLimiter,
        slot: RequestSlots.Slot?
    ) {
        self.request = request
        self.arriving = arriving
        self.context = context
        self.shared = shared
        self.limiter = limiter
        self.slot = slot
    }

    /// Creates the values that all calls share.
    final class Shared: Sendable {
        let services: GatewayServices
        private let hasTLS = Atomic(false)

        init(_ services: GatewayServices) { self.services = services }

        /// Whether the listener has TLS; set before it listens.
        var isSecure: Bool {
            get { hasTLS.load(ordering: .relaxed) }
            set { hasTLS.store(newValue, ordering: .relaxed) }
        }
    }

    /// The services that routes use.
    var services: GatewayServices { shared.services }

    /// The request's id.
    var requestID: String { context.requestID }

    /// The origin of the request.
    var address: ClientAddress { limiter.address(of: request, context) }

    /// Counts the request for its address; throws 429.
    ///
    /// Callers on this host are not counted.
    func limitAddress() throws(Problem) {
        if let rate = try limiter.takeAddress(of: request, context) { context.notes.rate = rate }
    }

    /// Rejects a request whose address has used up its limit, without counting it; throws 429.
    func checkAddress() throws(Problem) {
        guard case .remote(let address) = address else { return }
        try limiter.check(.address, address.network)
    }

    /// Whether ``checkAddress()`` rejects the request.
    var isAddressLimited: Bool {
        // A caller on this host has no share.
        guard arriving.address != nil, case .remote(let address) = address else { return false }
        return limiter.wait(.address, address.network) != nil
    }

    /// The query, decoded.
    func query() throws(Problem) -> QueryParameters { try QueryParameters(request.uri.query) }

    /// The requested page of a list; throws 422.
    func page() throws(Problem) -> PageRequest {
        try PageRequest(try query(), path: request.uri.path, seal: services.cursors)
    }

    /// Returns an id of the path, decoded exactly once; `name` is its name in the route's path.
    ///
    /// Throws 400 when it cannot be decoded, 422 when it is not a valid id.
    func identifier<ID: GatewayIdentifier>(_ name: String, as _: ID.Type) throws(Problem) -> ID {
        let text = try segment(name)
        guard let id = ID(text) else { throw Problem(invalid: "/" + name, "is not a valid id") }
        return id
    }

    /// Returns a segment of the path, decoded exactly once.
    func segment(_ name: String) throws(Problem) -> String {
        guard let raw = context.segment(name) else { throw Problem(.internal, "No such path parameter.") }
        guard let text = PercentEncoding.decode(raw) else {
            throw .unreadable("The path is not percent-encoded UTF-8.")
        }
        return text
    }

    /// Returns the id of the path's brand; its existence is checked after the credential.
    func brandID() throws(Problem) -> BrandID {
        // An invalid id cannot be a brand's.
        guard let id = BrandID(try segment("brand")) else { throw .notFound("brand") }
        return id
    }

    /// Returns the brand of the path.
    func brand() throws(Problem) -> Brand {
        guard let brand = services.directory.brand(try brandID()) else { throw .notFound("brand") }
        return brand
    }

    /// Returns the app of the path with its settings.
    func appID() throws(Problem) -> AppID {
        guard let id = AppID(try segment("app")) else { throw .notFound("app") }
        return id
    }
}

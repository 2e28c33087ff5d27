internal import GatewayModel
internal import HTTPTypes
internal import Hummingbird
internal import Identity

/// One request on its way through a route, with everything that routes need.
///
/// An object, for a copy of all of it with each step of a route would cost more than the step.
final class Call: Sendable {
    let request: Request
    /// The request's body; nothing else reads it.
    let arriving: ArrivingBody
    let context: GatewayContext
    /// What all calls have in common.
    let shared: Shared
    let limiter: RateLimiter
    /// Its slot among the requests that are handled; nil for a route that is always answered.
    let slot: RequestSlots.Slot?

    init(
        request: Request,
        arriving: ArrivingBody,
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

    /// Holds what all calls have in common.
    final class Shared: Sendable {
        let services: GatewayServices

        init(_ services: GatewayServices) { self.services = services }
    }

    /// What routes stand on.
    var services: GatewayServices { shared.services }

    /// The request's id.
    var requestID: String { context.requestID }

    /// Where the request comes from.
    var address: ClientAddress { limiter.address(of: request, context) }

    /// Counts the request among those of its address; throws 429.
    ///
    /// Callers on this machine are not counted.
    func limitAddress() throws(Problem) {
        if let rate = try limiter.takeAddress(of: request, context) { context.notes.rate = rate }
    }

    /// Refuses a request whose address has used up its limit, without counting it; throws 429.
    func checkAddress() throws(Problem) {
        guard case .remote(let address) = address else { return }
        try limiter.check(.address, address.network)
    }

    /// The query, decoded.
    func query() throws(Problem) -> QueryParameters { try QueryParameters(request.uri.query) }

    /// Which page of a list is wanted; throws 422.
    func page() throws(Problem) -> PageRequest {
        try PageRequest(try query(), path: request.uri.path, seal: services.cursors)
    }

    /// An id of the path, decoded exactly once; `name` is what the route's path calls it.
    ///
    /// Throws 400 when it is not decodable, 422 when it does not have its shape.
    func identifier<ID: GatewayIdentifier>(_ name: String, as _: ID.Type) throws(Problem) -> ID {
        let text = try segment(name)
        guard let id = ID(text) else { throw Problem(invalid: "/" + name, "is not a valid id") }
        return id
    }

    /// A segment of the path, decoded exactly once.
    func segment(_ name: String) throws(Problem) -> String {
        guard let raw = context.parameters[name[...]] else { throw Problem(.internal, "The route has no such part.") }
        guard let text = PercentDecoding.decode(raw) else {
            throw .unreadable("The path is not percent-encoded UTF-8.")
        }
        return text
    }

    /// The brand of the path as its id; whether there is one is asked after the credential.
    func brandID() throws(Problem) -> BrandID {
        // An id of the wrong shape cannot be a brand's.
        guard let id = BrandID(try segment("brand")) else { throw .notFound("brand") }
        return id
    }

    /// The brand of the path.
    func brand() throws(Problem) -> Brand {
        guard let brand = services.directory.brand(try brandID()) else { throw .notFound("brand") }
        return brand
    }

    /// The app of the path with its settings.
    func appID() throws(Problem) -> AppID {
        guard let id = AppID(try segment("app")) else { throw .notFound("app") }
        return id
    }
}

internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import IdentityProviders
internal import TextFormats

/// The routes for apps that get access tokens of Talkdesk (ComingFromTalkdesk page).
///
/// They have the two forms of Talkdesk's own examples: apps accept one of them only.
enum TalkdeskRoutes {
    static func add(to routes: inout RouteTable) {
        let path = "/v1/brands/:brand/access/:app"
        routes.on(.get, path, errors: .adaptor) { call in
            let isBroker = call.request.headers.value(.authorization)?.hasWordPrefix("basic ") ?? false
            return ResponseFactory.text(try await isBroker ? tokenOfBroker(call) : tokenOfConsumer(call))
        }
        // A body is not read.
        routes.on(.post, path, errors: .adaptor) { call in
            let token = try await tokenOfBroker(call)
            return ResponseFactory.object(.created, capacity: 4096) { $0.member("auth_token", token) }
        }
    }

    /// Returns a token for an app, or its back-end, that authenticates by the broker's credential (R178).
    private static func tokenOfBroker(_ call: Call) async throws -> String {
        let broker = try call.requireTokenBroker()
        guard try app(call) == broker.details.app else { throw Problem.notFound("app") }
        return try await token(call, broker, for: nil)
    }

    /// Returns a token for an app that acts for its user (R204).
    private static func tokenOfConsumer(_ call: Call) async throws -> String {
        let id = BrandID(try call.segment("brand"))
        guard case .session(let session) = try await call.caller(of: id), session.brand == id else {
            throw Problem(AuthenticationError.unauthorized)
        }
        guard let broker = call.services.directory.tokenBroker(brand: session.brand, app: try app(call)) else {
            throw Problem.notFound("app")
        }
        let known = try await call.consumer(session.consumer, of: session.brand)
        // Anybody may become one, where the brand allows it.
        guard known?.anonymous != true else {
            throw Problem(.forbidden, "An anonymous consumer gets no access token.", reason: "anonymous")
        }
        return try await token(call, broker, for: session.consumer)
    }

    /// Returns the path's app; none while the adaptor is off.
    private static func app(_ call: Call) throws(Problem) -> AppID {
        let brand = try call.brand()
        guard brand.settings.wire.talkdesk else { throw .notFound("resource") }
        let app = call.app(named: try call.appID(), of: brand.id).id
        guard call.services.directory.app(brand: brand.id, app: app) != nil else { throw .notFound("app") }
        return app
    }

    private static func token(
        _ call: Call,
        _ broker: TokenBroker,
        for consumer: ConsumerID?
    ) async throws(Problem) -> String {
        let request = AccessRequest(brand: broker.caller.brand, consumer: consumer, requestID: call.requestID)
        do { return try await call.services.accessTokens.token(for: request, from: broker) } catch {
            throw Problem(error)
        }
    }
}

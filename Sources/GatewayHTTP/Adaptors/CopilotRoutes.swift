internal import GatewayModel
internal import Hummingbird
internal import Identity
internal import Telemetry
internal import TextFormats

/// The routes for Copilot.cx back-ends (ComingFromCopilot page).
enum CopilotRoutes {
    static func add(to routes: inout RouteTable) {
        let path = "/v2/api/management/your_own/auth/generate_user_auth_key"
        routes.on(.post, path, errors: .adaptor) { try await mint($0) }
    }

    /// Creates a key, a new one each time (R5): a session that ends with the service account that created it.
    private static func mint(_ call: Call) async throws -> Response {
        let (brand, account) = try await call.requireAccount(.sessionsMint)
        guard brand.settings.wire.copilot else { throw Problem.notFound("resource") }
        let body = try await call.object()
        var checks = FieldChecks()
        // Other members are ignored, as in Copilot.cx.
        let user = checks.identifier(body["user_id"], as: ConsumerID.self, isRequired: true)
        let consumer = try checks.finish(user)
        let minted = try await call.open(brand, consumer, nil, credential: account.id, by: .copilot)
        return ResponseFactory.object(.ok, capacity: 128) { $0.member("auth_key", minted.token) }
    }
}

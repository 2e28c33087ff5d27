internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import Telemetry
internal import TextFormats

/// The routes for apps and back-ends of Google's CCAI Platform (ComingFromCCAI page).
///
/// They read JSON whatever its `Content-Type` (R191): the platform's samples set none.
enum CCAIRoutes {
    static func add(to routes: inout RouteTable) {
        routes.on(.post, "/v1/ccaip/auth/token", errors: .adaptor, pages: .ccai) { try await exchange($0) }
        routes.on(.post, "/api/ccaip/sign", errors: .adaptor, pages: .ccai) { try await CCAISigning.sign($0) }
    }

    /// Exchanges a signed token for a session (R25-R33); the SDK key's name identifies the brand.
    private static func exchange(_ call: Call) async throws -> Response {
        try call.limitAddress()
        guard let keyName = call.request.headers.value(.xSDKKeyName), !keyName.isEmpty else {
            throw Problem(AuthenticationError.unauthorized)
        }
        let body = try await call.object(ofAnyType: true)
        var checks = FieldChecks()
        let device = checks.identifier(body["device_id"], as: DeviceID.self)
        let text = checks.text(body["token"], isRequired: true)
        if text?.isEmpty ?? false { checks.fail("/token", "must not be empty") }
        let proofs = LoginProofs(anonymousToken: checks.text(body["anonymous_token"]))
        let token = try checks.finish(text)
        let assertion: VerifiedAssertion
        do { assertion = try call.services.assertions.verify(token, sdkKeyName: keyName) } catch {
            throw Problem(error)
        }
        guard let brand = call.services.directory.brand(assertion.brand) else {
            throw Problem(AuthenticationError.tokenInvalid(.unknownIssuer))
        }
        guard brand.settings.wire.ccai else { throw Problem.notFound("resource") }
        let (minted, isPushTokenIgnored) = try await call.login(assertion, brand, device, proofs, by: .ccai)
        return ResponseFactory.object(.ok, capacity: 256) { writer in
            writer.member("auth_token", minted.token)
            writer.member("expires_in", minted.expiresInSeconds)
            writer.literal(#","end_user":{"id":"#)
            writer.string(minted.session.consumer.rawValue)
            writer.member("anonymous", minted.anonymous)
            writer.literal("}")
            writer.member("merged", minted.merged)
            if isPushTokenIgnored { writer.literal(#","warnings":["push_token_ignored"]"#) }
        }
    }
}

internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import IdentityProviders
internal import Metrics
internal import Telemetry
internal import TextFormats

/// Consumers' sessions (LoggingConsumersIn page).
enum SessionRoutes {
    static func add(to routes: inout RouteTable) {
        routes.on(.post, "/v1/brands/:brand/sessions", pages: .brand) { try await grant($0) }
        routes.on(.delete, "/v1/brands/:brand/sessions/current", pages: .brand) { try await logout($0) }
        routes.on(.post, "/v1/brands/:brand/consumers/:consumer/sessions") { try await mint($0) }
        routes.on(.delete, "/v1/brands/:brand/consumers/:consumer/sessions") { try await remoteLogout($0) }
    }

    // MARK: Opening

    /// The grants by which a consumer is identified.
    private enum Grant: String, CaseIterable {
        case assertion, code, anonymous
    }

    private static func grant(_ call: Call) async throws -> Response {
        try call.limitAddress()
        // An unknown brand has the same response as an unknown issuer: a caller without a credential learns nothing
        // about brands.
        let id = BrandID(try call.segment("brand")) ?? BrandID(trusted: "")
        func brand() throws(Problem) -> Brand {
            guard let brand = call.services.directory.brand(id) else {
                throw Problem(AuthenticationError.tokenInvalid(.unknownIssuer))
            }
            return brand
        }
        let body = try await call.object()
        var checks = FieldChecks()
        let device = checks.identifier(body["deviceId"], as: DeviceID.self)
        let grant = checks.word(body["grant"], as: Grant.self, isRequired: true)
        let keyName = checks.text(body["sdkKeyName"])
        let token = required("token", of: body, grant == .assertion, &checks)
        let code = required("code", of: body, grant == .code, &checks)
        let redirectURI = required("redirectUri", of: body, grant == .code, &checks)
        let codeVerifier = checks.text(body["codeVerifier"])
        let issuer = checks.text(body["issuer"])
        let proofs = LoginProofs(
            anonymousToken: checks.text(body["anonymousToken"]),
            currentToken: checks.proof(body["currentToken"])
        )
        switch try checks.finish(grant) {
        case .anonymous: return response(try await call.loginAnonymously(try brand(), device, proofs))
        case .assertion:
            let token = try checks.finish(token)
            let assertion: VerifiedAssertion
            do {
                assertion = try await call.services.assertions.verify(
                    token,
                    keyName: keyName,
                    issuerName: issuer,
                    brand: id
                )
            } catch { throw Problem(error) }
            return response(try await call.login(assertion, try brand(), device, proofs, by: .assertion).session)
        case .code:
            let (code, redirectURI) = try checks.finish(code, redirectURI)
            let redemption: CodeRedemption
            do {
                redemption = try await call.services.codes.redeem(
                    code: code,
                    redirectURI: redirectURI,
                    codeVerifier: codeVerifier,
                    issuerName: issuer,
                    brand: id
                )
            } catch { throw Problem(error) }
            let assertion: VerifiedAssertion
            do {
                assertion = try await call.services.assertions.verifyIDToken(
                    redemption.idToken,
                    of: redemption.provider,
                    credentialID: redemption.credentialID,
                    brand: id,
                    clientID: redemption.provider.clientId
                )
            } catch { throw Problem(error) }
            return response(try await call.login(assertion, try brand(), device, proofs, by: .code).session)
        }
    }

    /// Reads a text that one grant needs.
    private static func required(
        _ name: BoundedName,
        of body: BodyObject,
        _ isRequired: Bool,
        _ checks: inout FieldChecks
    ) -> String? {
        let text = checks.text(body[name], isRequired: isRequired)
        if isRequired, text?.isEmpty ?? false { checks.fail("/" + name.text, "must not be empty") }
        return text
    }

    private static func mint(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.sessionsMint)
        let consumer = try call.identifier("consumer", as: ConsumerID.self)
        let body = try await call.object(mayBeEmpty: true)
        return try await call.once(body, .refused) { try await mint(body, brand, consumer, call) }
    }

    private static func mint(
        _ body: BodyObject,
        _ brand: Brand,
        _ consumer: ConsumerID,
        _ call: Call
    ) async throws -> Response {
        var checks = FieldChecks()
        let device = checks.identifier(body["deviceId"], as: DeviceID.self)
        try checks.finish()
        var credential: String?
        if case .account(let account) = call.context.notes.caller { credential = account.id }
        return response(try await call.open(brand, consumer, device, credential: credential, by: .backend))
    }

    private static func response(_ minted: MintedSession) -> Response {
        ResponseFactory.object(.created, capacity: 256) { writer in
            writer.member("sessionToken", minted.token)
            writer.member("expiresIn", minted.expiresInSeconds)
            writer.literal(#","consumer":{"id":"#)
            writer.string(minted.session.consumer.rawValue)
            writer.member("anonymous", minted.anonymous)
            writer.literal("}")
            writer.member("merged", minted.merged)
        }
    }

    // MARK: Ending

    private static func logout(_ call: Call) async throws -> Response {
        let id = BrandID(try call.segment("brand"))
        guard case .session(let session) = try await call.caller(of: id),
            let header = call.request.headers[.authorization],
            case .bearer(let token)? = AuthorizationHeader(header)
        else { throw Problem.forbidden }
        // A path with an invalid brand id belongs to no brand.
        guard session.brand == id else { throw Problem(AuthenticationError.unauthorized) }
        let scope = try call.query().word("unregister", as: UnregisterScope.self) ?? .all
        do {
            _ = try await call.services.sessions.end(token: token, unregister: scope)
        } catch { throw Problem(error) }
        return ResponseFactory.noContent
    }

    private static func remoteLogout(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.consumersWrite)
        let consumer = try call.identifier("consumer", as: ConsumerID.self)
        let query = try call.query()
        let device = try query.identifier("deviceId", as: DeviceID.self)
        let scope = try query.word("unregister", as: UnregisterScope.self) ?? .all
        let audit = try call.auditEntry(.consumerLoggedOut, brand: brand.id, target: consumer.rawValue)
        do {
            _ = try await call.services.sessions.endAll(
                brand: brand.id,
                consumer: consumer,
                device: device,
                unregister: scope,
                audit: audit
            )
        } catch { throw Problem(error) }
        return ResponseFactory.noContent
    }
}

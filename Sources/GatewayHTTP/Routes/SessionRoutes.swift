internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import Metrics
internal import PushPayloads
internal import Telemetry

/// Consumers' sessions (`http-api.md` section 4).
enum SessionRoutes {
    static func add(to routes: inout RouteTable) {
        routes.on(.post, "/v1/brands/:brand/sessions") { try await grant($0) }
        routes.on(.delete, "/v1/brands/:brand/sessions/current") { try await logout($0) }
        routes.on(.post, "/v1/brands/:brand/consumers/:consumer/sessions") { try await mint($0) }
        routes.on(.delete, "/v1/brands/:brand/consumers/:consumer/sessions") { try await remoteLogout($0) }
    }

    // MARK: Opening

    /// How a consumer says who it is.
    private enum Grant: String, CaseIterable {
        case assertion, code, anonymous
    }

    private static func grant(_ call: Call) async throws -> Response {
        try call.limitAddress()
        let brand = try call.brand()
        let body = try await call.object()
        return try await call.once(body, .refused) { try await grant(body, brand, call) }
    }

    private static func grant(_ body: BodyObject, _ brand: Brand, _ call: Call) async throws -> Response {
        var checks = FieldChecks()
        let device = checks.identifier(body["deviceId"], as: DeviceID.self)
        let grant = checks.word(body["grant"], as: Grant.self, isRequired: true)
        let keyName = checks.text(body["sdkKeyName"])
        let token = checks.text(body["token"], isRequired: grant == .assertion)
        if grant == .assertion, token?.isEmpty ?? false { checks.fail("/token", "must not be empty") }
        if grant == .code { checks.fail("/grant", "is one that this version does not support") }
        try checks.finish()
        if grant == .anonymous { return try await openAnonymous(brand, device, call) }
        return try await openAsserted(try checks.finish(token), keyName: keyName, brand, device, call)
    }

    private static func openAnonymous(_ brand: Brand, _ device: DeviceID?, _ call: Call) async throws -> Response {
        guard brand.settings.anonymousConsumers else {
            throw Problem(.forbidden, "The brand does not allow anonymous consumers.")
        }
        let consumer = ConsumerID(trusted: AnonymousConsumer.newID())
        _ = try await call.perform(
            .upsertConsumer(brand: brand.id, id: consumer, anonymous: true, profile: ConsumerProfile())
        )
        return try await open(brand, consumer, device, credential: nil, call, by: .anonymous)
    }

    private static func openAsserted(
        _ token: String,
        keyName: String?,
        _ brand: Brand,
        _ device: DeviceID?,
        _ call: Call
    ) async throws -> Response {
        let assertion: VerifiedAssertion
        do {
            assertion = try await call.services.assertions.verify(token, keyName: keyName, brand: brand.id)
        } catch { throw Problem(error) }
        guard !assertion.anonymous || brand.settings.anonymousConsumers else {
            throw Problem(.forbidden, "The brand does not allow anonymous consumers.")
        }
        _ = try await call.perform(
            .upsertConsumer(
                brand: brand.id,
                id: assertion.consumer,
                anonymous: assertion.anonymous,
                profile: assertion.profile
            )
        )
        let response = try await open(
            brand,
            assertion.consumer,
            device,
            credential: assertion.credential,
            call,
            by: .assertion
        )
        if let token = assertion.pushToken, let device {
            await PushTokenClaim(token: token, app: assertion.app).register(
                device,
                of: assertion.consumer,
                brand,
                call
            )
        }
        return response
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
        return try await open(brand, consumer, device, credential: credential, call, by: .backend)
    }

    private static func open(
        _ brand: Brand,
        _ consumer: ConsumerID,
        _ device: DeviceID?,
        credential: String?,
        _ call: Call,
        by grant: GrantLabel
    ) async throws -> Response {
        let minted: MintedSession
        do {
            minted = try await call.services.sessions.open(
                brand: brand.id,
                consumer: consumer,
                device: device,
                credential: credential
            )
        } catch { throw Problem(error) }
        call.services.metrics.sessionsOpened[grant].increment()
        var writer = JSONWriter(capacity: 256)
        writer.literal(#"{"sessionToken":"#)
        writer.string(minted.token)
        writer.literal(#","expiresIn":"#)
        writer.integer(minted.expiresInSeconds)
        writer.literal(#","consumer":{"id":"#)
        writer.string(minted.session.consumer.rawValue)
        writer.literal(#","anonymous":"#)
        writer.boolean(minted.anonymous)
        writer.literal("}}")
        return Answer.json(.created, writer).uncached()
    }

    // MARK: Ending

    private static func logout(_ call: Call) async throws -> Response {
        let id = BrandID(try call.segment("brand"))
        guard case .session(let session) = try await call.caller(of: id),
            let header = call.request.headers[.authorization],
            case .bearer(let token)? = AuthorizationHeader(header)
        else { throw Problem.forbidden }
        // A path whose brand has no valid id is nobody's.
        guard session.brand == id else { throw Problem(AuthenticationError.unauthorized) }
        let scope = try call.query().word("unregister", as: UnregisterScope.self) ?? .all
        do {
            _ = try await call.services.sessions.end(token: token, unregister: scope)
        } catch { throw Problem(error) }
        return Answer.noContent
    }

    private static func remoteLogout(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.consumersWrite)
        let consumer = try call.identifier("consumer", as: ConsumerID.self)
        let query = try call.query()
        let device = try query.identifier("deviceId", as: DeviceID.self)
        let scope = try query.word("unregister", as: UnregisterScope.self) ?? .all
        do {
            _ = try await call.services.sessions.endAll(
                brand: brand.id,
                consumer: consumer,
                device: device,
                unregister: scope
            )
        } catch { throw Problem(error) }
        return Answer.noContent
    }
}

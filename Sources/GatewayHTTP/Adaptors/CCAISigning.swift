internal import GatewayModel
internal import GatewayStorage
internal import Hummingbird
internal import Identity
internal import TextFormats

/// Signs payloads for brands without their own signing service (R20-R24).
enum CCAISigning {
    static func sign(_ call: Call) async throws -> Response {
        let (brand, session) = try await caller(call)
        guard brand.settings.wire.ccai else { throw Problem.notFound("resource") }
        let body = try await call.object(ofAnyType: true)
        var checks = FieldChecks()
        let consumer = try session?.consumer ?? required(call, &checks)
        let app = checks.collect { () throws(Problem) in try call.query().identifier("app", as: AppID.self) }
        guard case .object(let payload)? = body["payload"].value else {
            checks.fail("/payload", body["payload"].isNamed ? "must be an object" : "is required")
            try checks.finish()
            throw Problem.unreadable("The payload is missing.")
        }
        let target = try checks.finish(consumer)
        let known = try await call.consumer(target, of: brand.id)
        // The gateway generated its id: signed, it would become an identity.
        guard known?.anonymous != true else {
            throw Problem(.forbidden, "An anonymous consumer has no identity to sign.")
        }
        let token: String
        do {
            token = try AssertionSigner(directory: call.services.directory, clock: call.services.clock).sign(
                payload,
                of: target,
                known?.profile ?? ConsumerProfile(),
                for: session,
                brand: brand.id,
                app: app.map { call.app(named: $0, of: brand.id).id }
            )
        } catch { throw Problem(error) }
        return ResponseFactory.object(.ok, capacity: token.utf8.count + 16) { $0.member("token", token) }
    }

    /// Returns the caller's brand and its session; nil for a back-end that may open sessions and names the consumer.
    private static func caller(_ call: Call) async throws(Problem) -> (Brand, StoredSession?) {
        let caller = try await call.caller(of: nil)
        let brand: BrandID
        var asking: StoredSession?
        switch caller {
        case .session(let session):
            (brand, asking) = (session.brand, session)
            // As for other routes: a session is bound to its consumer (R6).
            if let other = try call.query().text("consumer"), !other.hasSameBytes(as: session.consumer.rawValue) {
                throw .forbidden
            }
        case .account(let account):
            guard account.allows(.sessionsMint) else { throw .forbidden }
            brand = account.brand
        // The request does not identify the brand for which the operator would act.
        case .admin, .operator: throw Problem(AuthenticationError.unauthorized)
        }
        guard let known = call.services.directory.brand(brand) else { throw Problem(AuthenticationError.unauthorized) }
        return (known, asking)
    }

    private static func required(_ call: Call, _ checks: inout FieldChecks) throws(Problem) -> ConsumerID? {
        let consumer = checks.collect { () throws(Problem) in
            try call.query().identifier("consumer", as: ConsumerID.self)
        }
        if consumer == nil, try call.query().text("consumer") == nil {
            checks.fail("/consumer", "is required when the caller is not a consumer")
        }
        return consumer
    }
}

internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import TextFormats

/// Signing in and out (OperatorAccounts page), and what support may see by giving a reason.
enum OperatorSessionRoutes {
    /// The maximum length of a reason, in bytes.
    private static let maxReasonBytes = 512

    static func add(to routes: inout RouteTable) {
        routes.on(.post, "/v1/operators/session") { try await signIn($0) }
        routes.on(.get, "/v1/operators/session") { call in
            let (identity, token) = try await signedIn(call)
            return response(.ok, identity, token, call)
        }
        routes.on(.delete, "/v1/operators/session") { try await signOut($0) }
        routes.on(.post, "/v1/brands/:brand/messages/:messageId/reveal") { try await reveal($0) }
    }

    // MARK: Sessions

    private static func signIn(_ call: Call) async throws -> Response {
        try call.limitAddress()
        let body = try await call.object()
        var checks = FieldChecks()
        let name = checks.line(body["name"], atMost: 128, isRequired: true)
        let password = checks.text(body["password"], isRequired: true)
        let most = OperatorService.maxPasswordCharacters
        if let password, !(1...most).contains(password.unicodeScalars.count) {
            checks.fail("/password", "must have 1 to \(most) characters")
        }
        let (valid, secret) = try checks.finish(name, password)
        try call.requireSecrecy()
        let opened: OperatorService.Opened
        do {
            opened = try await call.services.operators.signIn(valid, password: secret, address: call.addressName) {
                name in
                call.services.directory.entry(
                    .operatorSignedIn,
                    brand: nil,
                    target: name.rawValue,
                    by: origin(name, call)
                )
            }
        } catch { throw Problem(error) }
        call.context.notes.caller = .operator(opened.identity)
        var response = response(.created, opened.identity, opened.token, call)
        response.headers[.setCookie] = call.setCookie(opened.token)
        return response
    }

    /// The origin of an operator who signs in.
    static func origin(_ name: OperatorName, _ call: Call) -> AuditOrigin {
        AuditOrigin(actor: AuditActor(kind: .operator, id: name.rawValue), requestID: call.requestID)
    }

    /// Allows only operators who are signed in.
    private static func signedIn(_ call: Call) async throws -> (identity: OperatorIdentity, token: String) {
        guard case .operator = try await call.caller(of: nil) else { throw Problem.forbidden }
        return try await call.signedIn()
    }

    private static func signOut(_ call: Call) async throws -> Response {
        let (identity, _) = try await signedIn(call)
        let audit = try call.auditEntry(.operatorSignedOut, brand: nil, target: identity.name.rawValue)
        _ = try await call.read { store throws(StorageError) in
            try await store.endOperatorSession(tokenHash: identity.tokenHash, audit: audit)
        }
        var response = ResponseFactory.noContent
        response.headers[.setCookie] = call.setCookie("")
        return response
    }

    private static func response(
        _ status: HTTPResponse.Status,
        _ identity: OperatorIdentity,
        _ token: String,
        _ call: Call
    ) -> Response {
        ResponseFactory.object(status, capacity: 384) { writer in
            writer.member("name", identity.name.rawValue)
            writer.operatorRoles(identity.grants)
            writer.member("csrfToken", call.services.operators.csrfToken(of: token))
            writer.member("expiresAt", identity.expiresAt)
            writer.member("idleSeconds", OperatorService.idleSeconds)
        }
    }

    // MARK: Messages

    /// Shows one message with its text to a caller who says why.
    private static func reveal(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.consumersRead)
        let body = try await call.object()
        var checks = FieldChecks()
        let reason = checks.line(body["reason"], atMost: maxReasonBytes, isRequired: true)
        checks.rejectOthers(in: body, than: ["reason"])
        let given = try checks.finish(reason)
        guard let id = MessageID(try call.segment("messageId")) else { throw Problem.notFound("message") }
        var entry = try call.auditEntry(.messageRevealed, brand: brand.id, target: id.description)
        entry.reason = given
        let (wanted, hour) = (entry, Int64(3600))
        let revelation = try await call.read { store throws(StorageError) in
            try await store.revealMessage(
                id,
                audit: wanted,
                limit: OperatorService.revealsPerHour,
                since: wanted.at.adding(seconds: -hour)
            )
        }
        switch revelation {
        case .unknown: throw Problem.notFound("message")
        case .limited(let start):
            throw Problem(
                .rateLimited,
                "At most \(OperatorService.revealsPerHour) messages are revealed in an hour.",
                retryAfterSeconds: max(1, Int(start.adding(seconds: hour).seconds - wanted.at.seconds))
            )
        case .message(let message):
            call.context.notes.hidesTexts = false
            return ResponseFactory.json(.ok, capacity: 1024) { $0.message(message) }
        }
    }
}

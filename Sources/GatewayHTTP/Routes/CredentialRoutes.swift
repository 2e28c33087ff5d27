internal import GatewayModel
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import PushPayloads

/// Credentials of a brand (`http-api.md` section 2); a secret is shown once.
enum CredentialRoutes {
    static func add(to routes: inout RouteTable) {
        routes.on(.post, "/v1/brands/:brand/credentials") { try await create($0) }
        routes.on(.get, "/v1/brands/:brand/credentials") { try await list($0) }
        routes.on(.delete, "/v1/brands/:brand/credentials/:credential") { try await revoke($0) }
    }

    private static func create(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.brandAdmin)
        let body = try await call.object()
        return try await call.once(body, .refused) { try await create(body, brand, call) }
    }

    private static func create(_ body: BodyObject, _ brand: Brand, _ call: Call) async throws -> Response {
        let wanted = try CredentialBody(body).checked(at: call.services.clock.now)
        if let app = wanted.app, call.services.directory.app(brand: brand.id, app: app) == nil {
            throw Problem(invalid: "/app", "is not an app of the brand")
        }
        let issued = try await call.administer { directory throws(DirectoryError) in
            switch wanted.kind {
            case .serviceAccount:
                try await directory.issueServiceAccount(
                    brand: brand.id,
                    name: wanted.name,
                    scopes: wanted.scopes,
                    expiresAt: wanted.expiresAt
                )
            case .sdkKey:
                try await directory.issueSDKKey(
                    brand: brand.id,
                    name: wanted.name,
                    algorithm: wanted.algorithm,
                    secret: wanted.secret,
                    app: wanted.app,
                    expiresAt: wanted.expiresAt
                )
            }
        }
        var writer = JSONWriter(capacity: 384)
        writer.credential(issued.summary, secret: issued.secret)
        return Answer.json(.created, writer).uncached()
    }

    private static func list(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.brandAdmin)
        let all = call.services.directory.credentials(brand: brand.id).sorted { $0.id < $1.id }
        let (items, next) = try call.page().page(of: all) { $0.id }
        return Answer.page(items, next: next) { $0.credential($1, secret: nil) }
    }

    private static func revoke(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.brandAdmin)
        let id = try call.segment("credential")
        try await call.administer { directory throws(DirectoryError) in
            try await directory.revokeCredential(brand: brand.id, id: id)
        }
        return Answer.noContent
    }
}

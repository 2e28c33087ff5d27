internal import GatewayModel
internal import GuardedHTTP
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import TextFormats

/// Credentials of a brand (BrandsAndApps page); a secret is returned once.
enum CredentialRoutes {
    static func add(to routes: inout RouteTable) {
        routes.on(.post, "/v1/brands/:brand/credentials") { try await create($0) }
        routes.on(.get, "/v1/brands/:brand/credentials") { try await list($0) }
        routes.on(.get, "/v1/brands/:brand/credentials/:credential") { try await get($0) }
        routes.on(.delete, "/v1/brands/:brand/credentials/:credential") { try await revoke($0) }
    }

    private static func create(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.brandAdmin)
        let body = try await call.object()
        return try await call.once(body, .refused) { try await create(body, brand, call) }
    }

    private static func create(_ body: BodyObject, _ brand: Brand, _ call: Call) async throws -> Response {
        let (now, addresses) = (call.services.clock.now, call.services.outbound.addresses)
        // Keys are parsed here, and so validated.
        let read = try await call.administer { directory throws(DirectoryError) in
            try await directory.keyWork.run(of: brand.id) {
                Result { () throws(Problem) in try CredentialBody(body, at: now, addresses: addresses) }
            }
        }
        let wanted = try read.get()
        let origin = try call.origin()
        let issued = try await call.administer { directory throws(DirectoryError) in
            try await directory.issue(
                wanted.request,
                brand: brand.id,
                name: wanted.name,
                expiresAt: wanted.expiresAt,
                by: origin
            )
        }
        let created = CredentialResponse(summary: issued.summary, secret: issued.secret)
        var response = try ResponseFactory.json(.created, created)
        response.headers[.location] = "/v1/brands/\(brand.id)/credentials/\(issued.summary.id)"
        return response
    }

    private static func list(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.brandAdmin)
        let kind = try call.query().word("kind", as: CredentialKind.self)
        let all = call.services.directory.credentials(brand: brand.id)
            .filter { kind == nil || $0.kind == kind }
            .sorted { $0.id < $1.id }
        let (items, next) = try call.page().page(of: all) { $0.id }
        return try call.tagged(PageResponse(items: items.map { CredentialResponse(summary: $0) }, nextCursor: next))
    }

    private static func get(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.brandAdmin)
        let id = try call.segment("credential")
        guard let credential = call.services.directory.credential(brand: brand.id, id: id) else {
            throw Problem.notFound("credential")
        }
        return try call.tagged(CredentialResponse(summary: credential))
    }

    private static func revoke(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.brandAdmin)
        let id = try call.segment("credential")
        let origin = try call.origin()
        try await call.administer { directory throws(DirectoryError) in
            try await directory.revokeCredential(brand: brand.id, id: id, by: origin)
        }
        return ResponseFactory.noContent
    }
}

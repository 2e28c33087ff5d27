internal import GatewayModel
internal import HTTPTypes
internal import Hummingbird
internal import Identity

/// Brands (`http-api.md` section 2).
///
/// Making, listing and deleting them is the instance's business; reading and changing one is also its own `brand:admin`'s.
enum BrandRoutes {
    static func add(to routes: inout RouteTable) {
        routes.on(.post, "/v1/brands") { try await create($0) }
        routes.on(.get, "/v1/brands") { try await list($0) }
        routes.on(.get, "/v1/brands/:brand") { call in
            try Answer.json(.ok, BrandAnswer(try await call.requireBackend(.brandAdmin)))
        }
        routes.on(.patch, "/v1/brands/:brand") { try await update($0) }
        routes.on(.delete, "/v1/brands/:brand") { try await delete($0) }
    }

    private static func create(_ call: Call) async throws -> Response {
        try await call.requireAdmin()
        let (wanted, webhook, secret) = try await call.decode(BrandBody.self).brand(
            createdAt: call.services.clock.now,
            allowsPrivate: call.services.outbound.allowsPrivateAddresses
        )
        let brand = try await call.administer { directory throws(DirectoryError) in
            try await directory.createBrand(wanted, webhook: webhook)
        }
        var response = try answer(.created, brand, secret)
        response.headers[.location] = "/v1/brands/\(brand.id)"
        return response
    }

    private static func list(_ call: Call) async throws -> Response {
        try await call.requireAdmin()
        let (items, next) = try PageRequest(call.query()).page(of: call.services.directory.brands) { $0.id.rawValue }
        return try Answer.json(.ok, PageAnswer(items: items.map { BrandAnswer($0) }, nextCursor: next))
    }

    private static func update(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.brandAdmin)
        let (wanted, webhook, secret) = try await call.decode(BrandPatch.self, mayBeEmpty: true).apply(
            to: brand,
            allowsPrivate: call.services.outbound.allowsPrivateAddresses
        )
        let changed = try await call.administer { directory throws(DirectoryError) in
            try await directory.updateBrand(
                brand.id,
                name: wanted.name,
                settings: wanted.settings,
                webhook: webhook
            )
        }
        return try answer(.ok, changed, secret)
    }

    /// A secret that was made is shown this once.
    private static func answer(
        _ status: HTTPResponse.Status,
        _ brand: Brand,
        _ secret: WebhookSecret?
    ) throws -> Response {
        let response = try Answer.json(status, BrandAnswer(brand, secret: secret?.text))
        return secret == nil ? response : response.uncached()
    }

    private static func delete(_ call: Call) async throws -> Response {
        // Its own administrator may not: what is gone cannot be restored by those who are gone with it.
        try await call.requireAdmin(of: BrandID(try call.segment("brand")))
        let brand = try call.brand()
        try await call.administer { directory throws(DirectoryError) in try await directory.deleteBrand(brand.id) }
        return Answer.noContent
    }
}

internal import GatewayModel
internal import GuardedHTTP
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import TextFormats

/// Brands (BrandsAndApps page).
///
/// Only the instance's administrator creates, lists and deletes brands; a brand's `brand:admin` may read and change its
/// own.
enum BrandRoutes {
    static func add(to routes: inout RouteTable) {
        routes.on(.post, "/v1/brands") { try await create($0) }
        routes.on(.get, "/v1/brands") { try await list($0) }
        routes.on(.get, "/v1/brands/:brand") { call in
            try call.tagged(BrandResponse(try await call.requireBackend(.brandAdmin)))
        }
        routes.on(.patch, "/v1/brands/:brand") { try await update($0) }
        routes.on(.delete, "/v1/brands/:brand") { try await delete($0) }
    }

    private static func create(_ call: Call) async throws -> Response {
        try await call.requireAdmin()
        let body = try await call.object()
        // The response may contain a webhook's secret, which is not stored with it.
        var repetition = Call.Repetition.replayed
        if case .object(let settings) = body["settings"].value, settings["webhook"] != nil { repetition = .refused }
        return try await call.once(body, repetition) { try await create(body, call) }
    }

    private static func create(_ body: BodyObject, _ call: Call) async throws -> Response {
        let (wanted, webhook) = try BrandBody.brand(
            body,
            createdAt: call.services.clock.now,
            addresses: call.services.outbound.addresses
        )
        let origin = try call.origin()
        let (brand, secret) = try await call.administer { directory throws(DirectoryError) in
            var brand = wanted
            var made: WebhookSecret?
            if let webhook { (brand.webhook, made) = try directory.webhook(nil, changedBy: webhook, of: brand.id) }
            try await directory.createBrand(brand, by: origin)
            return (brand, made)
        }
        var response = try ResponseFactory.json(.created, BrandResponse(brand, secret: secret?.text))
        response.headers[.location] = "/v1/brands/\(brand.id)"
        return response
    }

    private static func list(_ call: Call) async throws -> Response {
        try await call.requireAdmin()
        let (items, next) = try call.page().page(of: call.services.directory.brands) { $0.id.rawValue }
        return try ResponseFactory.json(.ok, PageResponse(items: items.map { BrandResponse($0) }, nextCursor: next))
    }

    private static func update(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.brandAdmin)
        let patch = try BrandPatch(
            try await call.object(mayBeEmpty: true),
            addresses: call.services.outbound.addresses
        )
        let origin = try call.origin()
        let givesHosts = call.isForInstanceAdmin
        let (changed, secret) = try await call.administer { directory throws(DirectoryError) in
            var made: WebhookSecret?
            let changed = try await directory.updateBrand(brand.id, by: origin) { brand throws(DirectoryError) in
                guard call.mayChange(try? EntityTag(of: BrandResponse(brand))) else { throw .changed }
                let hosts = brand.settings.linkHosts
                patch.apply(to: &brand)
                guard givesHosts || brand.settings.linkHosts == hosts else { throw .forbidden }
                guard let webhook = patch.webhook else { return }
                (brand.webhook, made) = try directory.webhook(brand.webhook, changedBy: webhook, of: brand.id)
            }
            return (changed, made)
        }
        guard let secret else { return try call.changed(.ok, BrandResponse(changed)) }
        // The secret is returned once; the tag is that of the next representation.
        var response = try call.changed(.ok, BrandResponse(changed, secret: secret.text))
        response.headers[.eTag] = try EntityTag(of: BrandResponse(changed)).text
        return response
    }

    private static func delete(_ call: Call) async throws -> Response {
        // The brand's own administrator may not: deleted data cannot be restored by a caller that is deleted with it.
        try await call.requireAdmin(of: BrandID(try call.segment("brand")))
        let brand = try call.brand()
        let origin = try call.origin()
        try await call.administer { directory throws(DirectoryError) in
            try await directory.deleteBrand(brand.id, by: origin)
        }
        return ResponseFactory.noContent
    }
}

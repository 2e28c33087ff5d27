internal import GatewayModel
internal import HTTPTypes
internal import Hummingbird
internal import Identity

/// Apps with their push credentials (BrandsAndApps page): secrets are stored but never returned.
enum AppRoutes {
    static func add(to routes: inout RouteTable) {
        routes.on(.put, "/v1/brands/:brand/apps/:app") { try await put($0) }
        routes.on(.get, "/v1/brands/:brand/apps/:app") { try await get($0) }
        routes.on(.delete, "/v1/brands/:brand/apps/:app") { try await delete($0) }
        routes.on(.get, "/v1/brands/:brand/apps") { try await list($0) }
    }

    private static func put(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.brandAdmin)
        let app = try call.identifier("app", as: AppID.self)
        let settings = try AppBody.settings(try await call.object())
        let origin = try call.origin()
        let addresses = call.services.outbound.addresses
        let (stored, isNew) = try await call.administer { directory throws(DirectoryError) in
            try await directory.putApp(brand: brand.id, app: app, settings: settings, by: origin) {
                old,
                settings throws(DirectoryError) in
                guard call.mayChange(old.flatMap { try? EntityTag(of: $0.redacted) }) else { throw .changed }
                let problems = AppBody.problems(ofEndpoints: settings, addresses)
                if !problems.isEmpty { throw .invalid(problems) }
            }
        }
        return try call.changed(isNew ? .created : .ok, stored.redacted)
    }

    private static func get(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.brandAdmin)
        guard let app = call.services.directory.app(brand: brand.id, app: try call.appID()) else {
            throw Problem.notFound("app")
        }
        return try call.tagged(app.redacted)
    }

    private static func list(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.brandAdmin)
        let apps = call.services.directory.apps(brand: brand.id)
        let (items, next) = try call.page().page(of: apps) { $0.id.rawValue }
        return try ResponseFactory.json(.ok, PageResponse(items: items.map(\.redacted), nextCursor: next))
    }

    private static func delete(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.brandAdmin)
        let app = try call.appID()
        let origin = try call.origin()
        try await call.administer { directory throws(DirectoryError) in
            try await directory.deleteApp(brand: brand.id, app: app, by: origin)
        }
        return ResponseFactory.noContent
    }
}

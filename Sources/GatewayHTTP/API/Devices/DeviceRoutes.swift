internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import TextFormats

/// Registrations (DevicesBadgesTaps page).
///
/// A session that is bound to a device acts only for that device: 403 for others. A back-end with `consumers:write`
/// names the consumer by `?consumer=`.
enum DeviceRoutes {
    static func add(to routes: inout RouteTable) {
        let path = "/v1/brands/:brand/apps/:app/devices/:deviceId"
        routes.on(.put, path, pages: .brand) { try await put($0) }
        routes.on(.get, path, pages: .brand) { try await get($0) }
        routes.on(.delete, path, pages: .brand) { try await delete($0) }
        routes.on(.get, "/v1/brands/:brand/consumers/:consumer/devices") { try await list($0) }
    }

    private static func put(_ call: Call) async throws -> Response {
        let (access, app, device, isSandbox) = try await target(call)
        guard let known = call.services.directory.app(brand: access.brand.id, app: app) else {
            throw Problem.notFound("app")
        }
        let body = DeviceBody(body: try await call.object())
        let wanted = try body.registration(of: device, app: known, consumer: access.consumer, isSandbox: isSandbox)
        guard let change = try await call.register(wanted, access.session, access.brand) else {
            // The app was deleted in between.
            throw Problem.notFound("app")
        }
        return ResponseFactory.json(change.created ? .created : .ok, capacity: 512) {
            $0.registration(change.registration)
        }
    }

    private static func get(_ call: Call) async throws -> Response {
        let (access, app, device, _) = try await target(call, .consumersRead)
        let (found, consumer) = try await call.read { store throws(StorageError) in
            let found = try await store.registration(brand: access.brand.id, app: app, device: device)
            // A back-end may use an id of the consumer that was merged.
            return (found, try await store.consumer(brand: access.brand.id, id: access.consumer))
        }
        guard let found, found.consumer == consumer?.id else { throw Problem.notFound("device") }
        return ResponseFactory.json(.ok, capacity: 512) { $0.registration(found) }
    }

    private static func delete(_ call: Call) async throws -> Response {
        let (access, app, device, _) = try await target(call)
        let scope = try call.query().word("unregister", as: UnregisterScope.self) ?? .all
        if scope != .none {
            _ = try await call.perform(
                .unregister(brand: access.brand.id, consumer: access.consumer, app: app, device: device, scope: scope)
            )
        }
        return ResponseFactory.noContent
    }

    private static func list(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.consumersRead)
        let consumer = try call.identifier("consumer", as: ConsumerID.self)
        let page = try call.page()
        let found = try await call.read { store throws(StorageError) in
            try await store.registrations(brand: brand.id, consumer: consumer)
        }
        // A device may be registered for several apps of the brand.
        let sorted = found.map { (key: "\($0.device.rawValue)\u{0}\($0.app.rawValue)", registration: $0) }
            .sorted { $0.key < $1.key }
        let (items, next) = page.page(of: sorted) { $0.key }
        return ResponseFactory.page(items, next: next) { $0.registration($1.registration) }
    }

    private static func target(
        _ call: Call,
        _ scope: Scope = .consumersWrite
    ) async throws -> (ConsumerAccess, AppID, DeviceID, isSandbox: Bool) {
        let access = try await call.requireConsumer(scope)
        let app = call.app(named: try call.appID(), of: access.brand.id)
        let device = try call.identifier("deviceId", as: DeviceID.self)
        try access.require(device: device)
        return (access, app.id, device, app.isSandbox)
    }
}

internal import GatewayModel
internal import HTTPTypes
internal import Hummingbird
internal import PushProviders
internal import TextFormats

/// The ends of certificates, credentials and keys (OperatorEvents page).
enum CalendarRoutes {
    static func add(to routes: inout RouteTable) {
        routes.on(.get, "/v1/calendar") { call in
            try await call.requireAdmin()
            return try list(call, brand: nil)
        }
        routes.on(.get, "/v1/brands/:brand/calendar") { call in
            try list(call, brand: try await call.requireBackend(.brandAdmin).id)
        }
    }

    private static func list(_ call: Call, brand: BrandID?) throws -> Response {
        let entries = ExpiryCalendar.entries(
            of: call.services.directory,
            brand: brand,
            serverEndsAt: call.services.serverCertificateEndsAt(),
            now: call.services.hostClock.now
        )
        let (items, next) = try call.page().page(of: entries) { $0.key }
        return ResponseFactory.page(items, next: next) { $0.entry($1) }
    }
}

extension JSONWriter {
    fileprivate mutating func entry(_ entry: ExpiryCalendar.Entry) {
        literal("{")
        member("kind", entry.kind.rawValue)
        member("brand", orNull: entry.brand?.rawValue)
        member("name", orNull: entry.name)
        member("credential", orNull: entry.credential?.rawValue)
        member("since", orNull: entry.since)
        member("endsAt", orNull: entry.endsAt)
        member("expiry", orNull: entry.expiry?.rawValue)
        member("isDue", entry.isDue)
        literal("}")
    }
}

internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import TextFormats

/// The audit trail (APIConventions page): who changed what, and when, without values.
///
/// A brand's own trail starts at its creation; entries about deleted brands are only for the instance's administrator.
enum AuditRoutes {
    static func add(to routes: inout RouteTable) {
        routes.on(.get, "/v1/brands/:brand/audit") { call in
            let brand = try await call.requireBackend(.brandAdmin)
            return try await list(call, brand: brand.id)
        }
        routes.on(.get, "/v1/audit") { call in
            try await call.requireAdmin()
            return try await list(call, brand: nil)
        }
    }

    private static func list(_ call: Call, brand: BrandID?) async throws -> Response {
        let parameters = try call.query()
        let page = try call.page()
        var before: Int64?
        if let after = page.after {
            guard let number = Int64(after), number > 0 else { throw PageRequest.badCursor }
            before = number
        }
        let query = AuditQuery(
            brand: brand,
            since: try parameters.moment("since"),
            until: try parameters.moment("until"),
            before: before,
            // One more than requested, to know whether there is a next page.
            limit: page.limit + 1
        )
        let found = try await call.read { store throws(StorageError) in try await store.audit(query) }
        let items = found.prefix(page.limit)
        let next = found.count > page.limit ? items.last.map { page.cursor(after: String($0.id)) } : nil
        return ResponseFactory.page(items, next: next) { $0.audit($1) }
    }
}

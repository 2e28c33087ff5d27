internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import TextFormats

/// Statistics of campaigns of proactive messages (SendingMessages page).
enum CampaignRoutes {
    static func add(to routes: inout RouteTable) {
        routes.on(.get, "/v1/brands/:brand/campaigns") { try await list($0) }
        routes.on(.get, "/v1/brands/:brand/campaigns/:campaign") { try await get($0) }
    }

    /// A page of campaigns, newest first.
    private static func list(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.deliveriesRead)
        let page = try call.page()
        let before = try page.after.map { cursor throws(Problem) in
            guard let number = Int64(cursor) else { throw PageRequest.badCursor }
            return number
        }
        let found = try await call.read { store throws(StorageError) in
            try await store.campaigns(brand: brand.id, before: before, limit: page.limit + 1)
        }
        let items = found.prefix(page.limit)
        let last = found.count > page.limit ? items.last : nil
        return ResponseFactory.page(items, next: last.map { page.cursor(after: String($0.number)) }) { $0.campaign($1) }
    }

    private static func get(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.deliveriesRead)
        let id = try call.identifier("campaign", as: CampaignID.self)
        let found = try await call.read { store throws(StorageError) in
            try await store.campaign(brand: brand.id, id: id)
        }
        guard let found else { throw Problem.notFound("campaign") }
        return ResponseFactory.json(.ok, capacity: 512) { $0.campaign(found) }
    }
}

internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import PushPayloads

/// What became of messages (`http-api.md` section 9).
enum DeliveryRoutes {
    static func add(to routes: inout RouteTable) {
        routes.on(.get, "/v1/brands/:brand/deliveries") { try await list($0) }
        routes.on(.get, "/v1/brands/:brand/deliveries/:delivery") { try await get($0) }
    }

    private static func list(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.deliveriesRead)
        let parameters = try call.query()
        let page = try call.page()
        var query = DeliveryQuery(brand: brand.id, limit: page.limit)
        query.consumer = try parameters.identifier("consumer", as: ConsumerID.self)
        query.device = try parameters.identifier("device", as: DeviceID.self)
        if let text = try parameters.text("message") {
            guard let id = MessageID(text) else { throw Problem(invalid: "/message", "must be a UUID") }
            query.message = id
        }
        query.state = try parameters.word("state", as: DeliveryState.self)
        query.provider = try parameters.word("provider", as: PushType.self)
        query.reason = try parameters.text("reason")
        query.since = try parameters.moment("since")
        query.until = try parameters.moment("until")
        if let after = page.after {
            guard let number = Int64(after), number > 0 else { throw PageRequest.badCursor }
            query.before = DeliveryID(number)
        }
        let wanted = query
        let found = try await call.read { store throws(StorageError) in try await store.deliveries(wanted) }
        let last = found.next == nil ? nil : found.items.last
        return Answer.page(found.items, next: last.map { page.cursor(after: $0.id.description) }) {
            $0.literal("{")
            $0.deliveryMembers($1)
            $0.literal("}")
        }
    }

    private static func get(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.deliveriesRead)
        guard let number = Int64(try call.segment("delivery")), number > 0 else { throw Problem.notFound("delivery") }
        let found = try await call.read { store throws(StorageError) in
            try await store.delivery(brand: brand.id, id: DeliveryID(number))
        }
        guard let found else { throw Problem.notFound("delivery") }
        var writer = JSONWriter(capacity: 512 + found.attempts.count * 128)
        writer.literal("{")
        writer.deliveryMembers(found.record)
        writer.literal(#","attemptLog":["#)
        for (index, attempt) in found.attempts.enumerated() {
            if index > 0 { writer.literal(",") }
            writer.attempt(attempt)
        }
        writer.literal("]}")
        return Answer.json(.ok, writer)
    }
}

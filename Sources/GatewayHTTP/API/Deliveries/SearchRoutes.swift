internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import TextFormats

/// The search of operators: from any name to what it is and where it is (Deliveries page).
enum SearchRoutes {
    /// The maximum length of a text in bytes: that of a push token.
    private static let maxBytes = 4096
    /// The number of a consumer's newest deliveries whose provider's ids are compared.
    private static let comparedDeliveries = 50

    static func add(to routes: inout RouteTable) {
        routes.on(.get, "/v1/brands/:brand/search") { try await search($0) }
    }

    private static func search(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.deliveriesRead)
        let parameters = try call.query()
        var checks = FieldChecks()
        let text = checks.collect { () throws(Problem) in try line("q", of: parameters, atMost: maxBytes) }
        let consumer = checks.collect { () throws(Problem) in
            try parameters.identifier("consumer", as: ConsumerID.self)
        }
        let source = checks.collect { () throws(Problem) in
            try line("source", of: parameters, atMost: EventLimits.sourceBytes)
        }
        if text == nil, checks.problems.isEmpty { checks.fail("/q", "is required") }
        try checks.finish()
        guard let text else { throw Problem(invalid: "/q", "is required") }
        let hits = try await hits(text, of: consumer, source: source ?? "", brand.id, call)
        return ResponseFactory.object(.ok, capacity: 64 + hits.count * 256) { writer in
            writer.array("items", hits) { $0.searchHit($1, brand: brand.id) }
        }
    }

    private static func line(
        _ name: BoundedName,
        of parameters: QueryParameters,
        atMost limit: Int
    ) throws(Problem) -> String? {
        guard let text = try parameters.text(name) else { return nil }
        guard !text.isEmpty, text.utf8.count <= limit,
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw Problem(invalid: "/" + name.text, "must be 1 to \(limit) bytes without control characters") }
        return text
    }

    private static func hits(
        _ text: String,
        of consumer: ConsumerID?,
        source: String,
        _ brand: BrandID,
        _ call: Call
    ) async throws(Problem) -> [SearchHit] {
        var hits = try await call.read { store throws(StorageError) in try await store.search(text, brand: brand) }
        // Other forms of a number, such as `007`, are no ids.
        if let number = Int64(text), number > 0, String(number) == text {
            let found = try await call.read { store throws(StorageError) in
                try await store.delivery(brand: brand, id: DeliveryID(number))
            }
            if let found { hits.append(SearchHit(.delivery(found.record.id), of: found.record.consumer, by: .id)) }
        }
        guard let consumer else { return hits }
        if let event = EventID(text) {
            let now = call.services.clock.now
            let message = try await call.read { store throws(StorageError) in
                try await store.message(ofEvent: event, source: source, consumer: consumer, brand: brand, now: now)
            }
            if let message {
                // The consumer may have been merged into another since.
                let found = try await call.read { store throws(StorageError) in
                    try await store.search(message.description, brand: brand)
                }
                hits += found.filter { $0.thing == .message(message) }
                    .map { SearchHit($0.thing, of: $0.consumer, by: .eventID) }
            }
        }
        guard !hits.contains(where: { $0.name == .apnsID }) else { return hits }
        var query = DeliveryQuery(brand: brand, limit: comparedDeliveries)
        query.consumer = consumer
        let wanted = query
        let page = try await call.read { store throws(StorageError) in try await store.deliveries(wanted) }
        for record in page.items where record.providerID?.hasSameBytes(as: text) == true {
            hits.append(SearchHit(.delivery(record.id), of: record.consumer, by: .providerID))
        }
        return hits
    }
}

extension JSONWriter {
    /// Appends what a search found, with its path.
    fileprivate mutating func searchHit(_ hit: SearchHit, brand: BrandID) {
        func encoded(_ text: String) -> String { PercentEncoding.encode(text.utf8, .component) }
        let consumer = encoded(hit.consumer.rawValue)
        literal("{")
        let path: String
        switch hit.thing {
        case .consumer:
            member("kind", "consumer")
            member("id", hit.consumer.rawValue)
            path = "consumers/\(consumer)"
        case .device(let app, let device):
            member("kind", "device")
            member("id", device.rawValue)
            member("app", app.rawValue)
            path = "apps/\(app)/devices/\(encoded(device.rawValue))?consumer=\(consumer)"
        case .message(let id):
            member("kind", "message")
            member("id", id.description)
            path = "deliveries?message=\(id)"
        case .delivery(let id):
            member("kind", "delivery")
            member("id", id.description)
            path = "deliveries/\(id)"
        }
        member("consumer", hit.consumer.rawValue)
        member("foundBy", hit.name.rawValue)
        member("url", "/v1/brands/\(brand)/\(path)")
        literal("}")
    }
}

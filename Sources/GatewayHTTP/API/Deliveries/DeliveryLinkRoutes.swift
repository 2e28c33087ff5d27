internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import TextFormats

/// Links that show one delivery without its text to whoever has them (Console page).
enum DeliveryLinkRoutes {
    /// The lifetime of a link, in seconds; the longest is the default.
    private static let lifetime: ClosedRange<Int64> = 60...86_400
    /// The maximum number of links of a delivery and of a brand.
    private static let (limit, brandLimit) = (16, 1000)

    static func add(to routes: inout RouteTable) {
        let path = "/v1/brands/:brand/deliveries/:delivery/links"
        routes.on(.post, path) { try await create($0) }
        routes.on(.get, path) { try await list($0) }
        routes.on(.delete, path + "/:link") { try await revoke($0) }
        routes.on(.get, "/v1/delivery-links/:linkToken") { try await open($0) }
    }

    // MARK: Operators

    private static func create(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.deliveriesRead)
        let body = try await call.object()
        return try await call.once(body, .refused) { try await create(body, brand, call) }
    }

    private static func create(_ body: BodyObject, _ brand: Brand, _ call: Call) async throws -> Response {
        var checks = FieldChecks()
        let seconds = checks.integer(body["expiresInSeconds"], in: lifetime) ?? lifetime.upperBound
        checks.rejectOthers(in: body, than: ["expiresInSeconds"])
        try checks.finish()
        let delivery = try await DeliveryRoutes.find(try DeliveryRoutes.id(call), brand, call).record.id
        let (token, hash) = RandomToken.deliveryLink.make()
        let now = call.services.clock.now
        let link = StoredDeliveryLink(
            tokenHash: hash,
            brand: brand.id,
            delivery: delivery,
            actor: try call.origin().actor,
            createdAt: now,
            expiresAt: now.adding(seconds: seconds)
        )
        let audit = try call.auditEntry(.deliveryLinkCreated, brand: brand.id, target: "\(delivery)/\(link.id)")
        let isStored = try await call.read { store throws(StorageError) in
            try await store.insertDeliveryLink(link, limit: limit, brandLimit: brandLimit, audit: audit)
        }
        guard isStored else {
            throw Problem(.conflict, "A delivery has at most \(limit) links, and a brand \(brandLimit).")
        }
        return ResponseFactory.object(.created, capacity: 384) { writer in
            writer.linkMembers(link)
            writer.member("token", token)
            writer.member("url", "/console/links/" + token)
        }
    }

    private static func list(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.deliveriesRead)
        let page = try call.page()
        _ = try await DeliveryRoutes.find(try DeliveryRoutes.id(call), brand, call)
        let (items, next) = page.page(of: try await links(of: brand, call)) { $0.id }
        return ResponseFactory.page(items, next: next) { writer, link in
            writer.literal("{")
            writer.linkMembers(link)
            writer.literal("}")
        }
    }

    private static func revoke(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.deliveriesRead)
        let id = try call.segment("link")
        guard let link = try await links(of: brand, call).first(where: { $0.id.hasSameBytes(as: id) }) else {
            throw Problem.notFound("link")
        }
        let target = "\(link.delivery)/\(link.id)"
        let audit = try call.auditEntry(.deliveryLinkRevoked, brand: brand.id, target: target)
        _ = try await call.read { store throws(StorageError) in
            try await store.deleteDeliveryLink(tokenHash: link.tokenHash, audit: audit)
        }
        return ResponseFactory.noContent
    }

    private static func links(of brand: Brand, _ call: Call) async throws(Problem) -> [StoredDeliveryLink] {
        let (delivery, now) = (try DeliveryRoutes.id(call), call.services.clock.now)
        return try await call.read { store throws(StorageError) in
            try await store.deliveryLinks(brand: brand.id, delivery: delivery, now: now)
        }
    }

    // MARK: Everybody

    private static func open(_ call: Call) async throws -> Response {
        try call.limitAddress()
        try call.requireSecrecy()
        call.context.notes.hidesTexts = true
        let now = call.services.clock.now
        guard let hash = RandomToken.deliveryLink.hash(of: try call.segment("linkToken")),
            let link = try await call.read({ store throws(StorageError) in
                try await store.deliveryLink(tokenHash: hash, now: now)
            }), let brand = call.services.directory.brand(link.brand)
        else { throw Problem.notFound("link") }
        try call.count(for: brand.id)
        let delivery = try await DeliveryRoutes.find(link.delivery, brand, call)
        let explained = try await ExplanationRoutes.explanation(of: delivery.record, brand, call)
        var response = ResponseFactory.object(.ok, capacity: 2048) { writer in
            writer.member("brand", brand.id.rawValue)
            writer.member("expiresAt", link.expiresAt)
            writer.name(known: "delivery")
            writer.deliveryDetail(delivery)
            writer.name(known: "explanation")
            if let explained {
                writer.literal("{")
                writer.explanationMembers(explained)
                writer.literal("}")
            } else {
                writer.literal("null")
            }
        }
        // The path has the token.
        response.headers[.referrerPolicy] = "no-referrer"
        return response
    }
}

extension StoredDeliveryLink {
    /// The name by which it is revoked: the first 16 hexadecimal digits of the hash, which is also its order in a list.
    fileprivate var id: String { Hexadecimal.text(tokenHash.prefix(8)) }
}

extension JSONWriter {
    fileprivate mutating func linkMembers(_ link: StoredDeliveryLink) {
        member("id", link.id)
        member("createdBy", link.actor)
        member("createdAt", link.createdAt)
        member("expiresAt", link.expiresAt)
    }
}

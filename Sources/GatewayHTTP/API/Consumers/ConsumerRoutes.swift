internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import TextFormats

/// Consumer data for back-ends: read, change, merge, erase, export (LoggingConsumersIn page).
enum ConsumerRoutes {
    static func add(to routes: inout RouteTable) {
        routes.on(.get, "/v1/brands/:brand/consumers/:consumer") { try await get($0) }
        routes.on(.patch, "/v1/brands/:brand/consumers/:consumer") { try await patch($0) }
        routes.on(.delete, "/v1/brands/:brand/consumers/:consumer") { try await erase($0) }
        routes.on(.get, "/v1/brands/:brand/consumers/:consumer/export") { try await export($0) }
    }

    private static func target(_ call: Call, _ scope: Scope = .consumersWrite) async throws -> (Brand, ConsumerID) {
        let brand = try await call.requireBackend(scope)
        return (brand, try call.identifier("consumer", as: ConsumerID.self))
    }

    // MARK: One consumer

    private static func get(_ call: Call) async throws -> Response {
        let (brand, id) = try await target(call, .consumersRead)
        guard let consumer = try await call.consumer(id, of: brand.id) else { throw Problem.notFound("consumer") }
        return try await response(consumer, brand, call)
    }

    private static func response(_ consumer: StoredConsumer, _ brand: Brand, _ call: Call) async throws -> Response {
        let (counts, devices, sessions) = try await call.read { store throws(StorageError) in
            (
                try await store.unread(brand: brand.id, consumer: consumer.id),
                try await store.registrations(brand: brand.id, consumer: consumer.id),
                try await store.consumerRecord(brand: brand.id, id: consumer.id)?.sessions ?? []
            )
        }
        let now = call.services.clock.now
        let capacity = 512 + counts.conversations.count * 96 + devices.count * 512
        return ResponseFactory.object(.ok, capacity: capacity) { writer in
            writer.consumerMembers(consumer)
            writer.member("unread", counts.total)
            writer.array("conversations", counts.conversations) { $0.conversation($1) }
            writer.array("devices", devices) { $0.registration($1) }
            writer.array("sessions", sessions.filter { $0.expiresAt > now }) { writer, session in
                writer.literal(#"{"deviceId":"#)
                writer.string(orNull: session.device?.rawValue)
                writer.member("createdAt", session.createdAt)
                writer.member("expiresAt", session.expiresAt)
                writer.literal("}")
            }
        }
    }

    /// The maximum length of a name, an email address or a phone number, in bytes; an email address has at most 254
    /// (RFC 5321).
    static let maxProfileBytes = 256

    private static func patch(_ call: Call) async throws -> Response {
        let (brand, id) = try await target(call)
        let body = try await call.object()
        if !body["mergeFrom"].isEmpty { return try await merge(body, into: id, brand, call) }
        var checks = FieldChecks()
        var change = ProfileChange(brand: brand.id, consumer: id)
        func member(_ name: BoundedName) -> String?? {
            let member = body[name]
            guard member.isNamed else { return nil }
            return .some(checks.line(member, atMost: maxProfileBytes))
        }
        change.name = member("name")
        change.email = member("email")
        change.phone = member("phone")
        if body["quietHours"].isNamed {
            change.quietHours = .some(QuietHoursBody.hours(body["quietHours"], isBrands: false, &checks))
        }
        checks.rejectOthers(in: body, than: ["name", "email", "phone", "quietHours", "mergeFrom"])
        try checks.finish()
        let names: [BoundedName] = ["email", "name", "phone", "quietHours"]
        let changes = names.filter { body[$0].isNamed }.map(\.text)
        if !changes.isEmpty {
            change.audit = try call.auditEntry(.consumerChanged, brand: brand.id, target: id.rawValue, changes: changes)
        }
        guard case .consumer(let consumer) = try await call.perform(.changeProfile(change)) else {
            throw Problem.notFound("consumer")
        }
        return try await response(consumer, brand, call)
    }

    /// Merges the consumer that the body names into the one of the path, as a login merges an anonymous one (R30).
    private static func merge(
        _ body: BodyObject,
        into id: ConsumerID,
        _ brand: Brand,
        _ call: Call
    ) async throws -> Response {
        var checks = FieldChecks()
        let named = checks.identifier(body["mergeFrom"], as: ConsumerID.self, isRequired: true)
        for other: BoundedName in ["name", "email", "phone", "quietHours"] where body[other].isNamed {
            checks.fail(body[other].pointer, "is not allowed with mergeFrom")
        }
        checks.rejectOthers(in: body, than: ["name", "email", "phone", "quietHours", "mergeFrom"])
        let from = try checks.finish(named)
        let request = MergeRequest(
            brand: brand.id,
            consumer: id,
            from: from,
            audit: try call.auditEntry(.consumerMerged, brand: brand.id, target: "\(from.rawValue) -> \(id.rawValue)")
        )
        let result: StoreChangeResult
        do { result = try await call.services.sessions.merge(request) } catch { throw Problem(error) }
        switch result {
        case .merged: break
        case .notMerged(.unknown): throw Problem(invalid: "/mergeFrom", "names no consumer of the brand")
        case .notMerged(.itself): throw Problem(invalid: "/mergeFrom", "names the consumer itself")
        case .notMerged(.elsewhere):
            throw Problem(.conflict, "The consumer of `mergeFrom` was merged into another one before.")
        case .notMerged(.intoAnonymous):
            throw Problem(.conflict, "A consumer with an identifier cannot be merged into an anonymous one.")
        default: throw Problem.notFound("consumer")
        }
        guard let consumer = try await call.consumer(id, of: brand.id) else { throw Problem.notFound("consumer") }
        return try await response(consumer, brand, call)
    }

    // MARK: Erasure

    private static func erase(_ call: Call) async throws -> Response {
        let (brand, id) = try await target(call)
        let audit = try call.auditEntry(.consumerErased, brand: brand.id, target: id.rawValue)
        // Its sessions end, and with them its windows.
        _ = try await call.perform(.erase(ErasureRequest(brand: brand.id, consumer: id, audit: audit)))
        return ResponseFactory.noContent
    }

    // MARK: Export

    /// The maximum number of exports, in total and per brand: each reads pages as fast as its client takes them.
    static let exportLimit = 8
    static let exportBrandLimit = 2

    private static func export(_ call: Call) async throws -> Response {
        let (brand, id) = try await target(call)
        guard let slot = call.services.exports.take(brand.id.rawValue) else {
            throw Problem(.overloaded, "Too many exports are running.", retryAfterSeconds: 5)
        }
        let record = try await call.read { store throws(StorageError) in
            try await store.consumerRecord(brand: brand.id, id: id)
        }
        guard let record else { throw Problem.notFound("consumer") }
        // Before the first byte: data that was sent cannot be revoked.
        try await call.audit(.consumerExported, brand: brand.id, target: id.rawValue)
        let export = ConsumerExport(
            store: call.services.store,
            brand: brand.id,
            record: record,
            at: call.services.clock.now,
            permission: StreamPermission(call, brand),
            slot: slot
        )
        return call.stream("application/json") { try await export.run(&$0) }
    }
}

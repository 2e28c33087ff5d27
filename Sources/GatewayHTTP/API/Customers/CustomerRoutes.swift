internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import TextFormats

/// Consents, inboxes and customer tokens of consumers, for back-ends (ComingFromBloomreach page).
enum CustomerRoutes {
    /// The maximum length of an item's content, in bytes.
    private static let maxContentBytes = 65_536

    static func add(to routes: inout RouteTable) {
        let consumer = "/v1/brands/:brand/consumers/:consumer"
        routes.on(.get, consumer + "/consents") { try await consents($0) }
        routes.on(.put, consumer + "/consents/:category") { try await putConsent($0) }
        routes.on(.get, consumer + "/inbox") { try await inbox($0) }
        routes.on(.put, consumer + "/inbox/:item") { try await putItem($0) }
        routes.on(.delete, consumer + "/inbox/:item") { try await deleteItem($0) }
        routes.on(.post, consumer + "/customer-tokens") { try await mint($0) }
    }

    private static func target(_ call: Call, _ scope: Scope = .consumersWrite) async throws -> (Brand, ConsumerID) {
        let brand = try await call.requireBackend(scope)
        return (brand, try call.identifier("consumer", as: ConsumerID.self))
    }

    // MARK: Consents

    private static func consents(_ call: Call) async throws -> Response {
        let (brand, id) = try await target(call, .consumersRead)
        let customer = try await call.read { store throws(StorageError) in
            try await store.customer(brand: brand.id, id: id)
        }
        guard let customer else { throw Problem.notFound("consumer") }
        return ResponseFactory.object(.ok, capacity: 256) { $0.consents(customer.data) }
    }

    private static func putConsent(_ call: Call) async throws -> Response {
        let (brand, id) = try await target(call)
        let body = try await call.object()
        let text = try call.segment("category")
        guard brand.settings.consentCategory(text) != nil, let category = BoundedName(text) else {
            throw Problem.notFound("consent category")
        }
        var checks = FieldChecks()
        let granted = checks.flag(body["granted"], isRequired: true)
        let end = checks.moment(body["validUntil"])
        checks.rejectOthers(in: body, than: ["granted", "validUntil"])
        let isGranted = try checks.finish(granted)
        var change = CustomerChange(brand: brand.id, consumer: id)
        change.creates = false
        change.consents = [
            category: Consent(isGranted: isGranted, validUntil: end, decidedAt: call.services.clock.now)
        ]
        change.audit = try call.auditEntry(
            .consumerChanged,
            brand: brand.id,
            target: id.rawValue,
            changes: ["consents"]
        )
        switch try await call.perform(.track(change)) {
        case .tracked: return ResponseFactory.noContent
        case .conflict: throw Problem(.conflict, "The consumer has too many properties and consents.")
        default: throw Problem.notFound("consumer")
        }
    }

    // MARK: Inbox

    private static func inbox(_ call: Call) async throws -> Response {
        let (brand, id) = try await target(call, .consumersRead)
        let page = try call.page()
        let before = page.after.flatMap { Int64($0) }
        let now = call.services.clock.now
        let reading = try await call.read { store throws(StorageError) in
            try await store.inbox(
                brand: brand.id,
                consumer: id,
                .newest(before: before),
                now: now,
                limit: page.limit + 1
            )
        }
        guard case .page(let found) = reading else { throw Problem.notFound("consumer") }
        let items = found.items.prefix(page.limit)
        let next = found.items.count > page.limit ? items.last.map { page.cursor(after: String($0.change)) } : nil
        return ResponseFactory.page(items, next: next) { $0.inboxItem($1) }
    }

    private static func putItem(_ call: Call) async throws -> Response {
        let (brand, consumer) = try await target(call)
        let id = try call.identifier("item", as: InboxItemID.self)
        let body = try await call.object()
        let now = call.services.clock.now
        var checks = FieldChecks()
        let kind = checks.word(body["type"], as: InboxItem.Kind.self, isRequired: true)
        let content = checks.raw("content", of: body, atMost: maxContentBytes, isRequired: true)
        let createdAt = checks.moment(body["createdAt"]) ?? now
        let expiresAt =
            checks.moment(body["expiresAt"]) ?? now.adding(seconds: brand.settings.retentionDays * 86_400)
        if expiresAt <= now { checks.fail("/expiresAt", "must be in the future") }
        checks.rejectOthers(in: body, than: ["type", "content", "createdAt", "expiresAt"])
        let (type, object) = try checks.finish(kind, content)
        let item = InboxItem(id: id, kind: type, content: object, createdAt: createdAt, expiresAt: expiresAt)
        let result = try await call.read { store throws(StorageError) in
            try await store.putInboxItem(brand: brand.id, consumer: consumer, item)
        }
        return try response(to: result, of: "consumer", atMost: InboxItem.perConsumer) { $0.inboxItem(item) }
    }

    /// Returns the response to a PUT of something that a back-end names.
    static func response(
        to result: PutResult,
        of owner: String,
        atMost limit: Int,
        _ write: (inout JSONWriter) -> Void
    ) throws(Problem) -> Response {
        switch result {
        case .created: return ResponseFactory.json(.created, capacity: 512, write)
        case .replaced: return ResponseFactory.json(.ok, capacity: 512, write)
        case .full: throw Problem(.conflict, "A \(owner) has at most \(limit) of these: delete some.")
        case .unknown: throw .notFound(owner)
        }
    }

    private static func deleteItem(_ call: Call) async throws -> Response {
        let (brand, consumer) = try await target(call)
        let id = try call.identifier("item", as: InboxItemID.self)
        _ = try await call.read { store throws(StorageError) in
            try await store.deleteInboxItem(brand: brand.id, consumer: consumer, id: id)
        }
        return ResponseFactory.noContent
    }

    // MARK: Customer tokens

    /// Mints a customer token for a consumer whom the back-end has verified (R146).
    private static func mint(_ call: Call) async throws -> Response {
        let (brand, consumer) = try await target(call, .sessionsMint)
        let body = try await call.object(mayBeEmpty: true)
        var checks = FieldChecks()
        let cookie = checks.identifier(body["cookie"], as: ConsumerID.self)
        let keyID = checks.text(body["keyId"])
        let seconds = checks.integer(body["ttlSeconds"], in: CustomerTokens.lifeSeconds)
        checks.rejectOthers(in: body, than: ["cookie", "keyId", "ttlSeconds"])
        try checks.finish()
        let known = try await call.consumer(consumer, of: brand.id)
        let isAnonymous = known?.anonymous ?? false
        let ids =
            isAnonymous
            ? CustomerIDs(cookie: consumer) : CustomerIDs(registered: known?.id ?? consumer, cookie: cookie)
        let lifetime = seconds ?? CustomerTokens.defaultLifeSeconds
        guard
            let minted = call.services.customerTokens.mint(ids, brand: brand.id, keyID: keyID, seconds: lifetime)
        else { throw Problem(.conflict, "The brand has no such active `customerTokenKey`.") }
        return ResponseFactory.object(.created, capacity: 512) { writer in
            writer.member("token", minted.token)
            writer.member("keyId", minted.keyID)
            writer.member("expiresIn", lifetime)
        }
    }
}

extension JSONWriter {
    /// Appends the member `consents`.
    mutating func consents(_ data: CustomerData) {
        array("consents", data.consents.sorted { $0.key < $1.key }) { writer, consent in
            writer.literal("{")
            writer.member("category", consent.key.text)
            writer.member("granted", consent.value.isGranted)
            writer.member("validUntil", orNull: consent.value.validUntil)
            writer.member("decidedAt", consent.value.decidedAt)
            writer.literal("}")
        }
    }

    /// Appends an item of an inbox.
    mutating func inboxItem(_ item: InboxItem) {
        literal("{")
        member("id", item.id.rawValue)
        member("type", item.kind.rawValue)
        member("read", item.isRead)
        member("createdAt", item.createdAt)
        member("expiresAt", item.expiresAt)
        member("content", item.content)
        literal("}")
    }
}

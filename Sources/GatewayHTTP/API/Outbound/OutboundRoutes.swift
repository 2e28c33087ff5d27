internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import Outbound
internal import TextFormats

/// A brand's outbound feed.
///
/// A subscription belongs to the service account that first read it: others need `events:manage`, because moving the
/// mark takes items from its reader. When that account is deleted, the next account that reads becomes the owner.
enum OutboundRoutes {
    static func add(to routes: inout RouteTable) {
        routes.on(.get, "/v1/brands/:brand/outbound") { try await list($0) }
        routes.on(.get, "/v1/brands/:brand/outbound/:subscription") { try await read($0) }
        routes.on(.delete, "/v1/brands/:brand/outbound/:subscription") { try await delete($0) }
        routes.on(.post, "/v1/brands/:brand/outbound/:subscription/ack") { try await acknowledge($0) }
    }

    private static func list(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.eventsRead)
        let page = try call.page()
        let overview = try await call.read { store throws(StorageError) in
            try await store.subscriptions(brand: brand.id)
        }
        let (items, next) = page.page(of: overview.subscriptions) { $0.id.rawValue }
        return ResponseFactory.page(items, next: next) { $0.subscription($1, end: overview.end) }
    }

    // MARK: Reading

    private static func read(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.eventsRead)
        let id = try subscriptionID(call)
        let request = try OutboundRequest(call.query())
        let mark = try await self.mark(call, brand.id, id, request)
        let after = request.after ?? mark
        var query = OutboundQuery(brand: brand.id, after: after, limit: request.limit)
        query.types = request.types
        let permission = StreamPermission(call, brand)
        let deadline = ContinuousClock.now + .seconds(request.waitSeconds)
        while true {
            let lastNotification = call.services.outbound.notifier.lastNotification(brand.id)
            let wanted = query
            let page = try await call.read { store throws(StorageError) in try await store.outbound(wanted) }
            query.after = page.nextAfter
            // The credential may have expired and the brand may have been deleted during the wait.
            guard await permission.isGranted else { throw Problem(AuthenticationError.unauthorized) }
            if page.items.isEmpty, !page.isWhole { continue }
            let left = deadline - ContinuousClock.now
            guard page.items.isEmpty, left > .zero else { return response(page, hasGap: after < page.removedThrough) }
            let ending = await call.services.outbound.notifier.wait(
                brand.id,
                after: lastNotification,
                atMost: left,
                wantsPassing: request.wantsTyping
            )
            switch ending {
            case .notified: continue
            case .passed(let item):
                guard await permission.isGranted else { throw Problem(AuthenticationError.unauthorized) }
                return response(page, passing: item, hasGap: after < page.removedThrough)
            case .over: return response(page, hasGap: after < page.removedThrough)
            case .full:
                throw Problem(.overloaded, "Too many readers are waiting already.", retryAfterSeconds: 5)
            }
        }
    }

    /// Returns the subscription's mark; creates the subscription at its first use, unless the request is invalid.
    private static func mark(
        _ call: Call,
        _ brand: BrandID,
        _ id: SubscriptionID,
        _ request: OutboundRequest
    ) async throws(Problem) -> Int64 {
        let overview = try await call.read { store throws(StorageError) in try await store.subscriptions(brand: brand) }
        if let after = request.after, after > overview.end {
            throw Problem(invalid: "/after", "is beyond the end, which is \(overview.end)")
        }
        let known = overview.subscriptions.first { $0.id == id }
        if let known, !mayOwn(known, call) {
            try require(known, call)
            return known.mark
        }
        let now = call.services.clock.now
        let account = call.account?.id
        let opening = try await call.read { store throws(StorageError) in
            try await store.openSubscription(
                brand: brand,
                id,
                fromStart: request.fromStart,
                owner: account,
                formerOwner: known?.owner,
                now: now
            )
        }
        switch opening {
        case .open(let made):
            // Another account may have been faster.
            try require(made, call)
            return made.mark
        case .tooMany:
            let detail = "The brand has \(OutboundLimits.subscriptions) subscriptions already; delete one."
            throw Problem(.conflict, detail)
        case .unknownBrand: throw .notFound("brand")
        }
    }

    /// Whether reading makes the caller the owner: a caller that manages all subscriptions reads one without owning it.
    private static func mayOwn(_ subscription: OutboundSubscription, _ call: Call) -> Bool {
        guard let account = call.account, !account.allows(.eventsManage) else { return false }
        return !hasOwner(subscription, call)
    }

    private static func hasOwner(_ subscription: OutboundSubscription, _ call: Call) -> Bool {
        subscription.owner.map { call.services.accounts.isActive($0) } ?? false
    }

    /// Rejects (403) access to a subscription of another account.
    private static func require(_ subscription: OutboundSubscription, _ call: Call) throws(Problem) {
        guard let account = call.account, !account.allows(.eventsManage), hasOwner(subscription, call) else { return }
        guard subscription.owner == account.id else { throw .forbidden }
    }

    /// The same check for a subscription by id, if it exists.
    private static func requireNamed(_ id: SubscriptionID, of brand: BrandID, _ call: Call) async throws(Problem) {
        let overview = try await call.read { store throws(StorageError) in try await store.subscriptions(brand: brand) }
        if let known = overview.subscriptions.first(where: { $0.id == id }) { try require(known, call) }
    }

    private static func response(_ page: OutboundPage, passing: PassingItem? = nil, hasGap: Bool) -> Response {
        ResponseFactory.object(.ok, capacity: 96 + page.items.count * 320) { writer in
            writer.literal(#""items":["#)
            for item in page.items {
                writer.separate()
                writer.outbound(item)
            }
            if let passing { writer.passing(passing) }
            writer.literal("]")
            writer.member("nextAfter", page.nextAfter)
            writer.member("end", page.end)
            if hasGap { writer.member("gap", true) }
        }
    }

    // MARK: Marks

    private static func acknowledge(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.eventsRead)
        let id = try subscriptionID(call)
        let upTo = try await call.position("upTo")
        try await requireNamed(id, of: brand.id, call)
        let now = call.services.clock.now
        let ack = try await call.read { store throws(StorageError) in
            try await store.acknowledge(brand: brand.id, id, upTo: upTo, now: now)
        }
        switch ack {
        case .acknowledged(let subscription):
            let overview = try await call.read { store throws(StorageError) in
                try await store.subscriptions(brand: brand.id)
            }
            let end = max(overview.end, subscription.mark)
            return ResponseFactory.json(.ok, capacity: 192) { $0.subscription(subscription, end: end) }
        case .beyondEnd(let end): throw Problem(invalid: "/upTo", "is beyond the end, which is \(end)")
        case .unknown: throw Problem.notFound("subscription")
        }
    }

    private static func delete(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.eventsRead)
        let id = try subscriptionID(call)
        try await requireNamed(id, of: brand.id, call)
        let audit = try call.auditEntry(.subscriptionDeleted, brand: brand.id, target: id.rawValue)
        let isFound = try await call.read { store throws(StorageError) in
            try await store.deleteSubscription(brand: brand.id, id, audit: audit)
        }
        guard isFound else { throw Problem.notFound("subscription") }
        return ResponseFactory.noContent
    }

    private static func subscriptionID(_ call: Call) throws(Problem) -> SubscriptionID {
        try call.identifier("subscription", as: SubscriptionID.self)
    }
}

extension Call {
    /// The calling service account; nil for other callers.
    fileprivate var account: ServiceAccountIdentity? {
        guard case .account(let account) = context.notes.caller else { return nil }
        return account
    }

    /// Reads the body's only member, a position.
    func position(_ name: BoundedName) async throws -> Int64 {
        let body = try await object()
        var checks = FieldChecks()
        let position = checks.integer(body[name], in: 0...Int64.max, isRequired: true)
        return try checks.finish(position)
    }
}

extension JSONWriter {
    fileprivate mutating func passing(_ item: PassingItem) {
        literal(#"{"type":"#)
        string(item.type)
        member("time", item.time)
        member("data", item.data)
        literal("}")
    }

    fileprivate mutating func subscription(_ subscription: OutboundSubscription, end: Int64) {
        literal(#"{"id":"#)
        string(subscription.id.rawValue)
        member("position", subscription.mark)
        member("lag", end - subscription.mark)
        member("createdAt", subscription.createdAt)
        member("acknowledgedAt", orNull: subscription.acknowledgedAt)
        member("owner", orNull: subscription.owner)
        literal("}")
    }
}

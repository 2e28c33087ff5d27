internal import Delivery
internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import TextFormats

/// Deliveries and their statistics (SendingMessages page).
///
/// All routes need `deliveries:read` except the retry and the replay, which send something: `deliveries:manage`.
enum DeliveryRoutes {
    static func add(to routes: inout RouteTable) {
        routes.on(.get, "/v1/brands/:brand/deliveries") { try await list($0) }
        routes.on(.get, "/v1/brands/:brand/deliveries/tail") { try await tail($0) }
        routes.on(.get, "/v1/brands/:brand/deliveries/export") { try await export($0) }
        routes.on(.get, "/v1/brands/:brand/deliveries/failures") { try await failures($0) }
        routes.on(.post, "/v1/brands/:brand/deliveries/replay") { try await DeliveryReplay.run($0) }
        routes.on(.get, "/v1/brands/:brand/deliveries/:delivery") { try await get($0) }
        routes.on(.post, "/v1/brands/:brand/deliveries/:delivery/retry") { try await retry($0) }
        routes.on(.get, "/v1/brands/:brand/stats") { try await stats($0) }
    }

    private static func list(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.deliveriesRead)
        let parameters = try call.query()
        let page = try call.page()
        var query = try filter(parameters, brand: brand.id, limit: page.limit)
        if let after = page.after {
            guard let number = Int64(after), number > 0 else { throw PageRequest.badCursor }
            query.before = DeliveryID(number)
        }
        let wanted = query
        let found = try await call.read { store throws(StorageError) in try await store.deliveries(wanted) }
        return ResponseFactory.page(found.items, next: found.next.map { page.cursor(after: $0.description) }) {
            $0.literal("{")
            $0.deliveryMembers($1)
            $0.literal("}")
        }
    }

    /// Reads the filter; reports all errors.
    static func filter(
        _ parameters: QueryParameters,
        brand: BrandID,
        limit: Int
    ) throws(Problem) -> DeliveryQuery {
        var query = DeliveryQuery(brand: brand, limit: limit)
        var checks = FieldChecks()
        query.consumer = checks.collect { () throws(Problem) in
            try parameters.identifier("consumer", as: ConsumerID.self)
        }
        query.device = checks.collect { () throws(Problem) in try parameters.identifier("device", as: DeviceID.self) }
        query.message = checks.collect { () throws(Problem) in
            try parameters.text("message").map { text throws(Problem) in
                guard let id = MessageID(text) else { throw Problem(invalid: "/message", "must be a UUID") }
                return id
            }
        }
        query.state = checks.collect { () throws(Problem) in try parameters.word("state", as: DeliveryState.self) }
        query.provider = checks.collect { () throws(Problem) in try parameters.word("provider", as: PushType.self) }
        query.reason = checks.collect { () throws(Problem) in
            let reason = try parameters.text("reason")
            if reason?.isEmpty ?? false { throw Problem(invalid: "/reason", "must not be empty") }
            return reason
        }
        query.since = checks.collect { () throws(Problem) in try parameters.moment("since") }
        query.until = checks.collect { () throws(Problem) in try parameters.moment("until") }
        try checks.finish()
        return query
    }

    private static func get(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.deliveriesRead)
        return ResponseFactory.json(.ok, detail(try await find(try id(call), brand, call)))
    }

    /// Returns the delivery that the path names.
    static func id(_ call: Call) throws(Problem) -> DeliveryID {
        guard let number = Int64(try call.segment("delivery")), number > 0 else { throw Problem.notFound("delivery") }
        return DeliveryID(number)
    }

    /// Returns a delivery of a brand; throws 404.
    static func find(_ id: DeliveryID, _ brand: Brand, _ call: Call) async throws(Problem) -> DeliveryDetail {
        let found = try await call.read { store throws(StorageError) in
            try await store.delivery(brand: brand.id, id: id)
        }
        guard let found else { throw Problem.notFound("delivery") }
        return found
    }

    private static func detail(_ delivery: DeliveryDetail) -> JSONWriter {
        var writer = JSONWriter(capacity: 1024 + delivery.attempts.count * 384)
        writer.deliveryDetail(delivery)
        return writer
    }

    // MARK: Retry

    private static func retry(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.deliveriesManage)
        let id = try id(call)
        let request = RetryRequest(
            brand: brand.id,
            delivery: id,
            ttlSeconds: brand.settings.messageTtlSeconds,
            audit: try call.auditEntry(.deliveryRetried, brand: brand.id, target: id.description)
        )
        switch try await call.perform(.retry(request)) {
        case .retried: return ResponseFactory.json(.accepted, detail(try await find(id, brand, call)))
        case .notRetried(.state(let state)):
            let text = "The delivery is \(state.rawValue); only one that failed or expired can be tried again."
            throw Problem(.conflict, text)
        case .notRetried(let rejection): throw Problem(.conflict, DeliveryReplay.Rejection(rejection).text)
        default: throw Problem.notFound("delivery")
        }
    }

    // MARK: Stream and statistics

    private static func tail(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.deliveriesRead)
        let parameters = try call.query()
        let query = try filter(parameters, brand: brand.id, limit: 1)
        let includesUnfinished = try parameters.flag("unfinished") ?? false
        var start: Int64?
        let header = call.request.headers[.lastEventID] ?? ""
        let (name, last) = header.isEmpty ? ("/after", try parameters.text("after")) : ("/Last-Event-ID", header)
        if let last {
            guard let position = Int64(last), position >= 0 else {
                throw Problem(invalid: name, "is not an id of this stream")
            }
            start = position
        }
        guard let slot = call.services.tails.take(brand.id.rawValue) else {
            throw Problem(.overloaded, "Too many streams are open.", retryAfterSeconds: 5)
        }
        let newest = try await call.read { store throws(StorageError) in
            try await store.lastDeliveryChange(brand: brand.id)
        }
        // An id of the future belongs to other data, for example to data from before a restore.
        let position = start.map { min($0, newest) } ?? newest
        let permission = StreamPermission(call, brand)
        let tail = DeliveryTail(
            store: call.services.store,
            query: query,
            start: position,
            mayRead: { await permission.isGranted },
            slot: slot,
            includesUnfinished: includesUnfinished
        )
        return call.stream("text/event-stream") { try await tail.run(&$0) }
    }

    private static func export(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.deliveriesRead)
        let filter = try filter(call.query(), brand: brand.id, limit: ExportFormat.pageSize)
        return try await call.export("deliveries", of: brand) { store, before throws(StorageError) in
            var query = filter
            query.before = before
            let page = try await store.deliveries(query)
            return (page.items, page.next)
        }
    }

    /// Takes a slot of the calls that read many pages; throws 503.
    static func exportSlot(_ call: Call, _ brand: Brand) throws(Problem) -> CallSlots.Slot {
        guard let slot = call.services.exports.take(brand.id.rawValue) else {
            throw Problem(.overloaded, "Too many exports are running.", retryAfterSeconds: 5)
        }
        return slot
    }

    /// The seconds before now, or before the end, that are meant when the request names no start: a day.
    static let failureSeconds: Int64 = 86_400

    private static func failures(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.deliveriesRead)
        let parameters = try call.query()
        var query = DeliveryQuery(brand: brand.id, limit: ExportFormat.pageSize)
        var checks = FieldChecks()
        query.since = checks.collect { () throws(Problem) in try parameters.moment("since") }
        query.until = checks.collect { () throws(Problem) in try parameters.moment("until") }
        try checks.finish()
        query.since = query.since ?? (query.until ?? call.services.clock.now).adding(seconds: -failureSeconds)
        query.state = .failed
        let slot = try exportSlot(call, brand)
        defer { withExtendedLifetime(slot) {} }
        var groups = FailureGroups()
        var isWhole = true
        repeat {
            let wanted = query
            let page = try await call.read { store throws(StorageError) in try await store.deliveries(wanted) }
            for record in page.items { groups.add(record) }
            query.before = page.next
            isWhole = page.next == nil
        } while !isWhole && groups.count < FailureGroups.maxDeliveries
        return ResponseFactory.object(.ok, capacity: 4096) {
            $0.failures(groups, isWhole: isWhole, brand: brand.id)
        }
    }

    private static func stats(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.deliveriesRead)
        guard let window = StatsWindow(try call.query().text("window") ?? "1h") else {
            throw Problem(invalid: "/window", "must be 1m to 30d: a number and m, h or d")
        }
        let now = call.services.clock.now
        let stats = try await call.read { store throws(StorageError) in
            try await store.deliveryStats(brand: brand.id, window: window, now: now)
        }
        return ResponseFactory.json(.ok, capacity: 1024) { $0.stats(stats, window: window, now: now) }
    }
}

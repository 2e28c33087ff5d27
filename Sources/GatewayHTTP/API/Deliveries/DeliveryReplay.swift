internal import GatewayModel
internal import GatewayStorage
internal import Hummingbird
internal import TextFormats

/// Sends the failed deliveries of a period again, a page in each request, or reports what that would do (Deliveries
/// page).
///
/// The store decides about all deliveries of a page together, the newest first, so that an older one with the same
/// collapse key is rejected. The others are requeued one by one, of each device the oldest first: so they reach it in
/// their order.
enum DeliveryReplay {
    /// The reason why a delivery is not sent again; the raw value is the JSON value.
    enum Rejection: String, CaseIterable {
        case state, unregistered, read, collapsed, gone
        case tokenRejected = "token_rejected"
        case notReceived = "not_received"
        case messageGone = "message_gone"

        /// The reason of the store.
        init(_ rejection: RetryRejection) {
            self =
                switch rejection {
                case .state: .state
                case .registrationGone: .unregistered
                case .registrationQuarantined: .tokenRejected
                case .notReceived: .notReceived
                case .messageGone: .messageGone
                case .read: .read
                case .collapsed: .collapsed
                }
        }

        /// A sentence for operators.
        var text: String {
            switch self {
            case .state: "The delivery is no longer failed or expired."
            case .unregistered: "The device is no longer registered for the delivery's consumer."
            case .tokenRejected: "The provider rejected the device's token; the device must register again."
            case .notReceived: "The device no longer receives such messages."
            case .messageGone: "The delivery's message is no longer stored."
            case .read: "The delivery's message has been read."
            case .collapsed: "A newer delivery to the device replaces this one."
            case .gone: "The delivery is past its retention."
            }
        }
    }

    /// The maximum number of deliveries in a request: the store's writer decides about them in one transaction.
    private static let maxDeliveries = 100

    /// Those of a request.
    private struct Outcome {
        var requeued = FailureGroups()
        var rejected: [Rejection: (count: Int, example: DeliveryID)] = [:]

        mutating func add(_ record: DeliveryRecord, _ result: StoreChangeResult) {
            let rejection: Rejection
            switch result {
            case .retried: return requeued.add(record)
            case .notRetried(let reason): rejection = Rejection(reason)
            default: rejection = .gone
            }
            rejected[rejection, default: (0, record.id)].count += 1
        }
    }

    static func run(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.deliveriesManage)
        let parameters = try call.query()
        let page = try call.page()
        guard page.limit <= maxDeliveries else { throw Problem(invalid: "/limit", "must be 1 to \(maxDeliveries)") }
        var query = try DeliveryRoutes.filter(parameters, brand: brand.id, limit: page.limit)
        let app = try parameters.identifier("app", as: AppID.self)
        let isDry = try parameters.flag("dryRun") ?? true
        let state = query.state ?? .failed
        guard state == .failed || state == .expired else {
            throw Problem(invalid: "/state", "must be failed or expired")
        }
        query.state = state
        let until = query.until ?? call.services.clock.now
        let since = query.since ?? until.adding(seconds: -DeliveryRoutes.failureSeconds)
        (query.since, query.until) = (since, until)
        if let after = page.after {
            guard let number = Int64(after), number > 0 else { throw PageRequest.badCursor }
            query.before = DeliveryID(number)
        }
        let slot = try DeliveryRoutes.exportSlot(call, brand)
        defer { withExtendedLifetime(slot) {} }
        let wanted = query
        let found = try await call.read { store throws(StorageError) in try await store.deliveries(wanted) }
        let records = found.items.filter { app == nil || $0.app == app }
        let results = try await rehearse(records, brand, call)
        var (examined, next) = (found.items.count, found.next)
        if let last = records.prefix(results.count).last, results.count < records.count {
            // The page ends where the store did.
            examined = 1 + (found.items.firstIndex { $0.id == last.id } ?? 0)
            next = last.id
        }
        var outcome = Outcome()
        var allowed: [DeliveryRecord] = []
        for (record, result) in zip(records, results) {
            if case .retried = result, !isDry { allowed.append(record) } else { outcome.add(record, result) }
        }
        if !allowed.isEmpty {
            try await call.audit(.deliveriesReplayed, brand: brand.id, target: "\(since.rfc3339)/\(until.rfc3339)")
            for (record, result) in try await requeue(allowed, brand, call) { outcome.add(record, result) }
        }
        return ResponseFactory.object(.ok, capacity: 4096) { writer in
            writer.member("dryRun", isDry)
            writer.member("since", since)
            writer.member("until", until)
            writer.member("examined", Int64(examined))
            writer.failures(outcome.requeued, brand: brand.id)
            writer.array("rejected", Rejection.allCases.filter { outcome.rejected[$0] != nil }) { writer, rejection in
                guard let (count, example) = outcome.rejected[rejection] else { return }
                writer.literal("{")
                writer.member("reason", rejection.rawValue)
                writer.member("detail", rejection.text)
                writer.member("count", Int64(count))
                writer.member("example", example.description)
                writer.literal("}")
            }
            writer.member("nextCursor", orNull: next.map { page.cursor(after: $0.description) })
        }
    }

    private static func request(_ record: DeliveryRecord, _ brand: Brand) -> RetryRequest {
        RetryRequest(brand: brand.id, delivery: record.id, ttlSeconds: brand.settings.messageTtlSeconds)
    }

    /// Returns what retries would do, the newest delivery's first; of fewer deliveries where that takes long.
    private static func rehearse(
        _ records: [DeliveryRecord],
        _ brand: Brand,
        _ call: Call
    ) async throws -> [StoreChangeResult] {
        guard !records.isEmpty else { return [] }
        let now = call.services.clock.now
        return try await call.read { store throws(StorageError) in
            try await store.rehearse(records.map { request($0, brand) }, now: now)
        }
    }

    /// Requeues deliveries, those of different devices at the same time; returns the results, newest delivery first.
    private static func requeue(
        _ records: [DeliveryRecord],
        _ brand: Brand,
        _ call: Call
    ) async throws -> [(DeliveryRecord, StoreChangeResult)] {
        struct Device: Hashable {
            var app: AppID
            var device: DeviceID
        }
        let devices = Dictionary(grouping: records) { Device(app: $0.app, device: $0.device) }
        return try await withThrowingTaskGroup(of: [(DeliveryRecord, StoreChangeResult)].self) { group in
            for records in devices.values {
                group.addTask {
                    var results: [(DeliveryRecord, StoreChangeResult)] = []
                    for record in records.reversed() {
                        results.append((record, try await call.perform(.retry(request(record, brand)))))
                    }
                    return results
                }
            }
            let all = try await group.reduce(into: []) { $0 += $1 }
            return all.sorted { $1.0.id < $0.0.id }
        }
    }
}

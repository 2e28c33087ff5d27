import GatewayModel
import GatewayStorage
import Testing

/// The delivery log as operators query it.
enum LogCases {
    static let all =
        [1, 2].map { seed in
            ContractCase("every filter lists the same as a naive one, page by page, seed \(seed)") { (f) async throws in
                try await lists(f, seed: UInt64(seed))
            }
        } + [changes, changesAfterDeletion, stats, statsOfInventedReasons, statsFollow]

    // MARK: Lists

    private static func lists(_ f: ContractFixture, seed: UInt64) async throws {
        var log = try await RandomLog(f, seed: seed)
        try await log.grow(turns: 35)
        _ = try await f.restart()
        try await log.grow(turns: 35)
        try await log.leaveSome()
        // The older half of the messages is removed before their deliveries.
        let times = try await log.records(f.brand).map(\.queuedAt)
        #expect(try await f.runHousekeeping(.messages(before: [f.brand: times[times.count / 2]])) > 100)
        for brand in [f.brand, log.other] {
            let records = try await log.records(brand)
            try #require(records.count > (brand == f.brand ? 700 : 100))
            for _ in 0..<25 {
                let query = log.query(brand, among: records)
                let found = try await pages(f, query)
                let expected = records.filter { RandomLog.matches($0, query) }
                #expect(found == expected, "\(query)")
            }
        }
        try await listsWhileRowsGo(f, &log)
    }

    /// Old deliveries are removed after the first page.
    private static func listsWhileRowsGo(_ f: ContractFixture, _ log: inout RandomLog) async throws {
        for part in 1...4 {
            let records = try await log.records(f.brand)
            var query = log.query(f.brand, among: records)
            query.limit = 7
            let first = try await f.store.deliveries(query)
            #expect(first.items == Array(records.filter { RandomLog.matches($0, query) }.prefix(7)), "\(query)")
            let oldest = records[records.count - records.count / (12 - part)].queuedAt
            _ = try await f.runHousekeeping(.deliveries(before: [f.brand: oldest]))
            let left = try await log.records(f.brand)
            guard let next = first.next else { continue }
            query.before = next
            #expect(try await pages(f, query) == left.filter { RandomLog.matches($0, query) }, "\(query)")
        }
    }

    /// Returns all pages, one after the other.
    private static func pages(_ f: ContractFixture, _ query: DeliveryQuery) async throws -> [DeliveryRecord] {
        var query = query
        var found: [DeliveryRecord] = []
        repeat {
            let page = try await f.store.deliveries(query)
            #expect(page.items.count <= query.limit)
            found += page.items
            query.before = page.next
        } while query.before != nil
        return found
    }

    // MARK: Changes

    private static func follow(
        _ f: ContractFixture,
        _ brand: BrandID,
        from start: Int64,
        limit: Int
    ) async throws -> (items: [DeliveryChanges.Item], position: Int64) {
        var items: [DeliveryChanges.Item] = []
        var position = start
        while true {
            let piece = try await f.store.deliveryChanges(DeliveryQuery(brand: brand, limit: limit), after: position)
            #expect(piece.items.count <= limit)
            items += piece.items
            position = piece.position
            if piece.isEnd { return (items, position) }
        }
    }

    static let changes = ContractCase("a reader of changes gets each once, in order, and later ones after them") {
        (f) async throws in
        var log = try await RandomLog(f, seed: 3)
        var position: Int64 = 0
        var seen: [DeliveryID: DeliveryRecord] = [:]
        for _ in 0..<12 {
            try await log.grow(turns: 5)
            let (items, end) = try await follow(f, f.brand, from: position, limit: 7)
            let positions = items.map(\.position)
            #expect(positions == positions.sorted() && Set(positions).count == positions.count)
            #expect(positions.first.map { $0 > position } ?? true)
            #expect(Set(items.map(\.record.id)).count == items.count)
            for item in items { seen[item.record.id] = item.record }
            position = end
        }
        let finished = try await log.records(f.brand).filter(\.state.isFinished)
        #expect(seen.values.sorted { $0.id > $1.id } == finished)
        #expect(try await f.store.lastDeliveryChange(brand: f.brand) == position)
        _ = try await f.restart()
        let row = finished.first { $0.state == .accepted }
        let record = try #require(row)
        let message = try #require(record.messageID)
        try await f.change(f.receipt(record.consumer.rawValue, record.device.rawValue, message))
        let later = try await follow(f, f.brand, from: position, limit: 7).items
        #expect(later.map(\.record.id) == [record.id])
        #expect(later.first?.record.state == .delivered)
    }

    static let changesAfterDeletion = ContractCase("numbers of changes are not reused when all rows are removed") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(9)
        try await f.outcome(f.response(try await f.ownedRow(f.message("u-1"))))
        let position = try await f.store.lastDeliveryChange(brand: f.brand)
        #expect(position > 0)
        f.wait(seconds: 10)
        #expect(try await f.runHousekeeping(.deliveries(before: [f.brand: f.now])) == 1)
        _ = try await f.restart()
        f.giveSlots(9)
        let row = try await f.ownedRow(f.message("u-1"))
        try await f.outcome(f.response(row))
        let items = try await follow(f, f.brand, from: position, limit: 7).items
        #expect(items.map(\.record.id) == [row.id])
        #expect(try await follow(f, BrandID(trusted: "nobody"), from: 0, limit: 7).items.isEmpty)
    }

    // MARK: Statistics

    static let stats = ContractCase("statistics match the stored deliveries") { (f) async throws in
        var log = try await RandomLog(f, seed: 4)
        try await log.grow(turns: 45)
        try await check(f, log)
        _ = try await f.restart()
        try await log.grow(turns: 25)
        try await check(f, log)
        let records = try await log.records(f.brand)
        _ = try await f.runHousekeeping(.deliveries(before: [f.brand: records[records.count / 2].queuedAt]))
        try await check(f, log)
    }

    private static func check(_ f: ContractFixture, _ log: RandomLog) async throws {
        for brand in [f.brand, log.other] {
            let records = try await log.records(brand)
            for seconds: Int64 in [60, 3600, 86_400, 9 * 86_400, 30 * 86_400] {
                let window = StatsWindow(seconds: seconds)
                let stats = try await f.store.deliveryStats(brand: brand, window: window, now: f.now)
                let start = window.start(now: f.now)
                let length = window.unit * 1000
                // The clock was set back sometimes: deliveries that were queued in the present unit still count.
                let inWindow = records.filter {
                    $0.queuedAt >= start && $0.queuedAt.milliseconds / length * length <= f.now.milliseconds
                }
                #expect(counts(stats.finished) == counts(inWindow.filter(\.state.isFinished)), "\(seconds)")
                #expect(stats.reports == reports(inWindow), "\(seconds)")
                let unfinished = records.filter { !$0.state.isFinished && $0.queuedAt >= start }
                #expect(stats.isUnfinishedWhole)
                #expect(stats.unfinished.reduce(0) { $0 + $1.count } == Int64(unfinished.count))
                let latencies = inWindow.filter(\.state.isFinished).compactMap(\.latencyMilliseconds).sorted()
                #expect(stats.allLatency.count == Int64(latencies.count))
                guard let longest = latencies.last else { continue }
                let middle = latencies[(latencies.count + 1) / 2 - 1]
                #expect(stats.allLatency.max >= longest && stats.allLatency.max <= longest + longest / 128)
                #expect(stats.allLatency.p50 >= middle && stats.allLatency.p50 <= middle + middle / 128)
            }
        }
    }

    /// Returns the device reports of finished deliveries.
    static func reports(_ records: [DeliveryRecord]) -> DeliveryReports {
        var reports = DeliveryReports()
        for record in records where record.state.isFinished && record.messageID != nil {
            if record.deliveredAt != nil { reports.delivered += 1 }
            if record.displayedAt != nil { reports.displayed += 1 }
            if record.dismissedAt != nil { reports.dismissed += 1 }
            let isSilent = record.badge == nil && record.sentAt != nil && record.state != .tapped
            if [.accepted, .delivered, .tapped].contains(record.state), !isSilent { reports.taken += 1 }
            if record.tappedAt != nil { reports.tapped += 1 }
        }
        return reports
    }

    static func counts(_ stats: [DeliveryStats.Count]) -> [String: Int64] {
        var counts: [String: Int64] = [:]
        for count in stats {
            counts["\(count.provider) \(count.state) \(count.reason ?? "-")", default: 0] += count.count
        }
        return counts
    }

    static func counts(_ records: [DeliveryRecord]) -> [String: Int64] {
        counts(records.map { .init(provider: $0.provider, state: $0.state, reason: $0.reason, count: 1) })
    }

    static let statsOfInventedReasons = ContractCase(
        "reasons that a provider invents count as other, and change no other brand's statistics"
    ) { (f) async throws in
        let other = try await f.makeOtherBrand()
        f.budgets = [
            f.apns: LaneBudget(slots: 1000, mayHaveBacklog: false),
            try await f.lane(other, f.app, .apns): LaneBudget(slots: 1000, mayHaveBacklog: false),
        ]
        for number in 0..<100 { try await f.register("d-\(number)", of: "u-\(number)") }
        var device = f.device("d-1", of: "u-1")
        device.brand = other
        try await f.register(device)
        var invented: Int64 = 0
        while invented < 4100 {
            try await refuse(f, f.brand, 100) {
                invented += 1
                return "Invented\(invented)"
            }
        }
        for _ in 0..<3 { try await refuse(f, other, 1) { "BadDeviceToken" } }
        try await refuse(f, f.brand, 100) { "PayloadTooLarge" }
        // Enough more that an engine that counts later has counted.
        for _ in 0..<12 { try await refuse(f, f.brand, 100) { "invented again" } }
        invented += 1200
        let window = StatsWindow(seconds: 3600)
        for _ in 0..<2 {
            let theirs = try await f.store.deliveryStats(brand: other, window: window, now: f.now)
            #expect(counts(theirs.finished) == ["apns failed BadDeviceToken": 3])
            let own = try await f.store.deliveryStats(brand: f.brand, window: window, now: f.now)
            #expect(counts(own.finished) == ["apns failed other": invented, "apns failed PayloadTooLarge": 100])
            _ = try await f.restart()
        }
        // A single delivery has the provider's own word.
        var query = DeliveryQuery(brand: f.brand, limit: 10)
        query.reason = "Invented17"
        #expect(try await f.store.deliveries(query).items.map(\.reason) == ["Invented17"])
    }

    /// Sends one message to each of this many consumers of a brand, which its provider rejects.
    private static func refuse(
        _ f: ContractFixture,
        _ brand: BrandID,
        _ count: Int,
        reason: () -> String
    ) async throws {
        let first = brand == f.brand ? 0 : 1
        let request = f.request((first..<first + count).map { f.message("u-\($0)", in: "c-\($0)") }, brand: brand)
        let rows = try await f.commit { $0.accepts = [request] }.owned
        #expect(rows.count == count)
        let outcomes = rows.map { f.response($0, .rejected(token: .keep), status: 400, reason: reason()) }
        try await f.commit { $0.outcomes = outcomes }
    }

    static let statsFollow = ContractCase("a late response and a deleted brand appear in the statistics") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(9)
        let row = try await f.ownedRow(f.message("u-1"))
        try await f.change(f.unregister("u-1", .all))
        let window = StatsWindow(seconds: 3600)
        #expect(
            try await f.store.deliveryStats(brand: f.brand, window: window, now: f.now).finished
                == [.init(provider: .apns, state: .cancelled, reason: nil, count: 1)]
        )
        try await f.outcome(f.response(row))
        #expect(
            try await f.store.deliveryStats(brand: f.brand, window: window, now: f.now).finished
                == [.init(provider: .apns, state: .accepted, reason: nil, count: 1)]
        )
        let nobody = try await f.store.deliveryStats(brand: BrandID(trusted: "x"), window: window, now: f.now)
        #expect(nobody == DeliveryStats())
    }
}

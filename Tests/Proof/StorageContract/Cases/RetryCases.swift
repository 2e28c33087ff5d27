import GatewayModel
import GatewayStorage
import Testing

/// Retries of deliveries.
enum RetryCases {
    static let all = [again, rejections, collapsed, rehearsed, rehearsedInPart]

    private static func retry(_ f: ContractFixture, _ id: DeliveryID, brand: BrandID? = nil) -> StoreChange {
        .retry(RetryRequest(brand: brand ?? f.brand, delivery: id, ttlSeconds: 600))
    }

    private static func rejection(_ result: StoreChangeResult) -> RetryRejection? {
        if case .notRetried(let rejection) = result { rejection } else { nil }
    }

    /// A delivery that failed.
    private static func failed(_ f: ContractFixture, _ event: AgentEvent? = nil) async throws -> OutboxRow {
        let row = try await f.ownedRow(event ?? f.message("u-1"))
        try await f.outcome(f.response(row, .rejected(token: .keep), status: 400, reason: "BadTopic"))
        return row
    }

    private static func isRetried(_ result: StoreChangeResult) -> Bool {
        if case .retried = result { true } else { false }
    }

    private static func rehearse(_ f: ContractFixture, _ ids: DeliveryID...) async throws -> [StoreChangeResult] {
        let requests = ids.map { RetryRequest(brand: f.brand, delivery: $0, ttlSeconds: 600) }
        return try await f.store.rehearse(requests, now: f.now)
    }

    static let again = ContractCase("a failed delivery is retried under its id, and keeps its attempts") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(9)
        let row = try await failed(f)
        f.wait(seconds: 50)
        let result = try await f.commit { $0.changes = [retry(f, row.id)] }
        guard case .retried? = result.changes.first else { throw Unexpected(what: "\(result.changes)") }
        #expect(result.unowned == [f.agents(f.apns): f.now])
        #expect(try await f.delivery(row.id).record.state == .retrying)
        #expect(try await f.delivery(row.id).attempts.map(\.reason) == ["BadTopic"])
        let claimed = try #require(try await f.claim().rows.first)
        #expect(claimed.id == row.id && claimed.attempts == 1 && claimed.message?.id == row.message?.id)
        #expect(claimed.expiresAt == f.now.adding(seconds: 600))
        var outcome = f.response(claimed)
        outcome.earlierTries = claimed.attempts
        try await f.outcome(outcome)
        let detail = try await f.delivery(row.id)
        #expect(detail.record.state == .accepted && detail.record.attempts == 2)
        #expect(detail.attempts.map(\.status) == [400, 200])
        #expect(detail.record.queuedAt == row.queuedAt)
        #expect(try await f.deliveries().map(\.id) == [row.id])
        let stats = try await f.store.deliveryStats(brand: f.brand, window: StatsWindow(seconds: 3600), now: f.now)
        #expect(stats.finished.map(\.count) == [1])
    }

    static let rejections = ContractCase("a delivery that cannot be retried has a reason") { (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(9)
        let running = try await f.ownedRow(f.message("u-1"))
        #expect(rejection(try await f.change(retry(f, running.id))) == .state(.sending))
        try await f.outcome(f.response(running))
        #expect(rejection(try await f.change(retry(f, running.id))) == .state(.accepted))
        #expect(try await f.change(retry(f, DeliveryID(999_999))).isNotFound)
        let row = try await failed(f)
        #expect(try await f.change(retry(f, row.id, brand: BrandID(trusted: "x"))).isNotFound)
        let other = try await f.makeOtherBrand()
        #expect(try await f.change(retry(f, row.id, brand: other)).isNotFound)
        try await f.change(f.read("u-1", "c-1", 2))
        #expect(rejection(try await f.change(retry(f, row.id))) == .read)
        let kept = try await failed(f)
        try await f.change(f.unregister("u-1", .agent))
        #expect(rejection(try await f.change(retry(f, kept.id))) == .notReceived)
        try await f.register("d-1", of: "u-1")
        guard case .retried = try await f.change(retry(f, kept.id)) else { throw Unexpected(what: "not retried") }
        let second = try await failed(f)
        try await f.change(f.unregister("u-1", .all))
        #expect(rejection(try await f.change(retry(f, second.id))) == .registrationGone)
        f.wait(seconds: 86_400)
        #expect(try await f.runHousekeeping(.messages(before: [f.brand: f.now])) > 0)
        try await f.register("d-1", of: "u-1")
        #expect(rejection(try await f.change(retry(f, second.id))) == .messageGone)
    }

    static let collapsed = ContractCase("a delivery that a newer one replaced is not retried") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(9)
        var event = f.message("u-1")
        event.collapseKey = "order"
        let row = try await failed(f, event)
        var newer = f.message("u-1")
        newer.collapseKey = "order"
        let next = try await f.ownedRow(newer)
        #expect(rejection(try await f.change(retry(f, row.id))) == .collapsed)
        try await f.outcome(f.response(next))
        #expect(rejection(try await f.change(retry(f, row.id))) == .collapsed, "the device shows the newer one")
        var another = f.message("u-1")
        another.collapseKey = "order"
        let last = try await failed(f, another)
        guard case .retried = try await f.change(retry(f, last.id)) else { throw Unexpected(what: "not retried") }
    }

    static let rehearsed = ContractCase("a rehearsal has the results of retries, and stores nothing") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(9)
        var older = f.message("u-1")
        older.collapseKey = "order"
        var newer = f.message("u-1")
        newer.collapseKey = "order"
        let first = try await failed(f, older).id
        let second = try await failed(f, newer).id
        let third = try await failed(f).id
        f.wait(seconds: 1)
        let before = try await f.deliveries()
        for _ in 1...2 {
            let results = try await rehearse(f, third, second, first, DeliveryID(999_999))
            try #require(results.count == 4)
            #expect(isRetried(results[0]) && isRetried(results[1]) && results[3].isNotFound)
            #expect(rejection(results[2]) == .collapsed, "the second one would wait")
        }
        #expect(try await rehearse(f, first).first.map(isRetried) == true, "the second one has failed")
        #expect(try await rehearse(f).isEmpty)
        #expect(try await f.deliveries() == before)
        #expect(try await f.claim().rows.isEmpty)
        // The store still knows what it knew.
        #expect(try await f.accepted(f.message("u-1")).sequence == 4)
        guard case .retried = try await f.change(retry(f, third)) else { throw Unexpected(what: "not retried") }
        #expect(try await rehearse(f, third).first.flatMap(rejection) == .state(.retrying))
        try await f.change(f.read("u-1", "c-1", 4))
        #expect(try await rehearse(f, second).first.flatMap(rejection) == .read)
        _ = try await f.restart()
        #expect(try await rehearse(f, first).first.flatMap(rejection) == .read)
        #expect(try await f.delivery(second).record.state == .failed)
    }

    static let rehearsedInPart = ContractCase("a rehearsal that searches many messages ends before the last request") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(9)
        var ids: [DeliveryID] = []
        for number in 1...3 {
            var event = f.message("u-1")
            event.collapseKey = "order \(number)"
            ids.append(try await failed(f, event).id)
        }
        // Without a device these make no deliveries.
        try await f.change(f.unregister("u-1", .all))
        let request = f.request((1...2100).map { _ in f.message("u-1") })
        try await f.commit { $0.accepts = [request] }
        try await f.register("d-1", of: "u-1")
        let requests = ids.reversed().map { RetryRequest(brand: f.brand, delivery: $0, ttlSeconds: 600) }
        let results = try await f.store.rehearse(requests, now: f.now)
        #expect(results.count < requests.count && !results.isEmpty)
        let rest = try await f.store.rehearse(Array(requests.dropFirst(results.count)), now: f.now)
        #expect(results.count + rest.count == requests.count)
    }
}

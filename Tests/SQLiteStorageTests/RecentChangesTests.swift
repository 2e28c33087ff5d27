import GatewayModel
import GatewayStorage
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import StorageContract

@Suite("The newest changes of a followed log, in memory", .timeLimit(.minutes(10)))
struct RecentChangesTests {
    private let brand = BrandID(trusted: "acme")

    private func change(_ position: Int64, of delivery: Int64, brand: Int64 = 1, isKept: Bool = true)
        -> RecentChanges.Change
    {
        let record = DeliveryRecord(
            id: DeliveryID(delivery),
            messageID: nil,
            consumer: ConsumerID(trusted: "u-1"),
            device: DeviceID(trusted: "d-1"),
            app: AppID(trusted: "shop"),
            provider: .apns,
            state: .accepted,
            attempts: 1,
            queuedAt: Timestamp(milliseconds: 0)
        )
        let followed = FollowedDelivery(record, brand: brand)
        return RecentChanges.Change(
            position: position,
            delivery: delivery,
            brand: brand,
            followed: isKept ? followed : nil
        )
    }

    private func add(_ changes: [RecentChanges.Change], to recent: RecentChanges, last: Int64) {
        recent.add(changes, opened: [:], awaited: [], last: last)
    }

    private func opened(changesInAll: Int = 100, last: Int64 = 10) -> RecentChanges {
        let recent = RecentChanges(changesInAll: changesInAll)
        #expect(recent.changes(of: brand, after: last, limit: 10) == nil)
        #expect(recent.following().awaited == [brand])
        recent.add([], opened: [brand: 1], awaited: [brand], last: last)
        #expect(recent.following().awaited.isEmpty && recent.following().brands == [1])
        return recent
    }

    @Test("a log is followed from its first read on; earlier changes are read from the database")
    func follows() {
        let recent = opened()
        #expect(recent.changes(of: brand, after: 9, limit: 10) == nil)
        #expect(recent.changes(of: brand, after: 10, limit: 10)?.changes.isEmpty == true)
        add([change(11, of: 1), change(12, of: 2, brand: 2), change(13, of: 3)], to: recent, last: 13)
        add([change(14, of: 4)], to: recent, last: 14)
        let first = recent.changes(of: brand, after: 10, limit: 2)
        #expect(first?.changes.map(\.delivery) == [1, 3] && first?.position == 13 && first?.isEnd == false)
        let rest = recent.changes(of: brand, after: 13, limit: 2)
        #expect(rest?.changes.map(\.delivery) == [4] && rest?.position == 14 && rest?.isEnd == true)
        #expect(recent.changes(of: brand, after: 14, limit: 2)?.isEnd == true)
    }

    @Test("a delivery that changes again appears only at its newest change")
    func newest() {
        let recent = opened()
        add([change(11, of: 1), change(12, of: 2)], to: recent, last: 12)
        add([change(13, of: 1, isKept: false)], to: recent, last: 13)
        let found = recent.changes(of: brand, after: 10, limit: 10)
        #expect(found?.changes.map(\.position) == [12, 13] && found?.changes.last?.followed == nil)
        #expect(recent.changes(of: brand, after: 12, limit: 10)?.changes.map(\.position) == [13])
    }

    @Test("only the newest changes are kept, and none after the log was forgotten")
    func bounded() {
        let recent = opened(changesInAll: 3)
        for position in Int64(11)...15 { add([change(position, of: position)], to: recent, last: position) }
        #expect(recent.changes(of: brand, after: 11, limit: 10) == nil)
        #expect(recent.changes(of: brand, after: 12, limit: 10)?.changes.map(\.position) == [13, 14, 15])
        recent.forgetAll()
        #expect(recent.changes(of: brand, after: 15, limit: 10) == nil)
        #expect(recent.following().brands.isEmpty && recent.following().awaited == [brand])
    }

    @Test("followed logs share what is kept: the oldest changes go, also those of a quiet log")
    func shared() {
        let recent = opened(changesInAll: 4)
        let other = BrandID(trusted: "other")
        #expect(recent.changes(of: other, after: 10, limit: 1) == nil)
        recent.add([], opened: [other: 2], awaited: [other], last: 10)
        for position in Int64(11)...12 { add([change(position, of: position, brand: 2)], to: recent, last: position) }
        for position in Int64(13)...15 { add([change(position, of: position)], to: recent, last: position) }
        #expect(recent.changes(of: brand, after: 10, limit: 9)?.changes.map(\.position) == [13, 14, 15])
        #expect(recent.changes(of: other, after: 11, limit: 9)?.changes.map(\.position) == [12])
        #expect(recent.changes(of: other, after: 10, limit: 9) == nil && recent.following().start == 10)
        // What was forgotten counts no more.
        recent.forgetAll()
        recent.add([], opened: [brand: 1, other: 2], awaited: [brand, other], last: 15)
        for position in Int64(16)...19 { add([change(position, of: position)], to: recent, last: position) }
        #expect(recent.changes(of: brand, after: 15, limit: 9)?.changes.map(\.position) == [16, 17, 18, 19])
    }

    @Test("a log that nobody reads is not followed any more, also when everything is forgotten meanwhile")
    func idle() {
        let recent = RecentChanges(idleTime: .zero)
        #expect(recent.changes(of: brand, after: 0, limit: 1) == nil)
        recent.add([], opened: [brand: 1], awaited: [brand], last: 0)
        recent.forgetAll()
        #expect(recent.following().isEmpty)
        #expect(recent.changes(of: brand, after: 0, limit: 1) == nil)
        recent.add([], opened: [brand: 1], awaited: [brand], last: 0)
        #expect(recent.changes(of: brand, after: 0, limit: 1) != nil)
        #expect(recent.following().isEmpty)
        #expect(recent.changes(of: brand, after: 0, limit: 1) == nil)
    }

    @Test("so many brands are followed at once, and the others are read from the database")
    func brands() {
        let recent = RecentChanges()
        for number in 0..<(RecentChanges.brandLimit + 5) {
            _ = recent.changes(of: BrandID(trusted: "b-\(number)"), after: 0, limit: 1)
        }
        #expect(recent.following().awaited.count == RecentChanges.brandLimit)
    }

    /// Follows the log from a position; expects the same from a query that reads the database.
    private func follow(_ f: ContractFixture, _ position: inout Int64) async throws -> (
        items: [DeliveryRecord], kept: Int
    ) {
        let store = try #require(f.store as? SQLiteStore)
        let recent = store.recent.changes(of: f.brand, after: position, limit: 500)
        let found = try await store.deliveryChanges(DeliveryQuery(brand: f.brand, limit: 500), after: position)
        // A query with a filter reads the database.
        var filtered = DeliveryQuery(brand: f.brand, limit: 500)
        filtered.since = Timestamp(milliseconds: 0)
        let stored = try await store.deliveryChanges(filtered, after: position)
        #expect(found.items.map(\.position) == stored.items.map(\.position))
        #expect(found.items.map(\.record) == stored.items.map(\.record))
        #expect(found.isEnd && found.position >= (stored.items.last?.position ?? position))
        position = found.position
        return (found.items.map(\.record), recent?.changes.count { $0.followed != nil } ?? 0)
    }

    /// Begins to follow the log, also after everything was forgotten; returns the position of its end.
    private func begin(_ f: ContractFixture) async throws -> Int64 {
        let position = try await f.store.lastDeliveryChange(brand: f.brand)
        _ = try await f.store.deliveryChanges(DeliveryQuery(brand: f.brand, limit: 500), after: position)
        try await f.register("d-99", of: "u-99")
        return position
    }

    @Test("say the same as the database, whatever happens to deliveries, and mostly without reading it")
    func same() async throws {
        let f = try await ContractFixture(engine: try SQLiteEngine())
        var log = try await RandomLog(f, seed: 11)
        var position = try await begin(f)
        var (kept, all) = (0, 0)
        for _ in 0..<100 {
            try await log.grow(turns: 1)
            let found = try await follow(f, &position)
            kept += found.kept
            all += found.items.count
        }
        #expect(all > 1000 && kept > all / 2 && kept < all, "\(kept) of \(all)")
    }

    @Test("say the same as the database when something happens while a push is in flight")
    func inFlight() async throws {
        let f = try await ContractFixture(engine: try SQLiteEngine())
        for number in 1...7 { try await f.register("d-\(number)", of: "u-\(number)") }
        try await f.openAnonymous(8, "a-8", device: "d-8")
        try await f.register("d-8", of: "a-8")
        f.giveSlots(100)
        var position = try await begin(f)
        var rows: [OutboxRow] = []
        for number in 1...7 { rows.append(try await f.ownedRow(f.message("u-\(number)"))) }
        // One is tapped, one arrives, one is tried again and one is cancelled; the others are only sent.
        try await f.change(f.tap("u-1", "d-1", try #require(rows[0].message?.id)))
        try await f.change(f.receipt("u-2", "d-2", try #require(rows[1].message?.id)))
        try await f.outcome(f.retry(rows[2], seconds: 1))
        try await f.accepted(f.readEvent("u-4", in: "c-1", .sequence(5)))
        try await f.commit { turn in turn.outcomes = rows.map { f.response($0) } }
        let first = try await follow(f, &position)
        #expect(
            first.items.map(\.state) == [.tapped, .delivered, .accepted, .accepted, .accepted, .accepted, .accepted]
        )
        #expect(first.kept == 3)
        // A merge renames the consumer of one in flight, and an erasure ends another.
        let merged = try await f.ownedRow(f.message("a-8"))
        let erased = try await f.ownedRow(f.message("u-5"))
        try await f.open(f.session(9, "u-9", device: "d-8"), anonymous: 8)
        try await f.change(f.erasure("u-5"))
        position = try await begin(f)
        try await f.commit { $0.outcomes = [f.response(merged), f.response(erased)] }
        let second = try await follow(f, &position)
        #expect(second.items.map(\.consumer.rawValue) == ["u-9"] && second.kept == 0)
        // A tried one is sent again, and a push of another turn is not tried before.
        let failed = try await f.ownedRow(f.message("u-6"))
        try await f.outcome(f.response(failed, .rejected(token: .keep), status: 400, reason: "BadTopic"))
        #expect(try await follow(f, &position).kept == 1)
        let retry = RetryRequest(brand: f.brand, delivery: failed.id, ttlSeconds: 600)
        guard case .retried = try await f.change(.retry(retry)) else { throw Unexpected(what: "not retried") }
        let again = try #require(try await f.claim().rows.first { $0.id == failed.id })
        position = try await begin(f)
        try await f.outcome(f.response(again))
        let third = try await follow(f, &position)
        #expect(third.items.map(\.attempts) == [2] && third.kept == 0)
        // Of a deleted brand nothing is left, also when another gets its id.
        _ = try await f.store.deleteBrand(f.brand, audit: nil)
        try await f.makeBrand(f.brand, app: f.app)
        let store = try #require(f.store as? SQLiteStore)
        #expect(store.recent.changes(of: f.brand, after: 0, limit: 500)?.changes.isEmpty != false)
        #expect(try await store.deliveryChanges(DeliveryQuery(brand: f.brand, limit: 9), after: 0).items.isEmpty)
    }
}

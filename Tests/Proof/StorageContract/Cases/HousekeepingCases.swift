import GatewayModel
import GatewayStorage
import Testing

/// The removal of expired rows, and of a deleted brand's remaining rows.
enum HousekeepingCases {
    static let all = [
        expired, expiredKeepsFacts, expiredFreesTheLane, eventIDs, eventIDsOfOthers, sessions, anonymous,
        anonymousKept, anonymousProof, anonymousNoMore, anonymousInBatches, deletedBrand, deletedBrandAgain,
        deletedBrandLateResponse, nothing,
    ]

    private static func message(_ f: ContractFixture, ttl: Int64) -> AgentEvent {
        var event = f.message("u-1")
        event.ttlSeconds = ttl
        return event
    }

    static let expired = ContractCase("unowned rows past their expiry end as expired, others stay") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(1)
        let owned = try await f.ownedRow(message(f, ttl: 10))
        f.budgets = [:]
        _ = try await f.accept(message(f, ttl: 10), message(f, ttl: 11))
        #expect(try await f.runHousekeeping(.expired) == 0)
        f.wait(seconds: 10)
        #expect(try await f.runHousekeeping(.expired) == 1)
        let records = try await f.deliveries()
        #expect(records.map(\.state) == [.pending, .expired, .sending])
        #expect(records[1].suppressedBy == nil && records[1].attempts == 0)
        #expect(try await f.unread("u-1") == 3)
        // A row in flight gets its response as usual.
        try await f.outcome(f.response(owned))
        #expect(try await f.delivery(owned.id).record.state == .accepted)
        #expect(try await f.runHousekeeping(.expired) == 0)
    }

    static let expiredKeepsFacts = ContractCase("an expired row keeps the facts of its last attempt") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(1)
        let row = try await f.ownedRow(message(f, ttl: 10))
        try await f.outcome(f.retry(row, seconds: 5))
        f.wait(seconds: 10)
        #expect(try await f.runHousekeeping(.expired) == 1)
        let detail = try await f.delivery(row.id)
        #expect(detail.record.state == .expired && detail.record.attempts == 1 && detail.record.status == 503)
        #expect(detail.record.reason == "ServiceUnavailable" && detail.attempts.count == 1)
    }

    static let expiredFreesTheLane = ContractCase("a lane whose rows have expired has no backlog") { (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.accepted(message(f, ttl: 10))
        f.wait(seconds: 10)
        #expect(try await f.runHousekeeping(.expired) == 1)
        let claim = try await f.claim()
        #expect(claim.rows.isEmpty && claim.nextDue == nil)
        #expect(try await f.restart().backlog.isEmpty)
    }

    static let eventIDs = ContractCase("an event's id is removed by the day, never before its hours are over") {
        (f) async throws in
        // The last second of a day.
        f.now = Timestamp(milliseconds: 20_500 * 86_400_000 - 1000)
        let first = try await f.accepted(f.message("u-1", id: "e"))
        for hours in [0, 24, 48, 72] {
            f.now = Timestamp(milliseconds: 20_500 * 86_400_000 - 1000).adding(seconds: Int64(hours) * 3600)
            #expect(try await f.runHousekeeping(.eventIDs(keepHours: [f.brand: 72])) == 0)
            let (again, _) = try #require(try await f.accept(f.message("u-1", id: "e")).first).duplicateEvent
            #expect(again.messageID == first.messageID)
        }
        f.wait(seconds: 1)
        #expect(try await f.runHousekeeping(.eventIDs(keepHours: [f.brand: 72])) == 1)
        #expect(try await f.runHousekeeping(.eventIDs(keepHours: [f.brand: 72])) == 0)
        #expect(try await f.accepted(f.message("u-1", id: "e")).sequence == 2)
        #expect(try #require(try await f.accept(f.message("u-1", id: "e")).first).duplicateEvent.event.sequence == 2)
    }

    static let eventIDsOfOthers = ContractCase("ids are removed only for the named brands, in batches") {
        (f) async throws in
        let other = try await f.makeOtherBrand()
        for number in 0..<7 { try await f.accepted(f.message("u-1", id: "e-\(number)")) }
        let theirs = f.request([f.message("u-1", id: "e-1")], brand: other)
        try await f.commit { $0.accepts = [theirs] }
        f.wait(seconds: 30 * 86_400)
        #expect(
            try await f.runHousekeeping(.eventIDs(keepHours: [f.brand: 24, BrandID(trusted: "gone"): 1]), limit: 2) == 7
        )
        #expect(try await f.runHousekeeping(.eventIDs(keepHours: [f.brand: 24, other: 24]), limit: 2) == 1)
    }

    static let sessions = ContractCase("a session is removed a day after it expired") { (f) async throws in
        func open(_ byte: UInt8, seconds: Int64) async throws {
            try await f.open(f.session(byte, seconds: seconds))
        }
        func isKept(_ byte: UInt8) async throws -> Bool { try await f.hasSession(byte) }
        for byte in 1...5 as ClosedRange<UInt8> { try await open(byte, seconds: 60) }
        try await open(9, seconds: 3600)
        f.wait(seconds: 60 + 86_400)
        #expect(try await f.runHousekeeping(.sessions) == 0)
        #expect(try await isKept(1))
        f.wait(seconds: 1)
        #expect(try await f.runHousekeeping(.sessions, limit: 2) == 5)
        #expect(try await !isKept(1))
        #expect(try await !isKept(5))
        #expect(try await isKept(9))
    }

    private static func isThere(_ f: ContractFixture, _ consumer: String) async throws -> Bool {
        try await f.store.consumer(brand: f.brand, id: ConsumerID(trusted: consumer)) != nil
    }

    static let anonymous = ContractCase(
        "an anonymous consumer without stored data is removed a day after its last session ended"
    ) {
        (f) async throws in
        try await f.openAnonymous(1, "expires", device: "d-1", mergeDays: 0)
        try await f.openAnonymous(2, "logs out", device: nil, mergeDays: 0)
        try await f.openAnonymous(3, "is logged out", device: nil, mergeDays: 0)
        try await f.openAnonymous(4, "comes back", device: nil, mergeDays: 0)
        try await f.change(f.anonymous("never came"))
        f.wait(seconds: 1800)
        try await f.change(.endSession(tokenHash: f.session(2).tokenHash, unregister: .all))
        let remote = ConsumerID(trusted: "is logged out")
        try await f.change(.endSessions(brand: f.brand, consumer: remote, device: nil, unregister: .all))
        f.wait(seconds: 86_400 - 1800 - 1)
        #expect(try await f.runHousekeeping(.anonymous) == 0)
        f.wait(seconds: 1)
        #expect(try await f.runHousekeeping(.anonymous) == 1)
        #expect(try await !isThere(f, "never came"))
        try await f.openAnonymous(5, "comes back", device: nil, mergeDays: 0)
        f.wait(seconds: 1799)
        #expect(try await f.runHousekeeping(.anonymous) == 0)
        f.wait(seconds: 1)
        #expect(try await f.runHousekeeping(.anonymous) == 2)
        #expect(try await !isThere(f, "logs out"))
        #expect(try await !isThere(f, "is logged out"))
        f.wait(seconds: 1799)
        #expect(try await f.runHousekeeping(.anonymous) == 0)
        f.wait(seconds: 1)
        #expect(try await f.runHousekeeping(.anonymous) == 1)
        #expect(try await !isThere(f, "expires"))
        #expect(try await !f.hasSession(1))
        #expect(try await isThere(f, "comes back"))
        // It is a new consumer that has the id now.
        try await f.openAnonymous(6, "expires", device: nil, mergeDays: 0)
        #expect(try await f.accepted(f.message("expires", in: "c-new")).unread == 1)
        f.wait(seconds: 86_400)
        #expect(try await f.runHousekeeping(.anonymous) == 1)
        #expect(try await !isThere(f, "comes back"))
        #expect(try await isThere(f, "expires"))
    }

    static let anonymousKept = ContractCase(
        "an anonymous consumer with a conversation, a message or a registration stays"
    ) {
        (f) async throws in
        for (number, consumer) in ["reads", "opens", "registers", "leaves"].enumerated() {
            try await f.openAnonymous(UInt8(number + 1), consumer, device: "d-\(consumer)", mergeDays: 0)
        }
        try await f.accepted(f.message("reads", in: "c-reads"))
        let opening = ConversationToOpen(brand: f.brand, consumer: ConsumerID(trusted: "opens"))
        try await f.change(f.numbered(.openConversation(opening)))
        try await f.register("d-registers", of: "registers")
        try await f.register("d-leaves", of: "leaves")
        try await f.change(f.unregister("leaves", .all))
        for day in 0..<3 {
            f.wait(seconds: 2 * 86_400)
            _ = try await f.restart()
            #expect(try await f.runHousekeeping(.anonymous) == (day == 0 ? 1 : 0))
        }
        #expect(try await !isThere(f, "leaves"))
        for consumer in ["reads", "opens", "registers"] { #expect(try await isThere(f, consumer), "\(consumer)") }
        #expect(try await f.unread("reads") == 1)
        try await f.change(f.unregister("registers", .all))
        f.wait(seconds: 86_400)
        #expect(try await f.runHousekeeping(.anonymous) == 1)
        #expect(try await !isThere(f, "registers"))
    }

    static let anonymousProof = ContractCase(
        "an anonymous consumer stays while its token may prove a login as its own"
    ) {
        (f) async throws in
        try await f.openAnonymous(1, "expired", device: nil)
        try await f.openAnonymous(2, "ended", device: nil)
        try await f.change(.endSession(tokenHash: f.session(2).tokenHash, unregister: .all))
        f.wait(seconds: 3600 + 7 * 86_400 - 1)
        #expect(try await f.runHousekeeping(.anonymous) == 1)
        #expect(try await !isThere(f, "ended"))
        #expect(try await isThere(f, "expired"))
        f.wait(seconds: 86_400 + 1)
        #expect(try await f.runHousekeeping(.anonymous) == 1)
        #expect(try await !isThere(f, "expired"))
    }

    static let anonymousNoMore = ContractCase("consumers with an identifier, and those that were merged into one, stay")
    {
        (f) async throws in
        try await f.openAnonymous(1, "guest", device: "d-1")
        try await f.openAnonymous(2, "known now", device: "d-2")
        try await f.open(f.session(3, "u-1", device: "d-1"), anonymous: 1)
        let named = f.identified("known now")
        try await f.change(named)
        f.wait(seconds: 3 * 86_400)
        #expect(try await f.runHousekeeping(.anonymous) == 0)
        #expect(try await isThere(f, "known now"))
        #expect(try await isThere(f, "u-1"))
        #expect(try await f.store.consumer(brand: f.brand, id: ConsumerID(trusted: "guest"))?.id.rawValue == "u-1")
    }

    static let anonymousInBatches = ContractCase(
        "a pass removes every due anonymous consumer, in batches, of any brand"
    ) {
        (f) async throws in
        let other = try await f.makeOtherBrand()
        for number in 0..<23 {
            let consumer = "a-\(number)"
            try await f.change(f.anonymous(consumer, brand: number.isMultiple(of: 4) ? other : nil))
            if number.isMultiple(of: 5), !number.isMultiple(of: 4) {
                try await f.accepted(f.message(consumer, in: "c-\(number)"))
            }
        }
        f.wait(seconds: 86_400)
        #expect(try await f.runHousekeeping(.anonymous, limit: 3) == 20)
        #expect(try await f.runHousekeeping(.anonymous, limit: 3) == 0)
        #expect(try await isThere(f, "a-5"))
        #expect(try await isThere(f, "a-10"))
        #expect(try await isThere(f, "a-15"))
    }

    /// Two consumers with devices, messages, deliveries of every kind, a tap and a session.
    private static func fill(_ f: ContractFixture) async throws -> OutboxRow {
        try await f.register("d-1", of: "u-1")
        try await f.register("d-2", of: "u-2")
        f.giveSlots(1)
        let row = try await f.ownedRow(f.message("u-1"))
        try await f.outcome(f.retry(row, seconds: 0))
        f.giveSlots(0)
        _ = try await f.accept(f.message("u-2", in: "c-2"), f.message("u-2", in: "c-3"), f.proactive("u-1"))
        try await f.change(f.tap("u-1", "d-1", try #require(row.message?.id)))
        let claimed = try await f.claim(limit: 2).rows
        try await f.outcome(f.response(claimed[0]))
        try await f.open(f.session(1))
        return claimed[1]
    }

    static let deletedBrand = ContractCase("a deleted brand's rows are removed in batches, and no others") {
        (f) async throws in
        _ = try await fill(f)
        let other = try await f.makeOtherBrand()
        let theirs = f.request([f.message("u-1", id: "kept")], brand: other)
        try await f.commit { $0.accepts = [theirs] }
        #expect(try await f.runHousekeeping(.deletedBrands) == 0)
        _ = try await f.store.deleteBrand(f.brand, audit: nil)
        #expect(try await f.store.session(tokenHash: [UInt8](repeating: 1, count: 32)) == nil)
        // Each engine counts rows in its own way: at least messages, deliveries, event ids and consumers.
        #expect(try await f.runHousekeeping(.deletedBrands, limit: 2) >= 4 + 4 + 4 + 2)
        #expect(try await f.runHousekeeping(.deletedBrands) == 0)
        #expect(try await f.store.unread(brand: other, consumer: ConsumerID(trusted: "u-1")).total == 1)
        #expect(
            try #require(try await f.commit { $0.accepts = [theirs] }.accepts[0].first).duplicateEvent.event.unread == 1
        )
    }

    static let deletedBrandAgain = ContractCase("a brand created again is separate from the old one's remaining rows") {
        (f) async throws in
        _ = try await fill(f)
        let newest = try #require(try await f.deliveries().first).id
        _ = try await f.store.deleteBrand(f.brand, audit: nil)
        try await f.makeBrand(f.brand, app: f.app)
        try await f.register("d-1", of: "u-1")
        let accepted = try await f.accepted(f.message("u-1"))
        #expect(accepted.sequence == 1 && accepted.unread == 1 && accepted.deliveries == 1)
        #expect(try await f.runHousekeeping(.deletedBrands) > 0)
        #expect(try await f.deliveries().count == 1)
        #expect(try await f.messages("u-1", in: "c-1").count == 1)
        #expect(try await f.unread("u-1") == 1)
        #expect(try #require(try await f.deliveries().first).id > newest)
    }

    static let deletedBrandLateResponse = ContractCase("a response after its brand is deleted changes nothing") {
        (f) async throws in
        let row = try await fill(f)
        _ = try await f.store.deleteBrand(f.brand, audit: nil)
        try await f.outcome(f.response(row))
        #expect(try await f.runHousekeeping(.deletedBrands) > 0)
        try await f.outcome(f.response(row))
        #expect(try await f.runHousekeeping(.deletedBrands) == 0)
        #expect(try await f.restart().backlog.isEmpty)
    }

    static let nothing = ContractCase("a pass without work does nothing") { (f) async throws in
        let works: [HousekeepingBatch.Work] = [
            .expired, .eventIDs(keepHours: [:]), .eventIDs(keepHours: [f.brand: 1]), .sessions,
            .deliveries(before: [f.brand: f.now]), .messages(before: [f.brand: f.now]), .deletedBrands, .deletedApps,
            .erasures,
        ]
        for work in works { #expect(try await f.runHousekeeping(work) == 0) }
    }
}

import GatewayModel
import GatewayStorage
import Testing

/// Quiet hours of consumers, rows that need wait no longer, and devices for which much waits.
enum WaitingCases {
    static let all = [
        ownQuietHours, requeues, requeuesInPieces, requeuesNoTry, askedTogether, moved, merged, tooLate, wholeDevices,
    ]

    static let ownQuietHours = ContractCase("a consumer's quiet hours are kept, go with its rows, and free what waits")
    {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.accepted(f.message("u-1"))
        let row = try #require(try await f.claim().rows.first)
        #expect(row.traits == nil)
        let later = f.now.adding(seconds: 3600)
        try await f.outcome(f.unsent(row, .release(due: later)))
        let id = ConsumerID(trusted: "u-1")
        var change = ProfileChange(brand: f.brand, consumer: id)
        for hours in [
            QuietHours(from: 1320, to: 425, timeZone: "America/Argentina/Ushuaia", mode: .held),
            QuietHours(from: 0, to: 1439, timeZone: nil, mode: .silent), .off,
        ] {
            change.quietHours = .some(hours)
            let result = try await f.commit { $0.changes = [.changeProfile(change)] }
            guard case .consumer(let consumer) = result.changes[0] else { throw Unexpected(what: "\(result.changes)") }
            #expect(consumer.quietHours == hours)
            #expect(try await f.store.consumer(brand: f.brand, id: id)?.quietHours == hours)
            #expect(result.unowned == [f.apns: f.now])
            let claimed = try await f.claim().rows
            #expect(claimed.map(\.id) == [row.id] && claimed.map { $0.traits?.quietHours } == [hours])
            try await f.outcome(f.unsent(row, .release(due: later)))
        }
        f.giveSlots(1, mayHaveBacklog: true)
        let other = try await f.register("d-2", of: "u-1").registration.id
        let owned = try await f.owned(f.message("u-1"))
        #expect(owned.map(\.registration) == [other] && owned.map { $0.traits?.quietHours } == [.off])
        change.quietHours = .some(nil)
        try await f.change(.changeProfile(change))
        #expect(try await f.store.consumer(brand: f.brand, id: id)?.quietHours == nil)
        change.quietHours = nil
        change.name = "Ada"
        #expect(try await f.commit { $0.changes = [.changeProfile(change)] }.unowned.isEmpty)
    }

    /// Rows of two devices that wait until an hour from now, in order.
    private static func waiting(_ f: ContractFixture) async throws -> [OutboxRow] {
        try await f.register("d-1", of: "u-1")
        try await f.register("d-2", of: "u-2")
        for _ in 1...2 {
            try await f.accepted(f.message("u-1"))
            try await f.accepted(f.message("u-2", in: "c-2"))
        }
        let rows = try await f.claim().rows
        let later = f.now.adding(seconds: 3600)
        for row in rows { try await f.outcome(f.unsent(row, .release(due: later))) }
        return rows
    }

    static let requeues = ContractCase("rows that need wait no longer are due at once, those of other lanes are not") {
        (f) async throws in
        let rows = try await waiting(f)
        #expect(try await f.claim().rows.isEmpty)
        let fcm = RequeueRequest(lane: f.fcm, limit: 10)
        #expect(try await f.commit { $0.requeues = [fcm] }.requeued == [0])
        let request = RequeueRequest(lane: f.apns, limit: 10)
        let claim = ClaimRequest(lane: f.apns, limit: 10)
        let result = try await f.commit {
            $0.requeues = [request]
            $0.claims = [claim]
        }
        #expect(result.requeued == [4])
        #expect(result.claims[0].rows.map(\.id) == rows.map(\.id))
    }

    static let requeuesInPieces = ContractCase("rows that need wait no longer keep each device's order, piece by piece")
    {
        (f) async throws in
        let rows = try await waiting(f)
        f.wait(seconds: 1)
        for expected in [3, 1, 0] {
            let request = RequeueRequest(lane: f.apns, limit: 3)
            #expect(try await f.commit { $0.requeues = [request] }.requeued == [expected])
        }
        #expect(try await f.claim().rows.map(\.id) == rows.map(\.id))
    }

    static let requeuesNoTry = ContractCase(
        "who changes quiet hours shortens no wait that a provider asked for, nor that of what is behind it"
    ) { (f) async throws in
        let rows = try await waiting(f).filter { $0.message?.conversation.rawValue == "c-1" }
        f.wait(seconds: 3600)
        let claimed = try await f.claim().rows.filter { row in rows.contains { $0.id == row.id } }
        let outcomes = [
            f.retry(claimed[0], seconds: 60), f.unsent(claimed[1], .release(due: f.now.adding(seconds: 60))),
        ]
        try await f.commit { $0.outcomes = outcomes }
        try await f.accepted(f.message("u-1"))
        var change = ProfileChange(brand: f.brand, consumer: ConsumerID(trusted: "u-1"))
        change.quietHours = .some(.off)
        let requeue = RequeueRequest(lane: f.apns, limit: 10)
        let result = try await f.commit {
            $0.changes = [.changeProfile(change)]
            $0.requeues = [requeue]
        }
        #expect(result.requeued == [0] && result.unowned.isEmpty)
        #expect(try await f.claim().rows.isEmpty)
        f.wait(seconds: 60)
        // Tried, and then held: what is left of the first wait is kept, and no more.
        let again = try await f.claim().rows
        #expect(again.count == 3)
        for row in again { try await f.outcome(f.unsent(row, .release(due: f.now.adding(seconds: 3600)))) }
        #expect(try await f.commit { $0.requeues = [requeue] }.requeued == [3])
        #expect(try await f.claim().rows.map(\.id) == again.map(\.id))
        for row in again { try await f.outcome(f.unsent(row, .release(due: f.now.adding(seconds: 3600)))) }
        _ = try await f.restart()
        #expect(try await f.claim().rows.count(where: { row in again.contains { $0.id == row.id } }) == 3)
    }

    static let askedTogether = ContractCase("what a provider asked to wait together does, after a restart too") {
        (f) async throws in
        // A summary, the newest, is refused, and what it stood for waits with it.
        let rows = try await waiting(f).filter { $0.message?.conversation.rawValue == "c-1" }
        f.wait(seconds: 3600)
        let claimed = try await f.claim().rows.filter { row in rows.contains { $0.id == row.id } }
        let due = f.now.adding(seconds: 60)
        let outcomes = [
            f.retry(claimed[1], seconds: 60), f.unsent(claimed[0], .release(due: due, isAsked: true)),
        ]
        try await f.commit { $0.outcomes = outcomes }
        let requeue = RequeueRequest(lane: f.apns, limit: 10)
        #expect(try await f.commit { $0.requeues = [requeue] }.requeued == [0])
        _ = try await f.restart()
        func taken() async throws -> [DeliveryID] {
            try await f.claim().rows.map(\.id).filter { id in rows.contains { $0.id == id } }
        }
        #expect(try await taken().isEmpty)
        f.wait(seconds: 60)
        #expect(try await taken() == rows.map(\.id))
    }

    static let moved = ContractCase("what waits for a device that is in another time zone now is due, others' is not") {
        (f) async throws in
        let rows = try await waiting(f)
        var device = f.device("d-1", of: "u-1")
        try await f.register(device)
        #expect(try await f.claim().rows.isEmpty)
        device.timeZone = "Asia/Tokyo"
        let change = device
        let result = try await f.commit { $0.changes = [.register(change)] }
        #expect(result.unowned == [f.apns: f.now])
        let registration = rows[0].registration
        #expect(try await f.claim().rows.map(\.id) == rows.filter { $0.registration == registration }.map(\.id))
    }

    static let merged = ContractCase(
        "what waited for an anonymous consumer's quiet hours waits for those of who it is now"
    ) {
        (f) async throws in
        try await f.openAnonymous(1, "anon", device: "d-1")
        try await f.register("d-1", of: "anon")
        try await f.accepted(f.message("anon"))
        let row = try #require(try await f.claim().rows.first)
        try await f.outcome(f.unsent(row, .release(due: f.now.adding(seconds: 3600))))
        try await f.change(
            .upsertConsumer(
                brand: f.brand,
                id: ConsumerID(trusted: "u-1"),
                anonymous: false,
                profile: ConsumerProfile()
            )
        )
        var change = ProfileChange(brand: f.brand, consumer: ConsumerID(trusted: "u-1"))
        change.quietHours = .some(.off)
        try await f.change(.changeProfile(change))
        #expect(try await f.claim().rows.isEmpty)
        let opening = try await f.open(f.session(2, "u-1", device: "d-1"), anonymous: 1)
        #expect(opening.merged.map(\.quietHours) == [.off])
        let claimed = try await f.claim().rows
        #expect(claimed.map(\.id) == [row.id] && claimed.map { $0.traits?.quietHours } == [.off])
    }

    static let tooLate = ContractCase(
        "what waited for the end of quiet hours in vain is suppressed by them, and not expired"
    ) { (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.accepted(f.message("u-1"))
        let row = try #require(try await f.claim().rows.first)
        try await f.outcome(f.unsent(row, .release(due: f.now.adding(seconds: 3600))))
        for id in ["e-1", "e-2"] {
            var short = f.message("u-1", id: id)
            short.ttlSeconds = 10
            if id == "e-2" {
                // Behind one that a provider refused it expires.
                f.wait(seconds: 3590)
                try await f.outcome(f.retry(try #require(try await f.claim().rows.first), seconds: 60))
            }
            try await f.accepted(short)
            f.wait(seconds: 10)
            #expect(try await f.keepHouse(.expired) == 1)
            let ended = try #require(try await f.deliveries().first)
            #expect(ended.state == (id == "e-1" ? .suppressed : .expired))
            #expect(ended.suppressedBy == (id == "e-1" ? .quietHours : nil))
        }
    }

    static let wholeDevices = ContractCase("what is due for a device is handed out together, as far as there is room") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.register("d-2", of: "u-2")
        try await f.register("d-3", of: "u-3")
        for conversation in ["c-1", "c-2", "c-3"] {
            for user in ["u-1", "u-2"] { try await f.accepted(f.message(user, in: user + conversation)) }
        }
        try await f.accepted(f.proactive("u-2"))
        try await f.accepted(f.message("u-3", in: "c-9"))
        func claimed(limit: Int, device: Int) async throws -> (rows: [String], nextDue: Timestamp?) {
            let request = ClaimRequest(lane: f.apns, limit: limit, deviceLimit: device)
            let result = try await f.commit { $0.claims = [request] }
            guard let claim = result.claims.first else { throw Unexpected(what: "no claim") }
            let names = claim.rows.map { "\($0.message?.consumer.rawValue ?? "") \($0.message?.kind.rawValue ?? "")" }
            return (names, claim.nextDue)
        }
        // The second device's rows are too many for what is left, and what is behind it waits with it.
        var claim = try await claimed(limit: 6, device: 6)
        #expect(claim.rows == ["u-1 agent", "u-1 agent", "u-1 agent"] && claim.nextDue.map { $0 <= f.now } == true)
        // First, it gets as many as one device may, the oldest first.
        claim = try await claimed(limit: 2, device: 3)
        #expect(claim.rows == ["u-2 agent", "u-2 agent", "u-2 agent"])
        claim = try await claimed(limit: 2, device: 9)
        #expect(claim.rows == ["u-2 proactive", "u-3 agent"] && claim.nextDue == nil)
    }
}

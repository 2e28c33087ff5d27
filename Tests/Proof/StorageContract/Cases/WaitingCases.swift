import GatewayModel
import GatewayStorage
import Testing

/// Quiet hours of consumers, rows that no longer need to wait, and devices with many waiting rows.
enum WaitingCases {
    static let all = [
        ownQuietHours, requeues, requeuesBehind, requeuesInPieces, requeuesNoTry, askedTogether, moved, merged, tooLate,
        wholeDevices, deviceShare, behindMemory, behindRestart, quietRestart, mixedRestart, unfinished,
    ]

    static let ownQuietHours = ContractCase(
        "a consumer's quiet hours are stored, are in its rows, and release waiting rows"
    ) {
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
            #expect(result.unowned == [f.agents(f.apns): f.now])
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

    static let requeues = ContractCase("rows that no longer need to wait are due at once, those of other lanes are not")
    {
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
        #expect(result.requeued == [2])
        #expect(result.claims[0].rows.map(\.id) == rows.map(\.id))
    }

    static let requeuesBehind = ContractCase(
        "rows of other queues that begin to wait in the turn of a requeue are due at once, too"
    ) {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.accepted(f.message("u-1"))
        try await f.accepted(f.proactive("u-1"))
        let row = try #require(try await f.claim().rows.first)
        let outcome = f.unsent(row, .release(due: f.now.adding(seconds: 3600)))
        let request = RequeueRequest(lane: f.apns, queues: [.agent], limit: 10)
        let result = try await f.commit {
            $0.outcomes = [outcome]
            $0.requeues = [request]
        }
        #expect(result.requeued == [2])
        #expect(try await f.claim(queue: .proactive(campaign: nil)).rows.count == 1)
    }

    static let requeuesInPieces = ContractCase("devices that no longer need to wait keep their order, batch by batch") {
        (f) async throws in
        let rows = try await waiting(f)
        f.wait(seconds: 1)
        for expected in [1, 1, 0] {
            let request = RequeueRequest(lane: f.apns, limit: 1)
            #expect(try await f.commit { $0.requeues = [request] }.requeued == [expected])
        }
        #expect(try await f.claim().rows.map(\.id) == rows.map(\.id))
    }

    static let requeuesNoTry = ContractCase(
        "a change of quiet hours shortens no wait that a provider asked for, nor that of rows behind it"
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
        // Tried, and then held: the rest of the first wait is kept, and no more.
        let again = try await f.claim().rows
        #expect(again.count == 3)
        for row in again { try await f.outcome(f.unsent(row, .release(due: f.now.adding(seconds: 3600)))) }
        #expect(try await f.commit { $0.requeues = [requeue] }.requeued == [1])
        #expect(try await f.claim().rows.map(\.id) == again.map(\.id))
        for row in again { try await f.outcome(f.unsent(row, .release(due: f.now.adding(seconds: 3600)))) }
        _ = try await f.restart()
        #expect(try await f.claim().rows.count(where: { row in again.contains { $0.id == row.id } }) == 3)
    }

    static let askedTogether = ContractCase("rows that a provider asked to wait together do so, after a restart too") {
        (f) async throws in
        // A summary, the newest, is rejected, and the rows that it replaced wait with it.
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

    static let moved = ContractCase("rows that wait for a device in another time zone now are due, others' are not") {
        (f) async throws in
        let rows = try await waiting(f)
        var device = f.device("d-1", of: "u-1")
        try await f.register(device)
        #expect(try await f.claim().rows.isEmpty)
        device.timeZone = "Asia/Tokyo"
        let change = device
        let result = try await f.commit { $0.changes = [.register(change)] }
        #expect(result.unowned == [f.agents(f.apns): f.now])
        let registration = rows[0].registration
        #expect(try await f.claim().rows.map(\.id) == rows.filter { $0.registration == registration }.map(\.id))
    }

    static let merged = ContractCase(
        "rows that waited for an anonymous consumer's quiet hours wait for those of its present consumer"
    ) {
        (f) async throws in
        try await f.openAnonymous(1, "anon", device: "d-1")
        try await f.register("d-1", of: "anon")
        try await f.accepted(f.message("anon"))
        let row = try #require(try await f.claim().rows.first)
        try await f.outcome(f.unsent(row, .release(due: f.now.adding(seconds: 3600))))
        try await f.change(f.identified("u-1"))
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
        "a row that expires while it waits for the end of quiet hours is suppressed by them, not expired"
    ) { (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.accepted(f.message("u-1"))
        let row = try #require(try await f.claim().rows.first)
        try await f.outcome(f.unsent(row, .release(due: f.now.adding(seconds: 3600))))
        for id in ["e-1", "e-2"] {
            var short = f.message("u-1", id: id)
            short.ttlSeconds = 10
            if id == "e-2" {
                // Behind one that a provider rejected it expires.
                f.wait(seconds: 3590)
                try await f.outcome(f.retry(try #require(try await f.claim().rows.first), seconds: 60))
            }
            try await f.accepted(short)
            f.wait(seconds: 10)
            #expect(try await f.runHousekeeping(.expired) == 1)
            let ended = try #require(try await f.deliveries().first)
            #expect(ended.state == (id == "e-1" ? .suppressed : .expired))
            #expect(ended.suppressedBy == (id == "e-1" ? .quietHours : nil))
        }
    }

    static let wholeDevices = ContractCase("due rows of a device are handed out together, as far as there is room") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.register("d-2", of: "u-2")
        try await f.register("d-3", of: "u-3")
        for conversation in ["c-1", "c-2", "c-3"] {
            for user in ["u-1", "u-2"] { try await f.accepted(f.message(user, in: user + conversation)) }
        }
        try await f.accepted(f.message("u-2", in: "u-2c-1"))
        try await f.accepted(f.message("u-3", in: "c-9"))
        func claimed(limit: Int, device: Int) async throws -> (rows: [String], nextDue: Timestamp?) {
            let request = ClaimRequest(lane: f.apns, limit: limit, deviceRows: .whole(upTo: device))
            let result = try await f.commit { $0.claims = [request] }
            guard let claim = result.claims.first else { throw Unexpected(what: "no claim") }
            let names = claim.rows.map { "\($0.message?.consumer.rawValue ?? "") \($0.message?.kind.rawValue ?? "")" }
            return (names, claim.nextDue)
        }
        // The second device's rows are too many for the remaining room, and the rows behind wait with them.
        var claim = try await claimed(limit: 6, device: 6)
        #expect(claim.rows == ["u-1 agent", "u-1 agent", "u-1 agent"] && claim.nextDue.map { $0 <= f.now } == true)
        // As the first device it gets as many as one device may, the oldest first.
        claim = try await claimed(limit: 2, device: 3)
        #expect(claim.rows == ["u-2 agent", "u-2 agent", "u-2 agent"])
        claim = try await claimed(limit: 2, device: 9)
        #expect(claim.rows == ["u-2 agent", "u-3 agent"] && claim.nextDue == nil)
    }

    /// Claims for the first lane, with a device's share of four rows.
    private static func share(
        _ f: ContractFixture,
        _ queue: OutboxQueue = .agent,
        inMemory: [RegistrationID: Int] = [:]
    ) async throws -> ClaimResult {
        let request = ClaimRequest(lane: f.apns, queue: queue, limit: 100, deviceRows: .limited(to: DeviceLimit(4)))
        let result = try await f.commit {
            $0.rowsInMemory = inMemory
            $0.claims = [request]
        }
        guard let claim = result.claims.first else { throw Unexpected(what: "no claim") }
        return claim
    }

    static let deviceShare = ContractCase("a device has only its share of rows in memory, whatever else waits") {
        (f) async throws in
        let first = try await f.register("d-1", of: "u-1").registration.id
        let second = try await f.register("d-2", of: "u-2").registration.id
        f.budgets = [f.apns: LaneBudget(slots: 100, mayHaveBacklog: false, deviceLimit: DeviceLimit(4))]
        // A device that is not named may have one row in memory.
        let request = f.request((0..<10).map { _ in f.message("u-1") } + [f.message("u-2", in: "c-2")])
        let made = try await f.commit { $0.accepts = [request] }
        #expect(made.owned.map(\.registration) == [first, first, first, second])
        #expect(made.unowned == [f.agents(f.apns): f.now])
        // The number of rows in memory is named: one more fits, and then none.
        let one = try await share(f, inMemory: [first: 3])
        #expect(one.rows.map(\.message?.sequence) == [4] && one.behind == [first] && one.nextDue == nil)
        // New rows stay behind the remaining ones.
        f.budgets = [f.apns: LaneBudget(slots: 100, mayHaveBacklog: true, deviceLimit: DeviceLimit(4))]
        let next = try await f.commit { $0.accepts = [f.request([f.message("u-1"), f.message("u-2", in: "c-2")])] }
        #expect(next.owned.map(\.registration) == [second] && next.unowned.isEmpty)
        let recalled = try await f.commit { $0.recalls = [first, second] }
        #expect(recalled.unowned == [f.agents(f.apns): f.now])
        let full = try await share(f, inMemory: [first: 4])
        #expect(full.rows.isEmpty && full.behind == [first] && full.nextDue == nil)
    }

    static let behindMemory = ContractCase("a device's rows that a claim left are due once they are recalled") {
        (f) async throws in
        let device = try await f.register("d-1", of: "u-1").registration.id
        for _ in 0..<12 { try await f.accepted(f.message("u-1")) }
        let rows = try await share(f).rows
        #expect(rows.map(\.message?.sequence) == [1, 2, 3])
        let responses = [f.response(rows[0]), f.response(rows[1]), f.response(rows[2])]
        #expect(try await f.commit { $0.outcomes = responses }.unowned.isEmpty)
        #expect(try await share(f).rows.isEmpty)
        f.wait(seconds: 5)
        // It is recalled in the turn that stores the last outcome; its due rows are handed out in the same turn.
        let request = ClaimRequest(lane: f.apns, limit: 100, deviceRows: .limited(to: DeviceLimit(4)))
        let result = try await f.commit {
            $0.recalls = [device]
            $0.claims = [request]
        }
        #expect(result.unowned == [f.agents(f.apns): f.now])
        let claimed = result.claims.flatMap(\.rows)
        #expect(claimed.map(\.message?.sequence) == [4, 5, 6])
        // They are requeued for a while: the rows behind them wait with them, even when recalled.
        let back = claimed.map { f.unsent($0, .release(due: f.now.adding(seconds: 60), isAsked: true)) }
        #expect(
            try await f.commit {
                $0.outcomes = back
                $0.recalls = [device]
            }.unowned == [f.agents(f.apns): f.now.adding(seconds: 60)]
        )
        let early = try await share(f)
        #expect(early.rows.isEmpty && early.nextDue == f.now.adding(seconds: 60))
        f.wait(seconds: 60)
        #expect(try await share(f).rows.map(\.message?.sequence) == [4, 5, 6])
        // All remaining messages were read; only the badge with the mark waits.
        try await f.change(f.read("u-1", "c-1", 12))
        #expect(try await share(f).nextDue == nil)
        let end = try await share(f, .badge)
        #expect(end.rows.map(\.kind) == [.badge] && end.nextDue == nil && end.behind.isEmpty)
    }

    static let behindRestart = ContractCase("a device's rows that a claim left are due after a restart") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        for _ in 0..<6 { try await f.accepted(f.message("u-1")) }
        #expect(try await share(f).rows.count == 3)
        f.wait(seconds: 1)
        let start = try await f.restart()
        #expect(start.recovered == 3 && start.backlog == [f.agents(f.apns): f.now])
        #expect(try await share(f).rows.map(\.message?.sequence) == [1, 2, 3])
    }

    static let quietRestart = ContractCase("a start leaves rows in the store as long as their own quiet hours hold") {
        (f) async throws in
        let rows = try await waiting(f)
        let night = f.now.adding(seconds: 3600)
        var change = ProfileChange(brand: f.brand, consumer: ConsumerID(trusted: "u-2"))
        change.quietHours = .some(.off)
        let later = f.now.adding(seconds: 3600)
        try await f.change(.changeProfile(change))
        for row in try await f.claim().rows { try await f.outcome(f.unsent(row, .release(due: later))) }
        f.wait(seconds: 60)
        #expect(try await f.restart { _, _ in night }.backlog == [f.agents(f.apns): night])
        #expect(try await f.claim().rows.isEmpty)
        // Those of the second consumer, who has none by now.
        let start = try await f.restart { _, traits in traits?.quietHours == .off ? nil : night }
        #expect(start.backlog == [f.agents(f.apns): f.now])
        let second = rows.filter { $0.message?.conversation.rawValue == "c-2" }.map(\.id)
        #expect(try await f.claim().rows.map(\.id) == second)
        // They are requeued from the earlier process; the others' hours end at another time by now.
        #expect(try await f.restart { _, _ in night.adding(seconds: 60) }.recovered == 2)
        #expect(try await Set(f.claim().rows.map(\.id)) == Set(rows.map(\.id)))
    }

    static let mixedRestart = ContractCase("a device of which a start requeues rows waits for no quiet hours") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        for _ in 0..<6 { try await f.accepted(f.message("u-1")) }
        let rows = try await share(f).rows
        let night = f.now.adding(seconds: 3600)
        try await f.outcome(f.unsent(rows[0], .release(due: night)))
        f.wait(seconds: 1)
        let start = try await f.restart { _, _ in night }
        #expect(start.recovered == 2 && start.backlog == [f.agents(f.apns): f.now])
        #expect(try await share(f).rows.map(\.message?.sequence) == [1, 2, 3])
    }

    static let unfinished = ContractCase("unfinished pushes are counted, with the time of the oldest") {
        (f) async throws in
        let none = try await f.store.unfinishedPushes()
        #expect(none.count == 0 && none.oldest == nil)
        try await f.register("d-1", of: "u-1")
        try await f.accepted(f.message("u-1"))
        let first = f.now
        f.wait(seconds: 60)
        try await f.accepted(f.message("u-1"))
        let two = try await f.store.unfinishedPushes()
        #expect(two.count == 2 && two.oldest == first)
        let row = try #require(try await f.claim().rows.first)
        try await f.outcome(f.response(row))
        let one = try await f.store.unfinishedPushes()
        #expect(one.count == 1 && one.oldest == f.now)
    }
}

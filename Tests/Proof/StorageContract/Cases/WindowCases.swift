import GatewayModel
import GatewayStorage
import Testing

/// Agents' messages to consumers with an open messaging window (R97-R102, Architecture page, 7).
enum WindowCases {
    static let all = [held, released, pause, crash, merged, unheard]

    private static func state(_ f: ContractFixture, _ row: Int) async throws -> DeliveryState {
        let records = try await f.deliveries().sorted { $0.id < $1.id }
        try #require(records.indices.contains(row))
        return records[row].state
    }

    static let held = ContractCase("an agent's message to an open window is held, and goes to no lane") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.register(f.device("d-2", of: "u-1", pushType: .fcm))
        try await f.register("d-3", of: "u-2")
        f.openWindow("u-1")
        f.giveSlots(9)
        var silent = f.message("u-1")
        silent.silent = true
        let request = f.request([f.message("u-1"), silent, f.message("u-2", in: "c-2")])
        let result = try await f.commit { $0.accepts = [request] }
        #expect(try result.accepts[0].map { try $0.acceptedEvent.deliveries } == [2, 2, 1])
        #expect(result.owned.map(\.message?.consumer.rawValue) == ["u-2"] && result.unowned.isEmpty)
        #expect(result.held.made == 4 && result.held.released == 0)
        var query = DeliveryQuery(brand: f.brand, limit: 9)
        query.state = .held
        #expect(try await f.store.deliveries(query).items.map(\.consumer.rawValue) == ["u-1", "u-1", "u-1", "u-1"])
        query.state = .sending
        #expect(try await f.store.deliveries(query).items.map(\.consumer.rawValue) == ["u-2"])
        let stats = try await f.store.deliveryStats(brand: f.brand, window: StatsWindow(seconds: 3600), now: f.now)
        #expect(stats.unfinished.reduce(0) { $0 + ($1.state == .held ? $1.count : 0) } == 4)
        // Also without slots.
        f.budgets = [:]
        let waiting = f.request([f.message("u-1")])
        #expect(try await f.commit { $0.accepts = [waiting] }.unowned.isEmpty)
        #expect(try await f.claim().rows.isEmpty)
        #expect(try await f.claim(f.fcm).nextDue == nil)
        // A proactive message is pushed anyway, past the held one.
        f.giveSlots(9, mayHaveBacklog: true)
        #expect(try await f.owned(f.proactive("u-1")).count == 2)
        #expect(try await f.unread("u-1") == 2)
    }

    static let released = ContractCase("held rows go to their lane when no window holds them any more") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.openWindow("u-1")
        f.openWindow("u-1")
        f.giveSlots(9)
        try await f.accepted(f.message("u-1"))
        f.closeWindow("u-1")
        let early = try await f.commit { $0.releases = [f.name("u-1")] }
        #expect(early.held == HeldCounts() && early.unowned.isEmpty)
        f.closeWindow("u-1")
        f.wait(seconds: 7)
        // Rows of the same turn stay behind it.
        let request = f.request([f.message("u-1")])
        let result = try await f.commit {
            $0.releases = [f.name("u-1"), f.name("u-1"), f.name("nobody")]
            $0.accepts = [request]
        }
        #expect(result.held.released == 1 && result.owned.isEmpty && result.unowned == [f.agents(f.apns): f.now])
        let states = [try await state(f, 0), try await state(f, 1)]
        #expect(states == [.pending, .pending])
        let rows = try await f.claim().rows
        #expect(rows.map(\.message?.sequence) == [1, 2] && rows.map(\.unread) == [2, 2])
        #expect(rows.map(\.isTimed) == [false, true], "the first one's wait was the window's")
        #expect(try await f.commit { $0.releases = [f.name("u-1")] }.held == HeldCounts())
    }

    static let pause = ContractCase("released rows go with younger rows that a provider has delayed") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.openWindow("u-1")
        f.giveSlots(9)
        try await f.accepted(f.message("u-1"))
        let proactive = try await f.ownedRow(f.proactive("u-1"))
        try await f.accepted(f.message("u-1"))
        try await f.outcome(f.retry(proactive, seconds: 30))
        f.closeWindow("u-1")
        let due = f.now.adding(seconds: 30)
        #expect(try await f.commit { $0.releases = [f.name("u-1")] }.unowned == [f.agents(f.apns): due])
        #expect(try await f.claim().rows.isEmpty)
        f.wait(seconds: 30)
        #expect(try await f.claim().rows.map(\.message?.sequence) == [1, 3])
        #expect(try await f.claim(queue: .proactive(campaign: nil)).rows.map(\.message?.sequence) == [2])
    }

    static let crash = ContractCase("the next start pushes held rows: a crash loses no push") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.openWindow("u-1")
        f.giveSlots(9)
        try await f.accepted(f.message("u-1"))
        f.wait(seconds: 3)
        try await f.accepted(f.message("u-1"))
        let start = try await f.restart()
        #expect(start.recovered == 2 && start.backlog[f.agents(f.apns)] == f.now.adding(seconds: -3))
        let rows = try await f.claim().rows
        #expect(rows.map(\.message?.sequence) == [1, 2] && rows.map(\.isTimed) == [false, false])
        // They are rows like any other now.
        #expect(try await f.commit { $0.releases = [f.name("u-1")] }.held == HeldCounts())
        #expect(try await f.deliveries().allSatisfy { $0.state == .sending })
    }

    static let merged = ContractCase("held rows of a merged consumer are not stranded") { (f) async throws in
        try await f.openAnonymous(1, "a-1", device: "d-1")
        try await f.register("d-1", of: "a-1")
        try await f.register("d-2", of: "u-1")
        f.openWindow("a-1", device: "d-1")
        try await f.accepted(f.message("a-1", in: "c-a"))
        // The other has a window of its own: then it continues to hold.
        f.openWindow("u-1", device: "d-2")
        try await f.open(f.session(2, device: "d-1"), anonymous: 1)
        #expect(try await f.deliveries().map(\.state) == [.held])
        f.closeWindow("u-1", device: "d-2")
        f.closeWindow("a-1", device: "d-1")
        // By either id.
        #expect(try await f.commit { $0.releases = [f.name("a-1")] }.held.released == 1)

        // Without one, nothing holds them after the merge.
        try await f.openAnonymous(3, "a-2", device: "d-3")
        try await f.register("d-3", of: "a-2")
        f.openWindow("a-2", device: "d-3")
        try await f.accepted(f.message("a-2", in: "c-b"))
        let login = StoreChange.openSession(
            f.session(4, device: "d-3"),
            LoginTerms(anonymousToken: f.session(3).tokenHash)
        )
        let request = f.request([f.message("a-2", in: "c-b")])
        let result = try await f.commit {
            $0.changes = [login]
            $0.accepts = [request]
        }
        // The window is open under an id that leads elsewhere: it receives nothing under it.
        #expect(result.held.released == 1 && result.held.made == 0 && result.windowEvents.isEmpty)
        let sequences = try await f.claim().rows.filter { $0.message?.conversation.rawValue == "c-b" }
            .filter { $0.token == "token-of-d-3" }.map(\.message?.sequence)
        #expect(sequences == [1, 2])
    }

    static let unheard = ContractCase("a consumer without an open window receives nothing, and nothing is held") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.openWindow("u-2")
        f.windows.open(
            ConsumerName(brand: BrandID(trusted: "other"), consumer: ConsumerID(trusted: "u-1")),
            device: nil
        )
        let request = f.request([f.message("u-1"), f.readEvent("u-1", in: "c-1", .sequence(1))])
        let result = try await f.commit { $0.accepts = [request] }
        #expect(result.windowEvents.isEmpty && result.held == HeldCounts())
    }
}

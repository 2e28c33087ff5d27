import GatewayModel
import GatewayStorage
import Testing

/// Classes of pushes: agents' messages, badges, proactive messages.
enum PushClassCases {
    static let all: [ContractCase] = [agentsPass, theirOwnOrder, campaigns, putOff, slots, device]

    static let agentsPass = ContractCase("an agent's message is owned while a proactive one of its device waits") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        let waiting = try await f.commit { $0.accepts = [f.request([f.proactive("u-1")])] }
        #expect(waiting.unowned == [LaneQueue(f.apns, .proactive(campaign: nil)): f.now])
        f.giveSlots(5, mayHaveBacklog: true)
        let result = try await f.commit { $0.accepts = [f.request([f.proactive("u-1"), f.message("u-1")])] }
        #expect(result.owned.map(\.queue) == [.agent])
        #expect(result.unowned.keys.map(\.queue) == [.proactive(campaign: nil)])
    }

    static let theirOwnOrder = ContractCase("a claim hands out one queue, in order") { (f) async throws in
        try await f.register("d-1", of: "u-1")
        _ = try await f.accept(f.proactive("u-1"), f.message("u-1"), f.proactive("u-1"), f.message("u-1"))
        let start = try await f.restart()
        #expect(Set(start.backlog.keys.map(\.queue)) == [.agent, .proactive(campaign: nil)])
        let agents = try await f.claim()
        #expect(agents.rows.map(\.message?.sequence) == [2, 4] && agents.nextDue == nil && agents.queue == .agent)
        let others = try await f.claim(queue: .proactive(campaign: nil))
        #expect(others.rows.map(\.message?.sequence) == [1, 3] && others.rows.allSatisfy { $0.queue == others.queue })
    }

    static let campaigns = ContractCase("each campaign has a queue, after a restart too") { (f) async throws in
        try await f.register("d-1", of: "u-1")
        _ = try await f.accept(f.of("spring", "u-1"), f.of("autumn", "u-1"), f.proactive("u-1"))
        let queues: [OutboxQueue] = [.proactive(campaign: nil), .proactive(campaign: 1), .proactive(campaign: 2)]
        #expect(try await f.restart().backlog.keys.map(\.queue).sorted() == queues)
        #expect(try await f.claim(queue: queues[2]).rows.map(\.message?.campaign) == ["autumn"])
        #expect(try await f.claim(queue: queues[1]).rows.map(\.message?.campaign) == ["spring"])
        #expect(try await f.claim(queue: queues[0]).rows.map(\.message?.campaign) == [nil])
    }

    static let putOff = ContractCase("a paused device gets no agent's message either") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(9, mayHaveBacklog: true)
        let proactive = try await f.ownedRow(f.proactive("u-1"))
        try await f.outcome(f.retry(proactive, seconds: 30))
        let due = f.now.adding(seconds: 30)
        let result = try await f.commit { $0.accepts = [f.request([f.message("u-1")])] }
        #expect(result.owned.isEmpty && result.unowned == [f.agents(f.apns): due])
        // A longer pause also delays the rows that wait already.
        f.wait(seconds: 30)
        let agents = try await f.claim().rows
        try await f.outcome(f.retry(try #require(agents.first), seconds: 60))
        #expect(try await f.claim(queue: .proactive(campaign: nil)).rows.isEmpty)
        f.wait(seconds: 60)
        #expect(try await f.claim(queue: .proactive(campaign: nil)).rows.count == 1)
    }

    static let slots = ContractCase("proactive rows take no more slots than their share, none of a closed class") {
        (f) async throws in
        for user in 1...4 { try await f.register("d-\(user)", of: "u-\(user)") }
        f.budgets = [f.apns: LaneBudget(slots: 3, proactiveSlots: 1, mayHaveBacklog: false)]
        let all =
            (1...4).map { f.proactive("u-\($0)", in: "c-\($0)") } + (1...4).map { f.message("u-\($0)", in: "c-\($0)") }
        let result = try await f.commit { $0.accepts = [f.request(all)] }
        #expect(result.owned.map(\.queue.pushClass) == [.proactive, .agent, .agent])
        var budget = LaneBudget(slots: 9, mayHaveBacklog: true)
        budget.closed = [.agent]
        budget.pacesCampaigns = true
        f.budgets = [f.apns: budget]
        try await f.register("d-5", of: "u-5")
        let events = [f.message("u-5", in: "c-5"), f.of("spring", "u-5"), f.proactive("u-5", in: "c-5")]
        let next = try await f.commit { $0.accepts = [f.request(events)] }
        // Waiting rows of an earlier class keep later ones in the store, whatever room there is.
        #expect(next.owned.isEmpty)
    }

    static let device = ContractCase("a device keeps room in memory for agents' messages") { (f) async throws in
        try await f.register("d-1", of: "u-1")
        let limit = DeviceLimit(4)
        f.budgets = [f.apns: LaneBudget(slots: 100, mayHaveBacklog: true, deviceLimit: limit)]
        // One may be there already.
        let result = try await f.commit { $0.accepts = [f.request((0..<3).map { _ in f.proactive("u-1") })] }
        #expect(result.owned.count == 1)
        let next = try await f.commit { $0.accepts = [f.request((0..<3).map { _ in f.message("u-1") })] }
        #expect(next.owned.map(\.queue) == [.agent, .agent, .agent])
    }
}

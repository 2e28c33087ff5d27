import GatewayModel
import GatewayStorage
import Testing

/// Of several pending rows with the same collapse key, only the newest is sent.
enum CollapseCases {
    static let all = [otherKeys, sameTurn, inheritsDue]

    private static func message(_ f: ContractFixture, _ key: String?, in conversation: String = "c-1") -> AgentEvent {
        var event = f.message("u-1", in: conversation)
        event.collapseKey = key
        return event
    }

    static let otherKeys = ContractCase("another key, no key and another device's row collapse nothing") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.accepted(message(f, "k"))
        try await f.accepted(message(f, nil))
        try await f.register("d-2", of: "u-1")
        for key in ["K", "k2", "", nil] {
            let request = f.request([message(f, key)])
            #expect(try await f.commit { $0.accepts = [request] }.withdrawn.isEmpty)
        }
        #expect(try await f.deliveries().allSatisfy { $0.state == .pending })
        #expect(try await f.deliveries().count == 10)
    }

    static let sameTurn = ContractCase(
        "of rows of one turn only the newest is handed out, and none is listed as withdrawn"
    ) {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(2)
        let request = f.request([message(f, "k"), message(f, "k"), message(f, "k"), message(f, "k")])
        let result = try await f.commit { $0.accepts = [request] }
        #expect(result.withdrawn.isEmpty && result.owned.isEmpty)
        // The slots stay taken by the collapsed rows.
        #expect(result.unowned == [f.agents(f.apns): f.now])
        #expect(try await f.claim().rows.map(\.message?.sequence) == [4])
        #expect(try await f.deliveries().count { $0.suppressedBy == .collapsed } == 3)
    }

    static let inheritsDue = ContractCase("the newer row waits as long as the one that it replaces") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(1)
        let row = try await f.ownedRow(message(f, "k"))
        try await f.outcome(f.retry(row, seconds: 60))
        f.giveSlots(1, mayHaveBacklog: true)
        let request = f.request([message(f, "k")])
        let result = try await f.commit { $0.accepts = [request] }
        #expect(result.withdrawn.map(\.delivery) == [row.id] && result.owned.isEmpty)
        let due = f.now.adding(seconds: 60)
        #expect(result.unowned == [f.agents(f.apns): due])
        let early = try await f.claim()
        #expect(early.rows.isEmpty && early.nextDue == due)
        f.wait(seconds: 60)
        #expect(try await f.claim().rows.map(\.message?.sequence) == [2])
        // Its attempt is in the log with it.
        let detail = try await f.delivery(row.id)
        #expect(detail.record.attempts == 1 && detail.record.status == 503 && detail.attempts.count == 1)
    }
}

import GatewayModel
import GatewayStorage
import Testing

/// Of several pending rows with the same collapse key, only the newest is sent.
enum CollapseCases {
    static let all = [
        unowned, owned, otherKeys, sameTurn, inheritsDue, lateResponse, lateRetry, ownedBadge, afterRestart,
    ]

    private static func message(_ f: ContractFixture, _ key: String?, in conversation: String = "c-1") -> AgentEvent {
        var event = f.message("u-1", in: conversation)
        event.collapseKey = key
        return event
    }

    static let unowned = ContractCase("a newer message with the same collapse key replaces one that waits") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.register("d-2", of: "u-1")
        for conversation in ["c-1", "c-2"] {
            let event = message(f, "order-7", in: conversation)
            let request = f.request([event])
            let before = try await f.deliveries().filter { !$0.state.isFinished }
            let result = try await f.commit { $0.accepts = [request] }
            #expect(result.withdrawn.map(\.delivery) == before.map(\.id).sorted())
            #expect(try result.accepts[0][0].acceptedEvent.deliveries == 2)
        }
        let records = try await f.deliveries()
        #expect(records.map(\.state) == [.pending, .pending, .cancelled, .cancelled])
        #expect(records.map(\.suppressedBy) == [nil, nil, .collapsed, .collapsed])
        let claim = try await f.claim()
        #expect(claim.rows.map(\.message?.conversation.rawValue) == ["c-2", "c-2"])
        // Only the push is cancelled: both messages are stored, and unread.
        #expect(try await f.unread("u-1") == 2)
    }

    static let owned = ContractCase("a row that a lane has in memory is collapsed, and listed as withdrawn") {
        (f) async throws in
        let registration = try await f.register("d-1", of: "u-1").registration.id
        f.giveSlots(9)
        let first = try await f.ownedRow(message(f, "k"))
        let request = f.request([message(f, "k")])
        let result = try await f.commit { $0.accepts = [request] }
        #expect(result.withdrawn == [WithdrawnRow(delivery: first.id, registration: registration)])
        #expect(result.owned.map(\.message?.sequence) == [2])
        let record = try await f.delivery(first.id).record
        #expect(record.state == .cancelled && record.suppressedBy == .collapsed)
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

    static let lateResponse = ContractCase("a collapsed row that was in flight gets its late response") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(9)
        let row = try await f.ownedRow(message(f, "k"))
        try await f.accepted(message(f, "k"))
        try await f.outcome(f.response(row, badge: 1))
        let record = try await f.delivery(row.id).record
        #expect(record.state == .accepted && record.suppressedBy == nil && record.providerID == "p-1")
        #expect(try await f.deliveries().count == 2)
    }

    static let lateRetry = ContractCase("a collapsed row is not retried") { (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(9)
        let row = try await f.ownedRow(message(f, "k"))
        let newer = try await f.ownedRow(message(f, "k"))
        try await f.outcome(f.retry(row, seconds: 0))
        let record = try await f.delivery(row.id).record
        #expect(record.state == .cancelled && record.suppressedBy == .collapsed && record.status == 503)
        #expect(try await f.claim().rows.isEmpty)
        #expect(try await f.delivery(newer.id).record.state == .sending)
    }

    static let ownedBadge = ContractCase(
        "an older badge that a lane has in memory is collapsed too, and listed as withdrawn"
    ) {
        (f) async throws in
        let registration = try await f.register("d-1", of: "u-1").registration.id
        _ = try await f.accept(f.message("u-1"), f.message("u-1"), f.message("u-1"))
        _ = try await f.claim()
        f.giveSlots(9)
        let first = try #require(try await f.commit { $0.changes = [f.read("u-1", "c-1", 1)] }.owned.first)
        // Two reads in one turn: the first one's badge is never handed out.
        let result = try await f.commit { $0.changes = [f.read("u-1", "c-1", 2), f.read("u-1", "c-1", 3)] }
        #expect(result.withdrawn.contains(WithdrawnRow(delivery: first.id, registration: registration)))
        #expect(result.owned.map(\.kind) == [.badge] && result.owned.map(\.unread) == [0])
        let badges = try await f.deliveries().filter { $0.messageID == nil }
        #expect(badges.map(\.suppressedBy) == [nil, .collapsed, .collapsed])
    }

    static let afterRestart = ContractCase("rows of an earlier process are collapsed too") { (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(1)
        let row = try await f.ownedRow(message(f, "k"))
        _ = try await f.restart()
        f.budgets = [:]
        let request = f.request([message(f, "k")])
        #expect(try await f.commit { $0.accepts = [request] }.withdrawn.map(\.delivery) == [row.id])
        #expect(try await f.claim().rows.map(\.message?.sequence) == [2])
    }
}

import GatewayModel
import GatewayStorage
import Testing

/// Proactive messages that are pending (R113-R115).
enum ProactiveCases {
    static let all = [pending, paged, tapped, cleared, clearedPushes, removed, merged]

    static let pending = ContractCase("proactive messages are pending until their look-back is over, newest first") {
        (f) async throws in
        try await f.accepted(f.message("u-1"))
        var short = f.proactive("u-1")
        short.lookBackSeconds = 60
        let first = try await f.accepted(short).messageID
        var c2m = f.proactive("u-1", in: "c-2")
        c2m.kind = .c2m
        let second = try await f.accepted(c2m).messageID
        try await f.accepted(f.proactive("u-2", in: "c-3"))
        #expect(try await f.pending("u-1").map(\.id) == [second, first])
        #expect(try await f.pending("nobody").isEmpty)
        f.wait(seconds: 60)
        #expect(try await f.pending("u-1").map(\.id) == [second, first])
        f.wait(seconds: 1)
        let left = try await f.pending("u-1")
        #expect(left.map(\.id) == [second])
        #expect(left.first?.kind == .c2m && left.first?.conversation.rawValue == "c-2")
    }

    static let paged = ContractCase("pending messages are read page by page") { (f) async throws in
        var ids: [MessageID?] = []
        for conversation in ["c-1", "c-2", "c-1"] {
            ids.append(try await f.accepted(f.proactive("u-1", in: conversation)).messageID)
        }
        #expect(try await f.pending("u-1", limit: 2).map(\.id) == [ids[2], ids[1]])
        #expect(try await f.pending("u-1", before: ids[1], limit: 2).map(\.id) == [ids[0]])
    }

    static let tapped = ContractCase(
        "a tap removes its message from the pending ones, across a restart too; a read removes none"
    ) {
        (f) async throws in
        let first = try #require(try await f.accepted(f.proactive("u-1")).messageID)
        let second = try await f.accepted(f.proactive("u-1")).messageID
        try await f.change(f.read("u-1", "c-1", 2))
        #expect(try await f.pending("u-1").map(\.id) == [second, first])
        try await f.change(f.tap("u-1", "d-1", first))
        #expect(try await f.pending("u-1").map(\.id) == [second])
        _ = try await f.restart()
        #expect(try await f.pending("u-1").map(\.id) == [second])
    }

    static let cleared = ContractCase("one tap clears the others once: a repetition does not clear later ones") {
        (f) async throws in
        let others = try await f.accepted(f.proactive("u-2", in: "c-9")).messageID
        var first: MessageID?
        for conversation in ["c-1", "c-2", "c-1"] {
            let accepted = try await f.accepted(f.proactive("u-1", in: conversation))
            first = first ?? accepted.messageID
        }
        let tapped = try #require(first)
        let response = try await f.change(f.clearingTap("u-1", "d-1", tapped)).tapResult
        #expect(response.first && response.message.id == tapped)
        #expect(try await f.pending("u-1").isEmpty)
        #expect(try await f.pending("u-2").map(\.id) == [others])
        let since = try await f.accepted(f.proactive("u-1")).messageID
        #expect(try await !f.change(f.clearingTap("u-1", "d-1", tapped)).tapResult.first)
        #expect(try await f.pending("u-1").map(\.id) == [since])
    }

    static let clearedPushes = ContractCase(
        "waiting pushes of cleared messages are cancelled, agents' messages are not"
    ) {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.register("d-2", of: "u-1")
        f.giveSlots(2)
        let first = try await f.owned(f.proactive("u-1"))
        let outcomes = first.map { f.response($0) }
        try await f.commit { $0.outcomes = outcomes }
        f.giveSlots(1)
        let owned = try await f.ownedRow(f.proactive("u-1"))
        try await f.accepted(f.message("u-1"))
        let id = try #require(first.first?.message?.id)
        let result = try await f.commit { $0.changes = [f.clearingTap("u-1", "d-1", id)] }
        #expect(result.withdrawn.map(\.delivery).contains(owned.id))
        let records = try await f.deliveries().reversed()
        #expect(
            records.map(\.state) == [.tapped, .accepted, .cancelled, .cancelled, .sending, .pending]
        )
        #expect(records.map(\.suppressedBy) == [nil, nil, .read, .read, nil, nil])
        // A cleared message can still be tapped: its push may be on the screen.
        let cleared = try #require(owned.message?.id)
        #expect(try await f.change(f.tap("u-1", "d-2", cleared)).tapResult.first)
    }

    static let removed = ContractCase("a removed message is no longer pending") { (f) async throws in
        try await f.accepted(f.proactive("u-1"))
        f.wait(seconds: 1000)
        let kept = try await f.accepted(f.proactive("u-1")).messageID
        #expect(try await f.runHousekeeping(.messages(before: [f.brand: f.now])) == 1)
        #expect(try await f.pending("u-1").map(\.id) == [kept])
    }

    static let merged = ContractCase("pending messages move to the consumer into which theirs is merged") {
        (f) async throws in
        try await f.openAnonymous(1, "a-1", device: "d-1")
        let id = try await f.accepted(f.proactive("a-1")).messageID
        try await f.open(f.session(2, device: "d-1"), anonymous: 1)
        #expect(try await f.pending("u-1").map(\.id) == [id])
        #expect(try await f.pending("a-1").map(\.consumer.rawValue) == ["u-1"])
    }
}

extension ContractFixture {
    func pending(
        _ consumer: String,
        before: MessageID? = nil,
        limit: Int = 500
    ) async throws -> [Message] {
        try await store.pendingProactive(
            brand: brand,
            consumer: ConsumerID(trusted: consumer),
            before: before,
            now: now,
            limit: limit
        )
    }

    /// A tap that clears the others.
    fileprivate func clearingTap(_ consumer: String, _ device: String, _ message: MessageID) -> StoreChange {
        guard case .tap(var request) = tap(consumer, device, message) else { return tap(consumer, device, message) }
        request.clearsOthers = true
        return .tap(request)
    }
}

import GatewayModel
import GatewayStorage
import Testing

/// Proactive messages that are pending (R113-R115).
enum ProactiveCases {
    static let all = [pending, paged]

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
}

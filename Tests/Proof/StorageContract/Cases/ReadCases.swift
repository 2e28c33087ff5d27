import GatewayModel
import GatewayStorage
import Testing

/// Read marks and their effects (R87-R90).
enum ReadCases {
    static let all = [
        marks, proactive, nothingNew, messagesAfter, messagesOfAll, tells, tellsAfterRestart, tellsMessages,
        tellsForADay,
    ]

    static let marks = ContractCase("a read mark only rises and stops at the last message") { (f) async throws in
        for _ in 1...3 { try await f.accepted(f.message("u-1")) }
        for (asked, mark, unread) in [(2, 2, 1), (1, 2, 1), (0, 2, 1), (-5, 2, 1), (99, 3, 0), (2, 3, 0)] {
            let change = try await f.change(f.read("u-1", "c-1", Int64(asked))).readChange
            #expect(change.readSequence == mark && change.unread == unread)
        }
        // A message that comes after it is unread.
        #expect(try await f.accepted(f.message("u-1")).unread == 1)
        let counts = try await f.store.unread(brand: f.brand, consumer: ConsumerID(trusted: "u-1"))
        #expect(counts.conversations.map(\.readSequence) == [3] && counts.conversations.map(\.lastSequence) == [4])
    }

    static let tells = ContractCase("a badge has the marks of all recently read conversations, the last one first") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.register("d-2", of: "u-2")
        for conversation in ["c-1", "c-2", "c-3"] {
            for _ in 1...3 { try await f.accepted(f.message("u-1", in: conversation)) }
        }
        try await f.accepted(f.message("u-2", in: "c-4"))
        _ = try await f.claim()
        f.giveSlots(9)
        // The second replaces the first of the two: the marks of the first must not be lost.
        let result = try await f.commit {
            $0.changes = [f.read("u-1", "c-1", 1), f.read("u-1", "c-2", 2), f.read("u-2", "c-4", 1)]
        }
        #expect(result.owned.map(\.consumer.rawValue).count == 2)
        #expect(result.owned.first?.marks == ["c-2 2", "c-1 1"] && result.owned.last?.marks == ["c-4 1"])
        // Also when it is already in flight: the next one repeats them.
        f.wait(seconds: 1)
        let request = f.request([f.readEvent("u-1", in: "c-1", .sequence(3))])
        let next = try await f.commit { $0.accepts = [request] }
        #expect(next.owned.map(\.marks) == [["c-1 3", "c-2 2"]])
        #expect(next.owned.map(\.unread) == [4])
    }

    static let tellsAfterRestart = ContractCase("a badge that waits, or that a process died with, has the read marks") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.register(f.device("d-2", of: "u-1", pushType: .fcm))
        for conversation in ["c-1", "c-2"] { try await f.accepted(f.message("u-1", in: conversation)) }
        _ = try await f.claim()
        _ = try await f.claim(f.fcm)
        f.budgets = [f.apns: LaneBudget(slots: 1, mayHaveBacklog: true)]
        #expect(try await f.commit { $0.changes = [f.read("u-1", "c-1", 1)] }.owned.map(\.marks) == [["c-1 1"]])
        f.budgets = [:]
        f.wait(seconds: 1)
        // No other device needs a badge: the waiting badges include the mark once they are claimed.
        try await f.change(f.read("u-1", "c-2", 1, on: "d-2"))
        _ = try await f.restart()
        var claimed: [OutboxRow] = []
        for lane in [f.apns, f.fcm] {
            claimed += try await f.claim(lane).rows + f.claim(lane, queue: .badge).rows
        }
        #expect(claimed.filter { $0.kind == .badge }.map(\.marks) == [["c-2 1", "c-1 1"], ["c-2 1", "c-1 1"]])
        #expect(claimed.filter { $0.kind == .message }.allSatisfy { $0.read.isEmpty })
    }

    static let tellsMessages = ContractCase("a badge names the messages whose notifications have their ids as tag") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        var silent = f.message("u-1")
        silent.silent = true
        var collapsing = f.message("u-1")
        collapsing.collapseKey = "one"
        var ids: [MessageID] = []
        for event in [f.message("u-1"), silent, collapsing, f.proactive("u-1"), f.message("u-1"), f.message("u-1")] {
            if let id = try await f.accepted(event).messageID { ids.append(id) }
        }
        _ = try await f.claim()
        f.giveSlots(9)
        let result = try await f.commit { $0.changes = [f.read("u-1", "c-1", 5)] }
        #expect(result.owned.first?.read.first?.messageIDs == [ids[4], ids[3], ids[0]])
        // Of very many only the newest.
        for _ in 1...30 { _ = try await f.accepted(f.message("u-1", in: "c-2")) }
        f.wait(seconds: 1)
        let many = try await f.commit { $0.changes = [f.read("u-1", "c-2", 99)] }
        #expect(many.owned.last?.marks == ["c-2 30", "c-1 5"])
        #expect(many.owned.last?.read.map(\.messageIDs.count) == [ReadMark.maxMessages, 0])
    }

    static let tellsForADay = ContractCase("read marks are sent again for a day") { (f) async throws in
        try await f.register("d-1", of: "u-1")
        for conversation in ["c-1", "c-2"] { try await f.accepted(f.message("u-1", in: conversation)) }
        _ = try await f.claim()
        f.giveSlots(9)
        try await f.change(f.read("u-1", "c-1", 1))
        f.wait(seconds: ReadMark.sentForSeconds)
        let result = try await f.commit { $0.changes = [f.read("u-1", "c-2", 1)] }
        #expect(result.owned.map(\.marks) == [["c-2 1"]])
    }

    static let proactive = ContractCase("a read of only a proactive message removes it on other devices, too") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.register("d-2", of: "u-1")
        let message = try await f.accepted(f.proactive("u-1"))
        _ = try await f.claim()
        f.giveSlots(9)
        let result = try await f.commit { $0.changes = [f.read("u-1", "c-1", 1, on: "d-1")] }
        #expect(result.unread.isEmpty && result.owned.map(\.kind) == [.badge] && result.owned.map(\.unread) == [0])
        #expect(result.owned.first?.read.map(\.messageIDs) == [[try #require(message.messageID)]])
        #expect(try await f.commit { $0.changes = [f.read("u-1", "c-1", 1, on: "d-1")] }.owned.isEmpty)
    }

    static let nothingNew = ContractCase("a read of messages without notifications sends no badge") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        var silent = f.proactive("u-1")
        silent.silent = true
        _ = try await f.accept(silent, f.message("u-1"))
        _ = try await f.claim()
        let result = try await f.commit { $0.changes = [f.read("u-1", "c-1", 1)] }
        #expect(try result.changes[0].readChange.readSequence == 1)
        #expect(result.unowned.isEmpty && result.unread.isEmpty)
        try await f.change(f.read("u-1", "c-1", 2))
        #expect(try await f.commit { $0.changes = [f.read("u-1", "c-1", 2)] }.unowned.isEmpty)
    }

    static let messagesAfter = ContractCase("messages are read in order, by page") { (f) async throws in
        for _ in 1...5 { try await f.accepted(f.message("u-1")) }
        func page(_ after: Int64, _ limit: Int) async throws -> [Int64]? {
            try await f.store.messages(
                brand: f.brand,
                consumer: ConsumerID(trusted: "u-1"),
                conversation: ConversationID(trusted: "c-1"),
                afterSequence: after,
                after: nil,
                limit: limit
            )?.map(\.sequence)
        }
        #expect(try await page(0, 2) == [1, 2])
        #expect(try await page(2, 9) == [3, 4, 5])
        #expect(try await page(5, 9) == [])
        // A download alone resets nothing (R88).
        #expect(try await f.unread("u-1") == 5)
    }

    static let messagesOfAll = ContractCase(
        "messages of all conversations are returned in the order of acceptance, by page"
    ) {
        (f) async throws in
        _ = try await f.accept(f.message("u-1", in: "c-2", text: "1"), f.message("u-1", in: "c-1", text: "2"))
        _ = try await f.accept(f.message("u-2", in: "c-3", text: "x"), f.message("u-1", in: "c-2", text: "3"))
        func page(_ after: MessageID?, _ limit: Int) async throws -> [Message] {
            try await f.store.messages(
                brand: f.brand,
                consumer: ConsumerID(trusted: "u-1"),
                conversation: nil,
                afterSequence: 99,
                after: after,
                limit: limit
            ) ?? []
        }
        let first = try await page(nil, 2)
        #expect(first.map(\.text) == ["1", "2"] && first.map(\.conversation.rawValue) == ["c-2", "c-1"])
        #expect(try await page(first.last?.id, 2).map(\.text) == ["3"])
    }
}

extension OutboxRow {
    /// A short form of a badge's read marks.
    fileprivate var marks: [String] { read.map { "\($0.conversation.rawValue) \($0.upToSequence)" } }
}

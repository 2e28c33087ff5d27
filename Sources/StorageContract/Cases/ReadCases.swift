import GatewayModel
import GatewayStorage
import Testing

/// Read marks and what follows from them (R87-R90).
enum ReadCases {
    static let all = [
        marks, counts, cancels, badges, badgesCollapse, nothingNew, foreign, readAndAccept, badgeRow, messagesAfter,
        messagesOfAll,
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

    static let counts = ContractCase("unread is exact after a read, whatever lay between") { (f) async throws in
        var silent = f.message("u-1")
        silent.silent = true
        _ = try await f.accept(f.message("u-1"), silent, f.proactive("u-1"), f.message("u-1"), f.message("u-1"))
        _ = try await f.accept(f.message("u-1", in: "c-2"), f.message("u-2", in: "c-3"))
        for (mark, unread) in [(1, 3), (2, 3), (3, 3), (4, 2), (5, 1)] {
            let result = try await f.commit { $0.changes = [f.read("u-1", "c-1", Int64(mark))] }
            let change = try result.changes[0].readChange
            #expect(change.unread == unread)
            if mark == 4 { #expect(result.unread == [change.consumer: 2]) }
            #expect(try await f.unread("u-1") == unread)
        }
        #expect(try await f.unread("u-2") == 1)
    }

    static let cancels = ContractCase("a read cancels what is pending of what was read, owned or not") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.register("d-2", of: "u-1")
        f.giveSlots(1)
        _ = try await f.accept(f.message("u-1"), f.message("u-1"), f.message("u-1", in: "c-2"))
        f.budgets = [:]
        try await f.change(f.read("u-1", "c-1", 1, on: "d-1"))
        let records = try await f.deliveries().filter { $0.state == .cancelled }
        #expect(records.count == 2 && records.allSatisfy { $0.suppressedBy == .read })
        let rows = try await f.claim().rows.filter { $0.kind == .message }
        #expect(rows.map(\.message?.conversation.rawValue) == ["c-1", "c-1", "c-2", "c-2"])
        #expect(rows.map(\.message?.sequence) == [2, 2, 1, 1])
    }

    static let badges = ContractCase("a read sends the new badge to the consumer's other devices only") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.register(f.device("d-2", of: "u-1", pushType: .fcm))
        try await f.register(f.device("d-3", of: "u-1", receives: .proactive))
        try await f.register("d-4", of: "u-2")
        _ = try await f.accept(f.message("u-1"), f.message("u-1"))
        _ = try await f.claim(f.apns)
        _ = try await f.claim(f.fcm)
        f.giveSlots(5)
        let first = try await f.commit { $0.changes = [f.read("u-1", "c-1", 1, on: "d-1")] }
        #expect(first.owned.map(\.lane) == [f.fcm] && first.owned.map(\.unread) == [1])
        #expect(first.owned.map(\.kind) == [.badge] && first.owned.allSatisfy { $0.message == nil })
        // A back-end's read goes to all of them.
        let second = try await f.commit { $0.changes = [f.read("u-1", "c-1", 2)] }
        #expect(second.owned.map(\.lane) == [f.apns, f.fcm] && second.owned.map(\.unread) == [0, 0])
    }

    static let badgesCollapse = ContractCase("an older badge that still waits gives way to the newer") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        for _ in 1...3 { try await f.accepted(f.message("u-1")) }
        _ = try await f.claim()
        for mark in 1...3 { try await f.change(f.read("u-1", "c-1", Int64(mark))) }
        let claim = try await f.claim()
        #expect(claim.rows.map(\.kind) == [.badge] && claim.rows.map(\.unread) == [0])
        let badges = try await f.deliveries().filter { $0.messageID == nil }
        #expect(badges.map(\.state) == [.sending, .cancelled, .cancelled])
        #expect(badges.map(\.suppressedBy) == [nil, .collapsed, .collapsed])
    }

    static let badgeRow = ContractCase("a badge finishes like any delivery") { (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.accepted(f.message("u-1"))
        _ = try await f.claim()
        f.giveSlots(1)
        let row = try #require(try await f.commit { $0.changes = [f.read("u-1", "c-1", 1)] }.owned.first)
        #expect(row.conversation == nil && row.expiresAt > f.now && row.token == "token-of-d-1")
        try await f.outcome(f.answer(row, badge: 0))
        let record = try await f.delivery(row.id).record
        #expect(record.state == .accepted && record.messageID == nil && record.badge == 0)
    }

    static let nothingNew = ContractCase("a read that changes no count sends no badge") { (f) async throws in
        try await f.register("d-1", of: "u-1")
        _ = try await f.accept(f.proactive("u-1"), f.message("u-1"))
        _ = try await f.claim()
        let result = try await f.commit { $0.changes = [f.read("u-1", "c-1", 1)] }
        #expect(try result.changes[0].readChange.readSequence == 1)
        #expect(result.unowned.isEmpty && result.unread.isEmpty)
        try await f.change(f.read("u-1", "c-1", 2))
        #expect(try await f.commit { $0.changes = [f.read("u-1", "c-1", 2)] }.unowned.isEmpty)
    }

    static let foreign = ContractCase("another consumer's or brand's conversation cannot be read") { (f) async throws in
        try await f.accepted(f.message("u-1"))
        try await f.accepted(f.message("u-2", in: "c-2"))
        #expect(try await f.change(f.read("u-2", "c-1", 1)).isNotFound)
        #expect(try await f.change(f.read("u-1", "c-9", 1)).isNotFound)
        #expect(try await f.change(f.read("nobody", "c-1", 1)).isNotFound)
        #expect(try await f.unread("u-1") == 1)
    }

    static let readAndAccept = ContractCase("reads of a turn come before its accepts") { (f) async throws in
        try await f.accepted(f.message("u-1"))
        let request = f.request([f.message("u-1")])
        let result = try await f.commit {
            $0.changes = [f.read("u-1", "c-1", 99)]
            $0.accepts = [request]
        }
        #expect(try result.changes[0].readChange.readSequence == 1)
        #expect(try result.accepts[0][0].acceptedEvent.unread == 1)
        #expect(Array(result.unread.values) == [1])
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
        // Downloading alone resets nothing (R88).
        #expect(try await f.unread("u-1") == 5)
    }

    static let messagesOfAll = ContractCase("messages of all conversations come as they were accepted, by page") {
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

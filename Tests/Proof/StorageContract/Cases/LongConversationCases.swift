import GatewayModel
import GatewayStorage
import Testing

/// Conversations of many messages: an engine may store them in pieces, and each border between two is a case.
enum LongConversationCases {
    static let all = [
        pages, resumed, marks, marksBySource, marksByMessage, notifications, removedBetween, removedOldest, removedAll,
        erased, deletedBrand, merged,
    ]

    /// Sequences around the multiples of 64, and around the last message of 200.
    private static let borders: [Int64] = [0, 1, 62, 63, 64, 65, 126, 127, 128, 129, 191, 192, 193, 199, 200]

    /// Accepts events in one turn, with a conversation of the same and another consumer growing beside.
    @discardableResult
    private static func fill(_ f: ContractFixture, _ events: [AgentEvent]) async throws -> [AcceptedEvent] {
        var all: [AgentEvent] = []
        for (index, event) in events.enumerated() {
            all.append(event)
            if index.isMultiple(of: 3) { all.append(f.message("u-1", in: "beside")) }
            if index.isMultiple(of: 5) { all.append(f.message("u-2", in: "of another")) }
        }
        let request = f.request(all)
        let results = try await f.commit { $0.accepts = [request] }.accepts[0]
        let accepted = try results.map { try $0.acceptedEvent }
        return accepted.filter { $0.conversation == events.first?.conversation }
    }

    private static func messages(_ f: ContractFixture, _ count: Int) -> [AgentEvent] {
        (0..<count).map { _ in f.message("u-1") }
    }

    /// Returns the sequences of a page.
    private static func page(
        _ f: ContractFixture,
        after sequence: Int64,
        limit: Int = 500,
        of consumer: String = "u-1",
        in conversation: String = "c-1"
    ) async throws -> [Int64]? {
        try await f.store.messages(
            brand: f.brand,
            consumer: ConsumerID(trusted: consumer),
            conversation: ConversationID(trusted: conversation),
            afterSequence: sequence,
            after: nil,
            limit: limit
        )?.map(\.sequence)
    }

    /// Returns the ids of a page of all of a consumer's conversations.
    private static func page(_ f: ContractFixture, after id: MessageID?, limit: Int) async throws -> [MessageID] {
        try await f.store.messages(
            brand: f.brand,
            consumer: ConsumerID(trusted: "u-1"),
            conversation: nil,
            afterSequence: 0,
            after: id,
            limit: limit
        )?.map(\.id) ?? []
    }

    /// Checks pages from every border of a conversation with these sequences.
    private static func expectPages(_ f: ContractFixture, _ sequences: [Int64]) async throws {
        for after in borders + [250, Int64.max - 1, -1] {
            let behind = sequences.filter { $0 > after }
            for limit in [1, 63, 64, 65, 500] {
                let found = try await page(f, after: after, limit: limit)
                #expect(found == Array(behind.prefix(limit)), "\(limit) after \(after)")
            }
        }
    }

    private static func readMark(_ f: ContractFixture) async throws -> Int64? {
        let counts = try await f.store.unread(brand: f.brand, consumer: ConsumerID(trusted: "u-1"))
        return counts.conversations.first { $0.id.rawValue == "c-1" }?.readSequence
    }

    private static func unread(_ f: ContractFixture) async throws -> Int64? {
        let counts = try await f.store.unread(brand: f.brand, consumer: ConsumerID(trusted: "u-1"))
        return counts.conversations.first { $0.id.rawValue == "c-1" }?.unread
    }

    // MARK: Reading

    static let pages = ContractCase("a long conversation is read from any sequence, in pages of any size") {
        (f) async throws in
        try await fill(f, messages(f, 100))
        _ = try await f.restart()
        f.wait(seconds: 1)
        try await fill(f, messages(f, 100))
        try await expectPages(f, Array(1...200))
        #expect(try await page(f, after: 64, of: "u-2", in: "of another") == [])
        #expect(try await page(f, after: 38, of: "u-2", in: "of another") == [39, 40])
    }

    static let resumed = ContractCase("messages of all conversations continue behind any message") { (f) async throws in
        var ids: [MessageID] = []
        let names: [String?] = ["a", "b", nil, "d"]
        for round in 0..<4 {
            f.wait(seconds: 1)
            let events = (0..<90).map { f.message("u-1", in: names[($0 + round) % 4]) }
            let request = f.request(events)
            let results = try await f.commit { $0.accepts = [request] }.accepts[0]
            ids += try results.compactMap { try $0.acceptedEvent.messageID }
        }
        try #require(ids.count == 360)
        #expect(try await page(f, after: nil, limit: 500) == ids)
        for after in [0, 1, 62, 63, 64, 126, 127, 128, 255, 256, 300, 358, 359] {
            for limit in [1, 64, 65, 500] {
                let found = try await page(f, after: ids[after], limit: limit)
                #expect(found == Array(ids.dropFirst(after + 1).prefix(limit)), "\(limit) after \(after)")
            }
        }
        var (found, last) = ([MessageID](), MessageID?.none)
        repeat {
            let next = try await page(f, after: last, limit: 37)
            found += next
            last = next.last
        } while last != nil
        #expect(found == ids)
    }

    // MARK: Read marks

    static let marks = ContractCase("the unread count is exact at any read mark of a long conversation") {
        (f) async throws in
        let events = (1...200).map { number in
            var event = number.isMultiple(of: 7) ? f.proactive("u-1") : f.message("u-1")
            event.silent = number.isMultiple(of: 10)
            return event
        }
        try await fill(f, events)
        let counting = (1...200 as ClosedRange<Int64>).filter { !$0.isMultiple(of: 7) && !$0.isMultiple(of: 10) }
        var highest: Int64 = 0
        for mark in borders + [150, 250] {
            highest = max(highest, min(mark, 200))
            let left = Int64(counting.count { $0 > highest })
            let change = try await f.change(f.read("u-1", "c-1", mark)).readChange
            // The conversation beside it has 67 unread messages.
            #expect(change.readSequence == highest && change.unread == left + 67, "\(mark)")
            #expect(try await unread(f) == left, "\(mark)")
        }
        #expect(try await f.accepted(f.message("u-1")).sequence == 201)
        #expect(try await unread(f) == 1)
    }

    static let marksBySource = ContractCase("a long conversation is read up to any sequence of the back-end") {
        (f) async throws in
        let events = (1...200).map { number in
            var event = f.message("u-1")
            // One came too early, and each tenth has no number.
            event.sourceSequence = number == 70 ? 2000 : number.isMultiple(of: 10) ? nil : Int64(number * 10)
            return event
        }
        try await fill(f, events)
        let steps: [(source: Int64, mark: Int64)] = [
            (10, 1), (635, 63), (649, 64), (690, 69), (1299, 69), (2000, 199),
        ]
        for (source, mark) in steps {
            try await f.accepted(f.readEvent("u-1", in: "c-1", .sourceSequence(source)))
            #expect(try await readMark(f) == mark, "\(source)")
        }
        let unknown = f.readEvent("u-1", in: "c-1", .sourceSequence(9))
        #expect(try await f.accept(unknown) == [.rejected(.unknownMessage)])
    }

    static let marksByMessage = ContractCase("a long conversation is read up to any of its messages") {
        (f) async throws in
        let accepted = try await fill(f, messages(f, 200))
        let other = try #require(try await f.accepted(f.message("u-1", in: "beside")).messageID)
        for sequence in borders.dropFirst() {
            let id = try #require(accepted[Int(sequence) - 1].messageID)
            try await f.accepted(f.readEvent("u-1", in: "c-1", .message(id)))
            #expect(try await readMark(f) == sequence)
            #expect(try await unread(f) == 200 - sequence)
        }
        let foreign = f.readEvent("u-1", in: "c-1", .message(other))
        #expect(try await f.accept(foreign) == [.rejected(.unknownMessage)])
    }

    static let notifications = ContractCase("a badge names the newest read messages of a long conversation") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        let accepted = try await fill(f, messages(f, 200))
        _ = try await f.claim(limit: 500)
        f.giveSlots(9)
        for sequence in [1, 63, 64, 65, 100, 128, 200] {
            f.wait(seconds: 1)
            let result = try await f.commit { $0.changes = [f.read("u-1", "c-1", Int64(sequence))] }
            let named = accepted.prefix(sequence).suffix(ReadMark.maxMessages).reversed().compactMap(\.messageID)
            #expect(result.owned.last?.read.first?.messageIDs == named, "\(sequence)")
        }
    }

    // MARK: Removal

    static let removedBetween = ContractCase("messages that are removed between others hide none of them") {
        (f) async throws in
        try await f.register(f.device("d-1", of: "u-1", receives: .agent))
        // The device gets agents' messages alone: those whose pushes wait stay.
        let kept: [Int64] = [5, 6, 62, 65, 100, 127, 129, 130, 190]
        let sequences: ClosedRange<Int64> = 1...200
        try await fill(f, sequences.map { kept.contains($0) ? f.message("u-1") : f.proactive("u-1") })
        let before = f.age()
        #expect(try await f.runHousekeeping(.messages(before: before), limit: 7) > 190)
        try await expectPages(f, kept)
        #expect(try await unread(f) == Int64(kept.count))
        var ids = try await f.messages("u-1", in: "c-1").map(\.id)
        // The writer's memory agrees with the file.
        for sequence in 201...202 as ClosedRange<Int64> {
            let next = try await f.accepted(f.message("u-1"))
            #expect(next.sequence == sequence)
            ids.append(try #require(next.messageID))
            try await expectPages(f, kept + Array(201...sequence))
            _ = try await f.restart()
        }
        for index in 0..<ids.count - 1 {
            let found = try await page(f, after: ids[index], limit: 500)
            #expect(found.filter { ids.contains($0) } == Array(ids.dropFirst(index + 1)))
        }
        for (mark, left) in [(6, 9), (64, 8), (65, 7), (128, 5), (200, 2)] as [(Int64, Int64)] {
            try await f.change(f.read("u-1", "c-1", mark))
            #expect(try await unread(f) == left, "\(mark)")
        }
        // The others follow when their pushes have ended.
        _ = try await f.runHousekeeping(.expired)
        #expect(try await f.runHousekeeping(.messages(before: before), limit: 7) > 0)
        try await expectPages(f, [201, 202])
        #expect(try await unread(f) == 2)
    }

    static let removedOldest = ContractCase("of a long conversation the oldest messages are removed first") {
        (f) async throws in
        try await fill(f, messages(f, 150))
        let before = f.age()
        try await fill(f, messages(f, 50))
        try await f.change(f.read("u-1", "c-1", 100))
        #expect(try await f.runHousekeeping(.messages(before: before), limit: 9) == 150 + 50 + 30)
        try await expectPages(f, Array(151...200))
        #expect(try await unread(f) == 50)
        try await f.change(f.read("u-1", "c-1", 192))
        #expect(try await unread(f) == 8)
    }

    static let removedAll = ContractCase("a long conversation whose messages are all removed continues") {
        (f) async throws in
        try await fill(f, messages(f, 200))
        let before = f.age()
        #expect(try await f.runHousekeeping(.messages(before: before), limit: 50) == 200 + 67 + 40)
        try await expectPages(f, [])
        #expect(try await f.unread("u-1") == 0)
        _ = try await f.restart()
        try await fill(f, messages(f, 60))
        try await expectPages(f, Array(201...260))
        #expect(try await unread(f) == 60)
    }

    static let erased = ContractCase("a long conversation is erased in pieces, and no other") { (f) async throws in
        try await fill(f, messages(f, 150))
        let theirs = try await page(f, after: 0, of: "u-2", in: "of another")
        _ = try await ErasureCases.erase(f)
        #expect(try await f.accepted(f.message("u-1")).sequence == 1)
        #expect(try await f.runHousekeeping(.erasures, limit: 11) >= 200)
        #expect(try await f.runHousekeeping(.erasures) == 0)
        #expect(try await page(f, after: 0, of: "u-2", in: "of another") == theirs && theirs?.count == 30)
        try await expectPages(f, [1])
    }

    static let deletedBrand = ContractCase("a long conversation of a deleted brand is removed in pieces") {
        (f) async throws in
        try await fill(f, messages(f, 150))
        _ = try await f.store.deleteBrand(f.brand, audit: nil)
        try await f.makeBrand(f.brand, app: f.app)
        #expect(try await f.accepted(f.message("u-1")).sequence == 1)
        #expect(try await f.runHousekeeping(.deletedBrands, limit: 11) >= 230)
        #expect(try await f.runHousekeeping(.deletedBrands) == 0)
        try await expectPages(f, [1])
    }

    // MARK: Merges

    static let merged = ContractCase("a long conversation keeps its order when its consumer is merged into another") {
        (f) async throws in
        try await f.openAnonymous(1, "a-1", device: nil)
        var ids: [MessageID] = []
        for consumer in ["a-1", "u-1"] {
            let request = f.request((0..<130).map { _ in f.message(consumer, in: "c-\(consumer)") })
            let results = try await f.commit { $0.accepts = [request] }.accepts[0]
            ids += try results.compactMap { try $0.acceptedEvent.messageID }
        }
        try await f.change(f.read("a-1", "c-a-1", 100))
        try await f.open(f.session(2), anonymous: 1)
        #expect(try await f.unread("u-1") == 30 + 130)
        let next = try await f.accepted(f.message("u-1", in: "c-a-1"))
        #expect(next.sequence == 131)
        ids.append(try #require(next.messageID))
        for after in [0, 63, 64, 128, 130] as [Int64] {
            let found = try await page(f, after: after, in: "c-a-1")
            #expect(found == (1...131).filter { $0 > after })
        }
        for index in [0, 63, 129, 130, 200, 259] {
            #expect(try await page(f, after: ids[index], limit: 500) == Array(ids.dropFirst(index + 1)))
        }
        try await f.change(f.read("u-1", "c-a-1", 120))
        #expect(try await f.unread("u-1") == 11 + 130)
    }
}

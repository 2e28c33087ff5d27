import GatewayModel
import GatewayStorage
import Testing

/// Messages and deliveries past their retention.
enum RetentionCases {
    static let all = [deliveries, deliveriesInBatches, numbersStay, listedWithout, messageIDsStay, clockAhead]

    /// Accepts messages whose pushes are sent at once.
    private static func send(_ f: ContractFixture, _ count: Int, in conversation: String = "c-1") async throws {
        f.giveSlots(100)
        for _ in 0..<count {
            for row in try await f.owned(f.message("u-1", in: conversation)) { try await f.outcome(f.response(row)) }
        }
    }

    static let deliveries = ContractCase(
        "deliveries of the log are removed with their attempts, those of the outbox stay"
    ) {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(1)
        let row = try await f.ownedRow(f.message("u-1"))
        try await f.outcome(f.retry(row, seconds: 0))
        try await f.outcome(f.response(try #require(try await f.claim().rows.first)))
        #expect(try await f.delivery(row.id).attempts.count == 2)
        f.giveSlots(0)
        try await f.accepted(f.message("u-1"))
        let before = f.age()
        try await send(f, 1, in: "c-2")
        #expect(try await f.runHousekeeping(.deliveries(before: [BrandID(trusted: "gone"): f.now])) == 0)
        #expect(try await f.runHousekeeping(.deliveries(before: before)) == 1)
        #expect(try await f.store.delivery(brand: f.brand, id: row.id) == nil)
        #expect(try await f.deliveries().map(\.state) == [.accepted, .pending])
        #expect(try await f.messages("u-1", in: "c-1").count == 2)
        #expect(try await f.runHousekeeping(.deliveries(before: before)) == 0)
    }

    static let deliveriesInBatches = ContractCase("each brand's deliveries are stored for its own retention") {
        (f) async throws in
        let other = BrandID(trusted: "other")
        try await f.register("d-1", of: "u-1")
        try await send(f, 7)
        try await f.makeBrand(other, app: f.app)
        let before = f.age()
        try await send(f, 3)
        #expect(try await f.runHousekeeping(.deliveries(before: [other: f.now]), limit: 2) == 0)
        #expect(
            try await f.runHousekeeping(
                .deliveries(before: before.merging([other: f.now]) { first, _ in first }),
                limit: 2
            )
                == 7
        )
        #expect(try await f.deliveries().count == 3)
    }

    static let numbersStay = ContractCase("numbers of removed deliveries are not reused") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await send(f, 3)
        let newest = try #require(try await f.deliveries().first).id
        #expect(try await f.runHousekeeping(.deliveries(before: f.age())) == 3)
        _ = try await f.restart()
        f.giveSlots(1)
        #expect(try await f.ownedRow(f.message("u-1")).id > newest)
    }

    static let listedWithout = ContractCase("a delivery whose message is removed is listed as before") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await send(f, 2)
        let records = try await f.deliveries()
        #expect(try await f.runHousekeeping(.messages(before: f.age())) == 2)
        #expect(try await f.deliveries() == records)
        var query = DeliveryQuery(brand: f.brand, limit: 10)
        query.message = try #require(records.last?.messageID)
        #expect(try await f.store.deliveries(query).items.map(\.id) == [records.last?.id])
        #expect(try await f.delivery(records[0].id).record == records[0])
    }

    static let messageIDsStay = ContractCase("the newest message's id is known when the message is removed") {
        (f) async throws in
        let id = try #require(try await f.accepted(f.message("u-1")).messageID)
        #expect(try await f.runHousekeeping(.messages(before: f.age())) == 1)
        let last = try #require(try await f.restart().lastMessage)
        var generator = MessageIDGenerator(after: last)
        #expect(generator.next(at: Timestamp(milliseconds: 1)) > id)
    }

    static let clockAhead = ContractCase("rows from a time when the clock was ahead delay no others") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.wait(seconds: 365 * 86_400)
        try await send(f, 2)
        f.wait(seconds: -365 * 86_400)
        try await send(f, 3)
        let before = f.age()
        #expect(try await f.runHousekeeping(.deliveries(before: before)) == 3)
        #expect(try await f.runHousekeeping(.messages(before: before)) == 3)
        #expect(try await f.messages("u-1", in: "c-1").map(\.sequence) == [1, 2])
        #expect(try await f.unread("u-1") == 2)
    }
}

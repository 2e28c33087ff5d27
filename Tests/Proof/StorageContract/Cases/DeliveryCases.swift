import GatewayModel
import GatewayStorage
import Testing

/// Deliveries as operators see them.
enum DeliveryCases {
    static let all = [filters, pages, pagesOverBoth, single, isolation]

    /// Two consumers, two transports; deliveries in five states, one second apart.
    private static func fill(_ f: ContractFixture) async throws -> [OutboxRow] {
        try await f.register("d-1", of: "u-1")
        try await f.register(f.device("d-2", of: "u-2", pushType: .fcm))
        f.giveSlots(9)
        var rows: [OutboxRow] = []
        for index in 0..<5 {
            let consumer = index.isMultiple(of: 2) ? "u-1" : "u-2"
            rows.append(try await f.ownedRow(f.message(consumer, in: "of-\(consumer)")))
            f.wait(seconds: 1)
        }
        let outcomes = [
            f.response(rows[0]), f.response(rows[1], .rejected(token: .keep), status: 400, reason: "INVALID_ARGUMENT"),
            f.retry(rows[2], seconds: 60), f.unsent(rows[3], .release(due: f.now)),
        ]
        try await f.commit { $0.outcomes = outcomes }
        return rows
    }

    static let filters = ContractCase("each filter of the delivery list filters, and they combine") {
        (f) async throws in
        let start = f.now
        let rows = try await fill(f)
        func found(_ set: (inout DeliveryQuery) -> Void) async throws -> [Int] {
            var query = DeliveryQuery(brand: f.brand, limit: 50)
            set(&query)
            return try await f.store.deliveries(query).items.compactMap { item in rows.firstIndex { $0.id == item.id } }
        }
        #expect(try await found { _ in } == [4, 3, 2, 1, 0])
        #expect(try await found { $0.consumer = ConsumerID(trusted: "u-1") } == [4, 2, 0])
        #expect(try await found { $0.consumer = ConsumerID(trusted: "nobody") } == [])
        #expect(try await found { $0.device = DeviceID(trusted: "d-2") } == [3, 1])
        #expect(try await found { $0.message = rows[2].message?.id } == [2])
        #expect(try await found { $0.message = rows[0].message?.id } == [0])
        #expect(try await found { $0.provider = .fcm } == [3, 1])
        #expect(try await found { $0.state = .accepted } == [0])
        #expect(try await found { $0.state = .failed } == [1])
        #expect(try await found { $0.state = .retrying } == [2])
        #expect(try await found { $0.state = .pending } == [3])
        #expect(try await found { $0.state = .sending } == [4])
        #expect(try await found { $0.state = .held } == [])
        #expect(try await found { $0.reason = "INVALID_ARGUMENT" } == [1])
        #expect(try await found { $0.reason = "ServiceUnavailable" } == [2])
        #expect(try await found { $0.since = start.adding(seconds: 1) } == [4, 3, 2, 1])
        #expect(try await found { $0.until = start.adding(seconds: 1) } == [0])
        #expect(
            try await found {
                $0.since = start.adding(seconds: 1)
                $0.until = start.adding(seconds: 4)
                $0.consumer = ConsumerID(trusted: "u-2")
                $0.provider = .fcm
            } == [3, 1]
        )
    }

    static let pages = ContractCase("pages of deliveries follow each other without gap or repetition") {
        (f) async throws in
        _ = try await fill(f)
        var seen: [DeliveryID] = []
        var query = DeliveryQuery(brand: f.brand, limit: 2)
        for size in [2, 2, 1] {
            let page = try await f.store.deliveries(query)
            #expect(page.items.count == size)
            #expect((page.next == nil) == (size == 1))
            seen += page.items.map(\.id)
            query.before = page.next
        }
        #expect(seen == seen.sorted(by: >) && Set(seen).count == 5)
        query = DeliveryQuery(brand: f.brand, limit: 5)
        let exact = try await f.store.deliveries(query)
        #expect(exact.items.count == 5 && exact.next == nil)
    }

    static let pagesOverBoth = ContractCase("a delivery that finishes between two pages is not lost") {
        (f) async throws in
        let rows = try await fill(f)
        var query = DeliveryQuery(brand: f.brand, limit: 1)
        query.before = try await f.store.deliveries(query).next
        try await f.outcome(f.response(rows[4]))
        #expect(try await f.store.deliveries(query).items.map(\.id) == [rows[3].id])
    }

    static let single = ContractCase("one delivery is found by its number in its brand") { (f) async throws in
        let rows = try await fill(f)
        #expect(try await f.delivery(rows[0].id).record.state == .accepted)
        #expect(try await f.delivery(rows[4].id).record.state == .sending)
        #expect(try await f.delivery(rows[4].id).attempts.isEmpty)
        #expect(try await f.store.delivery(brand: f.brand, id: DeliveryID(999_999)) == nil)
        let other = try await f.makeOtherBrand()
        for row in rows { #expect(try await f.store.delivery(brand: other, id: row.id) == nil) }
    }

    static let isolation = ContractCase("a brand sees only its own deliveries") { (f) async throws in
        _ = try await fill(f)
        let other = try await f.makeOtherBrand()
        var query = DeliveryQuery(brand: other, limit: 50)
        #expect(try await f.store.deliveries(query).items.isEmpty)
        query.consumer = ConsumerID(trusted: "u-1")
        #expect(try await f.store.deliveries(query).items.isEmpty)
    }
}

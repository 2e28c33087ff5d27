import GatewayModel
import GatewayStorage
import Testing

/// Things that operators find by one of their names.
enum SearchCases {
    static let all = [names, merged, pushes, events]

    static let names = ContractCase("a message, a consumer, a device and a token are found by their whole names alone")
    {
        (f) async throws in
        try await f.register(f.device("d-1", of: "u-1", token: "aabbccdd"))
        try await f.register(f.device("d-1", of: "u-2", token: "aabbccdd-2", pushType: .fcm))
        let id = try #require(try await f.accepted(f.message("u-2")).messageID)
        let (u1, u2) = (ConsumerID(trusted: "u-1"), ConsumerID(trusted: "u-2"))
        let device = SearchHit.Thing.device(f.app, DeviceID(trusted: "d-1"))
        let expected: [(String, [SearchHit])] = [
            (id.description, [SearchHit(.message(id), of: u2, by: .id)]),
            (id.description.uppercased(), [SearchHit(.message(id), of: u2, by: .id)]),
            ("u-1", [SearchHit(.consumer, of: u1, by: .id)]), ("d-1", [SearchHit(device, of: u2, by: .id)]),
            ("aabbccdd-2", [SearchHit(device, of: u2, by: .token)]), ("aabbccd", []), ("u-", []), ("%", []), ("", []),
            ("' OR 1=1 --", []), (MessageID(high: id.high, low: id.low ^ 1).description, []),
        ]
        let other = try await f.makeOtherBrand()
        for (text, hits) in expected {
            #expect(try await f.store.search(text, brand: f.brand) == hits, "\(text)")
            #expect(try await f.store.search(text, brand: other).isEmpty)
        }
        // One text may be the name of several things.
        try await f.accepted(f.message("d-1"))
        let both = [SearchHit(.consumer, of: ConsumerID(trusted: "d-1"), by: .id), SearchHit(device, of: u2, by: .id)]
        #expect(try await f.store.search("d-1", brand: f.brand) == both)
        #expect(try await f.store.search("u-1", brand: BrandID(trusted: "none")).isEmpty)
    }

    static let merged = ContractCase("a merged consumer is found by its earlier name, as the other") {
        (f) async throws in
        try await f.openAnonymous(1, "a-1", device: "d-1")
        try await f.open(f.session(2, device: "d-1"), anonymous: 1)
        let hit = SearchHit(.consumer, of: ConsumerID(trusted: "u-1"), by: .id)
        #expect(try await f.store.search("a-1", brand: f.brand) == [hit])
    }

    static let pushes = ContractCase("a push is found by its APNs id, in the outbox and in the log") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.register("d-2", of: "u-1")
        f.giveSlots(9)
        let rows = try await f.owned(f.message("u-1"))
        let consumer = ConsumerID(trusted: "u-1")
        let message = try #require(rows[0].message?.id)
        let ids = rows.map { message.derived(by: $0.registration.rawValue) }
        let other = try await f.makeOtherBrand()
        for id in ids {
            let hit = SearchHit(.message(message), of: consumer, by: .apnsID)
            #expect(try await f.store.search(id.description, brand: f.brand) == [hit])
            #expect(try await f.store.search(id.description, brand: other).isEmpty)
        }
        // APNs returns the id as it received it.
        let outcomes = zip(rows, ids).map { f.response($0, .accepted(providerID: $1.description.uppercased())) }
        try await f.commit { $0.outcomes = outcomes }
        for (row, id) in zip(rows, ids) {
            let hit = SearchHit(.delivery(row.id), of: consumer, by: .apnsID)
            #expect(try await f.store.search(id.description, brand: f.brand) == [hit])
            #expect(try await f.store.search(id.description, brand: other).isEmpty)
        }
        #expect(try await f.store.search(message.derived(by: 999_999).description, brand: f.brand).isEmpty)
    }

    static let events = ContractCase("an event leads to its message, by its consumer, source and id, across a restart")
    {
        (f) async throws in
        let plain = try await f.accepted(f.message("u-1", id: "e"))
        var event = f.message("u-1", id: "e")
        event.source = "crm"
        let sourced = try await f.accepted(event)
        try await f.accepted(f.readEvent("u-1", in: "c-1", .sequence(1), id: "read"))
        func found(_ id: String, _ source: String, _ consumer: String, brand: BrandID? = nil) async throws -> MessageID?
        {
            try await f.store.message(
                ofEvent: EventID(trusted: id),
                source: source,
                consumer: ConsumerID(trusted: consumer),
                brand: brand ?? f.brand,
                now: f.now
            )
        }
        for _ in 0..<2 {
            #expect(try await found("e", "", "u-1") == plain.messageID && plain.messageID != nil)
            #expect(try await found("e", "crm", "u-1") == sourced.messageID && sourced.messageID != nil)
            #expect(try await found("e", "other", "u-1") == nil)
            #expect(try await found("e", "", "u-2") == nil)
            #expect(try await found("read", "", "u-1") == nil)
            #expect(try await found("e", "", "u-1", brand: BrandID(trusted: "none")) == nil)
            _ = try await f.restart()
        }
        // Searching stores nothing: the ids can still be used.
        #expect(try await f.accepted(f.message("u-2", id: "e")).messageID != nil)
        f.wait(seconds: 6 * 86_400)
        #expect(try await f.runHousekeeping(.eventIDs(keepHours: [f.brand: 72])) == 4)
        #expect(try await found("e", "", "u-1") == nil)
    }
}

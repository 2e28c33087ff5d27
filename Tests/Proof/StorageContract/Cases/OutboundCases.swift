import GatewayModel
import GatewayStorage
import Testing

/// The outbound feed, and the marks of its readers.
enum OutboundCases {
    static let all = [
        nobodyReads, taps, failures, dense, filtered, marks, limits, retention, webhooks, replays, deletedBrand,
        listeners, owners,
    ]

    static let crm = SubscriptionID(trusted: "crm")

    static let nobodyReads = ContractCase("a brand without readers stores nothing, and a new reader starts at the end")
    {
        (f) async throws in
        try await f.accepted(f.message("u-1"))
        #expect(try await f.items().isEmpty)
        let late = try await f.subscribe("crm", fromStart: true)
        #expect(late.mark == 0)
        try await f.accepted(f.message("u-2", in: "c-2"))
        #expect(try await f.subscribe("late").mark == 1)
        #expect(try await f.subscribe("early", fromStart: true).mark == 0)
        // A second opening returns the same.
        try await f.accepted(f.message("u-3", in: "c-3"))
        #expect(try await f.subscribe("late", fromStart: true).mark == 1)
        #expect(try await f.items().map(\.position) == [1, 2])
    }

    static let taps = ContractCase("the feed has only the first tap, with the facts of its message") {
        (f) async throws in
        _ = try await f.subscribe("crm")
        let id = try #require(try await f.accepted(f.message("u-\"1")).messageID)
        try await f.change(f.tap("u-\"1", "d\u{1}-1", id))
        try await f.change(f.tap("u-\"1", "d-2", id))
        let tap = try #require(try await f.items().last)
        #expect(try await f.items().count == 2 && tap.type == .messageTapped)
        #expect(
            tap.data.text == """
                {"messageId":"\(id)","consumer":"u-\\"1","deviceId":"d\\u0001-1","conversation":"c-1","sequence":1,\
                "kind":"agent","tappedAt":"\(f.now.rfc3339)"}
                """
        )
    }

    static let failures = ContractCase(
        "the feed has a delivery that failed or expired, but not one that was tapped meanwhile"
    ) {
        (f) async throws in
        _ = try await f.subscribe("crm")
        try await f.register("d-1", of: "u-1")
        f.giveSlots(2)
        let rows = try await f.owned(f.message("u-1"), f.message("u-1"))
        try await f.change(f.tap("u-1", "d-1", try #require(rows[1].message?.id)))
        let outcomes = rows.map { f.response($0, .rejected(token: .keep), status: 400, reason: "BadTopic") }
        try await f.commit { $0.outcomes = outcomes }
        f.giveSlots(0)
        try await f.accepted(f.message("u-1"))
        f.wait(seconds: 8 * 86_400)
        #expect(try await f.runHousekeeping(.expired) == 1)
        let reported = try await f.items().filter { $0.type == .deliveryFailed }.map(\.data.text)
        try #require(reported.count == 2)
        let first = try #require(rows[0].message?.id)
        #expect(
            reported[0] == """
                {"deliveryId":"\(rows[0].id)","messageId":"\(first)","consumer":"u-1","app":"shop","deviceId":"d-1",\
                "provider":"apns","state":"failed","status":400,"reason":"BadTopic","attempts":1}
                """
        )
        #expect(reported[1].contains(#""state":"expired","attempts":0}"#) && !reported[1].contains("status"))
    }

    static let dense = ContractCase("positions are dense across failed turns, restarts and removals") {
        (f) async throws in
        _ = try await f.subscribe("crm")
        for number in 1...3 { try await f.accepted(f.message("u-1", in: "c-\(number)")) }
        f.wait(seconds: 40 * 86_400)
        let before = [f.brand: f.now.adding(seconds: -86_400)]
        #expect(try await f.runHousekeeping(.outbound(before: before, acknowledgedBefore: f.now)) == 3)
        _ = try await f.restart()
        try await f.accepted(f.message("u-1", in: "c-4"))
        _ = try await f.restart()
        try await f.accepted(f.message("u-1", in: "c-5"))
        let page = try await f.store.outbound(OutboundQuery(brand: f.brand, after: 0, limit: 10))
        #expect(page.items.map(\.position) == [4, 5] && page.end == 5 && page.removedThrough == 3)
    }

    static let filtered = ContractCase("pages have their limits, and a filter advances past the items that it skips") {
        (f) async throws in
        _ = try await f.subscribe("crm")
        for number in 1...5 { try await f.accepted(f.message("u-1", in: "c-\(number)")) }
        try await f.accepted(f.event(.conversationResolved, "u-1", in: "c-3"))
        try await f.accepted(f.message("u-1", in: "c-6"))
        var query = OutboundQuery(brand: f.brand, after: 1, limit: 2)
        var page = try await f.store.outbound(query)
        #expect(page.items.map(\.position) == [2, 3] && page.nextAfter == 3 && page.end == 7 && !page.isWhole)
        query.types = [.conversationResolved]
        page = try await f.store.outbound(query)
        #expect(page.items.map(\.position) == [6] && page.nextAfter == 7 && page.isWhole)
        query.through = 4
        page = try await f.store.outbound(query)
        #expect(page.items.isEmpty && page.nextAfter == 4)
        let narrow = OutboundQuery(brand: f.brand, after: 1, limit: 5, maxBytes: 40)
        page = try await f.store.outbound(narrow)
        #expect(page.items.map(\.position) == [2] && page.nextAfter == 2 && !page.isWhole)
        let none = OutboundQuery(brand: BrandID(trusted: "nobody"), after: 3, limit: 5)
        page = try await f.store.outbound(none)
        #expect(page.items.isEmpty && page.nextAfter == 3)
    }

    static let marks = ContractCase("a mark moves only forward, and not beyond the end") { (f) async throws in
        _ = try await f.subscribe("crm")
        for number in 1...3 { try await f.accepted(f.message("u-1", in: "c-\(number)")) }
        #expect(try await f.acknowledge("crm", 2) == 2)
        #expect(try await f.acknowledge("crm", 1) == 2)
        let beyond = try await f.store.acknowledge(brand: f.brand, crm, upTo: 4, now: f.now)
        #expect(beyond == .beyondEnd(end: 3))
        let unknown = try await f.store.acknowledge(brand: f.brand, SubscriptionID(trusted: "x"), upTo: 1, now: f.now)
        #expect(unknown == .unknown)
        _ = try await f.restart()
        let overview = try await f.store.subscriptions(brand: f.brand)
        #expect(overview.end == 3 && overview.subscriptions.map(\.mark) == [2])
        #expect(overview.subscriptions.first?.acknowledgedAt == f.now)
        #expect(try await f.store.deleteSubscription(brand: f.brand, crm, audit: nil))
        #expect(try await !f.store.deleteSubscription(brand: f.brand, crm, audit: nil))
        try await f.accepted(f.message("u-1", in: "c-4"))
        #expect(try await f.items().count == 3)
    }

    static let limits = ContractCase("a brand has a limited number of subscriptions") { (f) async throws in
        for number in 1...OutboundLimits.subscriptions { _ = try await f.subscribe("reader-\(number)") }
        let more = SubscriptionID(trusted: "more")
        #expect(try await f.open(more) == .tooMany)
        _ = try await f.subscribe("reader-1")
        let nobody = BrandID(trusted: "nobody")
        #expect(try await f.open(more, brand: nobody) == .unknownBrand)
    }

    static let owners = ContractCase(
        "a subscription belongs to its first reader, until a caller that knows the former owner replaces it"
    ) {
        (f) async throws in
        #expect(try await f.subscribe("crm", owner: "sa_1").owner == "sa_1")
        #expect(try await f.subscribe("crm").owner == "sa_1")
        #expect(try await f.subscribe("crm", owner: "sa_2").owner == "sa_1")
        #expect(try await f.subscribe("crm", owner: "sa_2", formerOwner: "sa_3").owner == "sa_1")
        #expect(try await f.subscribe("crm", owner: "sa_2", formerOwner: "sa_1").owner == "sa_2")
        #expect(try await f.subscribe("free").owner == nil)
        #expect(try await f.subscribe("free", owner: "sa_3", formerOwner: "sa_1").owner == nil)
        #expect(try await f.subscribe("free", owner: "sa_3").owner == "sa_3")
        #expect(try await f.acknowledge("crm", 0) == 0)
        _ = try await f.restart()
        let overview = try await f.store.subscriptions(brand: f.brand)
        #expect(overview.subscriptions.map(\.owner) == ["sa_2", "sa_3"])
    }

    static let retention = ContractCase(
        "items are stored until every reader has acknowledged them, but not beyond the retention"
    ) {
        (f) async throws in
        _ = try await f.subscribe("crm")
        _ = try await f.subscribe("slow")
        for number in 1...4 { try await f.accepted(f.message("u-1", in: "c-\(number)")) }
        f.wait(seconds: 100)
        let long = [f.brand: f.now.adding(seconds: -86_400)]
        func pass(_ before: [BrandID: Timestamp]) async throws -> Int {
            try await f.runHousekeeping(.outbound(before: before, acknowledgedBefore: f.now), limit: 2)
        }
        _ = try await f.acknowledge("crm", 4)
        #expect(try await pass(long) == 0)
        _ = try await f.acknowledge("slow", 1)
        #expect(try await pass(long) == 1)
        try await f.accepted(f.message("u-1", in: "c-5"))
        #expect(try await pass([f.brand: f.now]) == 3)
        let page = try await f.store.outbound(OutboundQuery(brand: f.brand, after: 1, limit: 10))
        #expect(page.items.map(\.position) == [5] && page.removedThrough == 4)
        #expect(try await f.subscribe("new", fromStart: true).mark == 4)
    }

    static let webhooks = ContractCase("a webhook's state is created, stored and deleted with its settings") {
        (f) async throws in
        var brand = try #require(try await f.store.brands().first)
        #expect(try await f.store.webhookState(of: f.webhook) == nil)
        brand.webhook = WebhookSettings(
            url: "https://a.example",
            types: nil,
            sealedSecret: [1, 2],
            secretFingerprint: "f"
        )
        #expect(try await f.store.updateBrand(brand, audit: nil))
        #expect(try await f.store.brands().first == brand)
        var state = try #require(try await f.store.webhookState(of: f.webhook))
        #expect(state == WebhookState(mark: 0))
        try await f.accepted(f.message("u-1"))
        #expect(try await f.items().count == 1)
        state.batchThrough = 1
        state.attempts = 3
        state.nextTry = f.now
        state.lastTriedAt = f.now
        state.lastStatus = 410
        state.lastError = "gone"
        state.isSwitchedOff = true
        #expect(try await f.store.putWebhookState(state, of: f.webhook))
        _ = try await f.restart()
        #expect(try await f.store.webhookState(of: f.webhook) == state)
        brand.name = "Another name"
        #expect(try await f.store.updateBrand(brand, audit: nil))
        #expect(try await f.store.webhookState(of: f.webhook) == state)
        brand.webhook?.setMilliseconds = 5
        #expect(try await f.store.updateBrand(brand, audit: nil))
        let renewed = try #require(try await f.store.webhookState(of: f.webhook))
        #expect(renewed.revision == 2 && !renewed.isSwitchedOff && renewed.nextTry == nil && renewed.attempts == 0)
        #expect(renewed.mark == 0 && renewed.batchThrough == 1)
        #expect(try await !f.store.putWebhookState(state, of: f.webhook))
        brand.webhook = nil
        #expect(try await f.store.updateBrand(brand, audit: nil))
        #expect(try await f.store.webhookState(of: f.webhook) == nil)
        try await f.accepted(f.message("u-1", in: "c-2"))
        #expect(try await f.items().count == 1)
    }

    static let replays = ContractCase("a replay moves the webhook's mark back, and never beyond the end") {
        (f) async throws in
        #expect(try await f.store.replayWebhook(brand: f.brand, after: 0, audit: nil) == nil)
        var brand = try #require(try await f.store.brands().first)
        brand.webhook = WebhookSettings(url: "https://a.example", types: nil, sealedSecret: [1], secretFingerprint: "f")
        #expect(try await f.store.updateBrand(brand, audit: nil))
        for number in 1...3 { try await f.accepted(f.message("u-1", in: "c-\(number)")) }
        var state = try #require(try await f.store.webhookState(of: f.webhook))
        state.mark = 3
        state.isSwitchedOff = true
        #expect(try await f.store.putWebhookState(state, of: f.webhook))
        let back = try #require(try await f.store.replayWebhook(brand: f.brand, after: 1, audit: nil))
        #expect(back.mark == 1 && back.revision == state.revision + 1 && !back.isSwitchedOff)
        #expect(try await !f.store.putWebhookState(state, of: f.webhook))
        #expect(try await f.store.replayWebhook(brand: f.brand, after: 99, audit: nil)?.mark == 3)
    }

    static let deletedBrand = ContractCase("a brand created again has nothing of the old one's feed") {
        (f) async throws in
        _ = try await f.subscribe("crm")
        for number in 1...5 { try await f.accepted(f.message("u-1", in: "c-\(number)")) }
        _ = try await f.store.deleteBrand(f.brand, audit: nil)
        try await f.makeBrand(f.brand, app: f.app)
        #expect(try await f.store.subscriptions(brand: f.brand).subscriptions.isEmpty)
        #expect(try await f.items().isEmpty)
        _ = try await f.runHousekeeping(.deletedBrands, limit: 2)
        #expect(try await f.subscribe("crm", fromStart: true).mark == 0)
        try await f.accepted(f.message("u-1"))
        #expect(try await f.items().map(\.position) == [1])
    }

    static let listeners = ContractCase("listeners are notified after the commit of the number of new items") {
        (f) async throws in
        _ = try await f.subscribe("crm")
        let (stream, continuation) = AsyncStream.makeStream(
            of: (BrandID, Int).self,
            bufferingPolicy: .bufferingOldest(9)
        )
        f.store.onOutbound { continuation.yield(($0, $1)) }
        _ = try await f.accept(f.message("u-1"), f.message("u-1", in: "c-2"), f.message("u-1"))
        var iterator = stream.makeAsyncIterator()
        let reported = await iterator.next()
        #expect(reported?.0 == f.brand && reported?.1 == 2)
        #expect(try await f.items().count == 2)
    }
}

extension ContractFixture {
    fileprivate func open(
        _ id: SubscriptionID,
        brand: BrandID? = nil,
        fromStart: Bool = false,
        owner: String? = nil,
        formerOwner: String? = nil
    ) async throws -> SubscriptionOpening {
        try await store.openSubscription(
            brand: brand ?? self.brand,
            id,
            fromStart: fromStart,
            owner: owner,
            formerOwner: formerOwner,
            now: now
        )
    }

    func subscribe(
        _ name: String,
        fromStart: Bool = false,
        owner: String? = nil,
        formerOwner: String? = nil
    ) async throws -> OutboundSubscription {
        let opening = try await open(
            SubscriptionID(trusted: name),
            fromStart: fromStart,
            owner: owner,
            formerOwner: formerOwner
        )
        guard case .open(let subscription) = opening else { throw Unexpected(what: "\(opening)") }
        return subscription
    }

    /// Acknowledges a position; returns the mark afterwards.
    func acknowledge(_ name: String, _ upTo: Int64) async throws -> Int64 {
        let id = SubscriptionID(trusted: name)
        let ack = try await store.acknowledge(brand: brand, id, upTo: upTo, now: now)
        guard case .acknowledged(let subscription) = ack else { throw Unexpected(what: "\(ack)") }
        return subscription.mark
    }

    func items() async throws -> [OutboundItem] {
        try await store.outbound(OutboundQuery(brand: brand, after: 0, limit: 500)).items
    }
}

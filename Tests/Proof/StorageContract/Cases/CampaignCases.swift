import GatewayModel
import GatewayStorage
import Testing

/// The statistics of campaigns.
enum CampaignCases {
    static let all = [life, unknown, messages, retried, random, removed]

    static let life = ContractCase("a campaign's deliveries are counted in every state, across a restart too") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.register("d-2", of: "u-1")
        f.giveSlots(2)
        let rows = try await f.owned(f.of("spring", "u-1"))
        let firstAt = f.now
        f.wait(seconds: 5)
        f.giveSlots(0)
        try await f.accepted(f.of("spring", "u-2", in: "c-2"))
        try await f.accepted(f.proactive("u-2", in: "c-2"))
        try await f.accepted(f.message("u-1"))
        var stats = try await f.campaign("spring")
        #expect(stats.messages == 2 && stats.deliveries == 2 && stats.unfinished == 2 && stats.finished.isEmpty)
        #expect(stats.firstAt == firstAt && stats.lastAt == f.now)

        let refused = f.response(rows[1], .rejected(token: .keep), status: 400, reason: "BadTopic")
        let outcomes = [f.response(rows[0]), refused]
        try await f.commit { $0.outcomes = outcomes }
        let id = try #require(rows[0].message?.id)
        try await f.change(f.receipt("u-1", "d-1", id, .displayed))
        stats = try await f.campaign("spring")
        #expect(LogCases.counts(stats.finished) == ["apns delivered -": 1, "apns failed BadTopic": 1])
        #expect(stats.unfinished == 0 && stats.reports.taken == 1 && stats.reports.displayed == 1)
        _ = try await f.restart()
        try await f.change(f.tap("u-1", "d-1", id))
        try await f.change(f.tap("u-1", "d-1", id))
        stats = try await f.campaign("spring")
        #expect(LogCases.counts(stats.finished) == ["apns tapped -": 1, "apns failed BadTopic": 1])
        #expect(stats.tappedMessages == 1 && stats.reports.tapped == 1 && stats.reports.delivered == 1)
    }

    static let unknown = ContractCase("a campaign belongs to its brand, and does not exist without a message") {
        (f) async throws in
        let other = try await f.makeOtherBrand()
        try await f.accepted(f.of("spring", "u-1"))
        let id = CampaignID(trusted: "spring")
        #expect(try await f.store.campaign(brand: other, id: id) == nil)
        #expect(try await f.store.campaign(brand: BrandID(trusted: "nobody"), id: id) == nil)
        #expect(try await f.store.campaign(brand: f.brand, id: CampaignID(trusted: "Spring")) == nil)
        // A replay counts nothing.
        let again = f.of("spring", "u-1")
        let results = try await f.accept(again, again)
        guard case .duplicate = results[1] else { throw Unexpected(what: "\(results)") }
        #expect(try await f.campaign("spring").messages == 2)
    }

    static let messages = ContractCase("a campaign's messages are found between two of them, of its brand alone") {
        (f) async throws in
        let other = try await f.makeOtherBrand()
        var ids: [MessageID] = []
        for (consumer, event) in [("u-1", f.of("spring", "u-1")), ("u-2", f.of("spring", "u-2", in: "c-2"))] {
            try await f.accepted(f.of("autumn", consumer, in: "c-\(consumer)"))
            try await f.accepted(f.message(consumer, in: "a-\(consumer)"))
            ids.append(try #require(try await f.accepted(event).messageID))
        }
        func found(
            _ name: String,
            _ first: UInt64,
            _ last: UInt64,
            _ brand: BrandID? = nil
        ) async throws -> [MessageID]? {
            try await f.store.campaignMessages(
                brand: brand ?? f.brand,
                campaign: CampaignID(trusted: name),
                from: first,
                through: last
            )
        }
        #expect(try await found("spring", ids[0].high, ids[1].high) == ids)
        #expect(try await found("spring", ids[0].high + 1, ids[1].high) == [ids[1]])
        #expect(try await found("spring", ids[0].high, ids[1].high - 1) == [ids[0]])
        #expect(try await found("autumn", ids[0].high, ids[1].high)?.count == 1)
        #expect(try await found("Spring", 0, UInt64(Int64.max)) == [])
        #expect(try await found("spring", ids[1].high, ids[0].high) == [])
        #expect(try await found("spring", 0, UInt64(Int64.max), other) == [])
        #expect(try await found("spring", 0, UInt64(Int64.max), BrandID(trusted: "nobody")) == [])
    }

    static let retried = ContractCase("a retried delivery is counted once") { (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(1)
        let row = try await f.ownedRow(f.of("spring", "u-1"))
        try await f.outcome(f.response(row, .rejected(token: .keep), status: 400, reason: "BadTopic"))
        let retry = StoreChange.retry(RetryRequest(brand: f.brand, delivery: row.id, ttlSeconds: 60))
        guard case .retried = try await f.change(retry) else { throw Unexpected(what: "not retried") }
        #expect(try await f.campaign("spring").unfinished == 1)
        let claimed = try #require(try await f.claim(queue: .proactive(campaign: 1)).rows.first)
        try await f.outcome(f.response(claimed))
        let stats = try await f.campaign("spring")
        #expect(LogCases.counts(stats.finished) == ["apns accepted -": 1] && stats.deliveries == 1)
    }

    static let random = ContractCase("counts of campaigns match their deliveries, and remain when these are removed") {
        (f) async throws in
        var log = try await RandomLog(f, seed: 5)
        try await log.grow(turns: 45)
        try await check(f, log)
        _ = try await f.restart()
        try await log.grow(turns: 25)
        let kept = try await check(f, log)
        let records = try await log.records(f.brand)
        let middle = records[records.count / 2].queuedAt
        #expect(try await f.runHousekeeping(.deliveries(before: [f.brand: middle])) > 0)
        // Deliveries in flight to an erased consumer end as cancelled.
        let waiting = records.filter { !$0.state.isFinished && $0.consumer.rawValue == "u-1" }
        let ids = Set(waiting.compactMap(\.messageID))
        let ended = Dictionary(
            grouping: log.messages.filter { ids.contains($0.id) && $0.brand == f.brand },
            by: \.campaign
        ).mapValues { messages in
            waiting.count { record in messages.contains { $0.id == record.messageID } }
        }
        _ = try await f.change(f.erasure("u-1"))
        _ = try await f.runHousekeeping(.erasures)
        for (name, before) in kept {
            let after = try await f.campaign(name)
            let erased = Int64(ended[name] ?? 0)
            let others = after.finished.filter { $0.state != .cancelled }
            #expect(LogCases.counts(others) == LogCases.counts(before.finished))
            #expect(after.reports == before.reports && after.unfinished == before.unfinished - erased)
        }
    }

    @discardableResult
    private static func check(_ f: ContractFixture, _ log: RandomLog) async throws -> [String: CampaignStats] {
        var found: [String: CampaignStats] = [:]
        let records = try await log.records(f.brand)
        for name in ["spring", "autumn"] {
            let ids = Set(log.messages.filter { $0.campaign == name && $0.brand == f.brand }.map(\.id))
            let own = records.filter { $0.messageID.map(ids.contains) ?? false }
            let stats = try await f.campaign(name)
            try #require(own.count > 50)
            #expect(LogCases.counts(stats.finished) == LogCases.counts(own.filter(\.state.isFinished)))
            #expect(stats.unfinished == Int64(own.count { !$0.state.isFinished }))
            #expect(stats.reports == LogCases.reports(own))
            #expect(stats.deliveries == Int64(own.count))
            found[name] = stats
        }
        return found
    }

    static let removed = ContractCase("a campaign is deleted when its newest message is old, and can begin again") {
        (f) async throws in
        try await f.accepted(f.of("spring", "u-1"))
        try await f.accepted(f.of("autumn", "u-1"))
        f.wait(seconds: 100)
        try await f.accepted(f.of("autumn", "u-1"))
        #expect(try await f.runHousekeeping(.campaigns(before: [f.brand: f.now]), limit: 1) == 1)
        #expect(try await f.store.campaign(brand: f.brand, id: CampaignID(trusted: "spring")) == nil)
        #expect(try await f.campaign("autumn").messages == 2)
        try await f.accepted(f.of("spring", "u-1"))
        let renewed = try await f.campaign("spring")
        #expect(renewed.messages == 1 && renewed.firstAt == f.now)
        _ = try await f.store.deleteBrand(f.brand, audit: nil)
        _ = try await f.runHousekeeping(.deletedBrands)
        try await f.makeBrand(f.brand, app: f.app)
        #expect(try await f.store.campaign(brand: f.brand, id: CampaignID(trusted: "spring")) == nil)
    }
}

extension ContractFixture {
    /// Returns a proactive message of a campaign.
    func of(_ campaign: String, _ consumer: String, in conversation: String? = "c-1") -> AgentEvent {
        var event = proactive(consumer, in: conversation)
        event.campaign = campaign
        return event
    }

    fileprivate func campaign(_ name: String) async throws -> CampaignStats {
        try #require(try await store.campaign(brand: brand, id: CampaignID(trusted: name)))
    }
}

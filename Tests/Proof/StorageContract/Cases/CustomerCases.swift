import GatewayModel
import GatewayStorage
import Testing
import TextFormats

/// Consumers' properties and consents, inboxes and in-app messages.
enum CustomerCases {
    static let all = [
        data, tooMuch, gated, withdrawn, retried, tracked, merged, cookie, proof, inbox, dead, expired, erased,
        deletedBrand, anonymous, inApp,
    ]

    // MARK: Data

    static let data = ContractCase("properties are set, changed and removed, by any id of the consumer") {
        (f) async throws in
        try await f.track("u-1") { $0.properties = ["plan": .string("gold"), "age": .integer(7)] }
        try await f.track("u-1") { $0.properties = ["age": .null, "tags": .array([.bool(true)])] }
        let customer = try #require(try await f.customer("u-1"))
        #expect(customer.data.properties == ["plan": .string("gold"), "tags": .array([.bool(true)])])
        #expect(customer.id.rawValue == "u-1" && !customer.isAnonymous && customer.data.consents.isEmpty)
        #expect(try await f.customer("u-2") == nil)
        var change = CustomerChange(brand: f.brand, consumer: ConsumerID(trusted: "u-2"))
        change.creates = false
        #expect(try await f.change(.track(change)).isNotFound)
        let other = try await f.makeOtherBrand()
        #expect(try await f.store.customer(brand: other, id: ConsumerID(trusted: "u-1")) == nil)
    }

    static let tooMuch = ContractCase("a consumer's data is limited, and what exceeds it is not stored") {
        (f) async throws in
        try await f.track("u-1") { $0.properties = ["plan": .string("gold")] }
        var deep: StrictJSON = .integer(1)
        for _ in 1...CustomerData.maxDepth { deep = .array([deep]) }
        let long = String(repeating: "x", count: CustomerData.maxBytes)
        let many = (0...CustomerData.maxMembers).map { (key: BoundedName(known: "p\($0)"), value: StrictJSON.null) }
        for properties: StrictJSON.Members in [
            ["deep": deep], ["long": .string(long)],
            StrictJSON.Members(many.map { ($0.key, .integer(1)) }),
        ] {
            var change = CustomerChange(brand: f.brand, consumer: ConsumerID(trusted: "u-1"))
            change.properties = properties
            guard case .conflict = try await f.change(.track(change)) else { throw Unexpected(what: "not rejected") }
        }
        #expect(try await f.customer("u-1")?.data.properties == ["plan": .string("gold")])
    }

    static let tracked = ContractCase("events are published in the order of their commits, also those of nobody") {
        (f) async throws in
        _ = try await f.subscribe("crm")
        let event = CustomerEvent(type: "click", time: f.now, properties: JSONText(trusted: #"{"a":1}"#))
        try await f.track("u-1") { $0.event = event }
        var nobody = CustomerChange(brand: f.brand, consumer: nil)
        nobody.event = event
        guard case .tracked(nil) = try await f.change(.track(nobody)) else { throw Unexpected(what: "a consumer") }
        let items = try await f.items()
        let end = #""event":"click","time":"\#(f.now.rfc3339)","properties":{"a":1}}"#
        #expect(items.map(\.type) == [.consumerEvent, .consumerEvent])
        #expect(items.map(\.data.text) == [#"{"consumer":"u-1","# + end, "{" + end])
    }

    // MARK: Consents

    static let gated = ContractCase("a push without the consent that it needs ends at once, and is in the log") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(9)
        let refused = try await f.accepted(f.consenting("newsletter"))
        #expect(refused.deliveries == 1)
        let delivery = try #require(try await f.deliveries().first)
        #expect(delivery.state == .cancelled && delivery.suppressedBy == .noConsent)
        #expect(try await f.claim(queue: .proactive(campaign: nil)).rows.isEmpty)
        #expect(try await f.pending("u-1").map(\.id) == [refused.messageID])
        // A category of legitimate interest needs no decision, but heeds one.
        #expect(try await f.owned(f.consenting("service", isAssumed: true)).count == 1)
        try await f.consent("service", false)
        #expect(try await f.owned(f.consenting("service", isAssumed: true)).isEmpty)
        try await f.consent("newsletter", true)
        #expect(try await f.owned(f.consenting("newsletter")).count == 1)
        // A decision that is no longer valid is none.
        try await f.consent("newsletter", true, until: f.now.adding(seconds: 60))
        f.wait(seconds: 60)
        #expect(try await f.owned(f.consenting("newsletter")).isEmpty)
        #expect(try await f.owned(f.proactive("u-1")).count == 1)
    }

    static let withdrawn = ContractCase("a consent that is withdrawn ends the pushes that need it, wherever they are") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.consent("newsletter", true)
        f.giveSlots(9)
        let sent = try await f.ownedRow(f.consenting("newsletter"))
        f.giveSlots(0)
        try await f.accepted(f.consenting("newsletter"))
        try await f.accepted(f.proactive("u-1"))
        let change = f.consentChange("newsletter", false)
        let result = try await f.commit { $0.changes = [change] }
        #expect(result.withdrawn.count == 2 && result.withdrawn.first?.delivery == sent.id)
        let states = try await f.deliveries().map(\.suppressedBy)
        #expect(states == [nil, .noConsent, .noConsent])
        #expect(try await f.claim(queue: .proactive(campaign: nil)).rows.count == 1)
    }

    static let retried = ContractCase("a delivery is not retried after the consent was withdrawn") { (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.consent("newsletter", true)
        f.giveSlots(9)
        let row = try await f.ownedRow(f.consenting("newsletter"))
        #expect(row.message?.consentCategory == "newsletter")
        try await f.outcome(f.response(row, .rejected(token: .keep), status: 400, reason: "BadTopic"))
        try await f.consent("newsletter", false)
        let retry = RetryRequest(brand: f.brand, delivery: row.id, ttlSeconds: 600)
        guard case .notRetried(.notReceived) = try await f.change(.retry(retry)) else {
            throw Unexpected(what: "retried")
        }
        try await f.consent("newsletter", true)
        guard case .retried = try await f.change(.retry(retry)) else { throw Unexpected(what: "not retried") }
        f.giveSlots(0)
        let claimed = try #require(try await f.claim(queue: .proactive(campaign: nil)).rows.first)
        #expect(claimed.message?.consentCategory == "newsletter")
    }

    // MARK: Merges

    static let merged = ContractCase("a merge adds missing properties, later decisions and the inbox") {
        (f) async throws in
        try await f.change(f.anonymous("guest"))
        try await f.track("guest") { $0.properties = ["plan": .string("free"), "seen": .integer(1)] }
        try await f.track("u-1") { $0.properties = ["plan": .string("gold")] }
        try await f.consent("newsletter", true)
        f.wait(seconds: 1)
        try await f.consent("newsletter", false, of: "guest")
        try await f.put("i-1", of: "u-1")
        for item in ["i-1", "i-2"] { try await f.put(item, of: "guest") }
        let before = try await f.page("u-1").position
        let theirs = try await f.page("guest").position
        let request = MergeRequest(
            brand: f.brand,
            consumer: ConsumerID(trusted: "u-1"),
            from: ConsumerID(trusted: "guest")
        )
        try await f.change(.merge(request))
        for name in ["u-1", "guest"] {
            let data = try #require(try await f.customer(name)).data
            #expect(data.properties == ["plan": .string("gold"), "seen": .integer(1)])
            #expect(data.consents["newsletter"]?.isGranted == false)
        }
        #expect(try await f.page("guest").items.map(\.id.rawValue) == ["i-2", "i-1"])
        #expect(try await f.page("u-1", after: before)?.items.map(\.id.rawValue) == ["i-2"])
        #expect(try await f.page("guest", after: theirs) == nil)
        try await f.put("i-3", of: "guest")
        #expect(try await f.page("u-1", after: before)?.items.map(\.id.rawValue) == ["i-2", "i-3"])
    }

    static let cookie = ContractCase("an anonymous consumer is merged without proof, but not its agents' messages") {
        (f) async throws in
        try await f.openAnonymous(1, "guest", device: "d-1")
        try await f.register("d-1", of: "guest")
        try await f.accepted(f.message("u-1"))
        try await f.track("u-1") { $0.cookie = ConsumerID(trusted: "guest") }
        #expect(try await f.customer("guest")?.id.rawValue == "u-1")
        #expect(try await f.registrations("u-1").map(\.receives) == [.proactive])
        #expect(try await !f.hasSession(1))
        #expect(try await f.accepted(f.message("u-1")).deliveries == 0)
        #expect(try await f.accepted(f.proactive("u-1")).deliveries == 1)
        // An identified one is not merged, and nobody into an anonymous one.
        try await f.change(f.identified("u-2"))
        try await f.change(f.anonymous("guest-2"))
        try await f.change(f.anonymous("guest-3"))
        try await f.track("u-1") { $0.cookie = ConsumerID(trusted: "u-2") }
        try await f.track("guest-2") { $0.cookie = ConsumerID(trusted: "guest-3") }
        #expect(try await f.customer("u-2")?.id.rawValue == "u-2")
        #expect(try await f.customer("guest-3")?.id.rawValue == "guest-3")
    }

    static let proof = ContractCase("a device that needs proof replaces another consumer's only with its token") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        var device = f.device("d-1", of: "u-2", token: "another")
        device.needsProof = true
        guard case .conflict = try await f.change(.register(device)) else { throw Unexpected(what: "registered") }
        #expect(try await f.registrations("u-1").count == 1)
        device.token = "token-of-d-1"
        _ = try await f.register(device)
        #expect(try await f.registrations("u-1").isEmpty)
        #expect(try await f.registrations("u-2").count == 1)
    }

    // MARK: Inbox

    static let inbox = ContractCase("an inbox is read as a whole or from a position, page by page") {
        (f) async throws in
        #expect(try await f.reading("u-1", .newest(before: nil)) == nil)
        try await f.track("u-1") { _ in }
        try await f.track("u-2") { _ in }
        #expect(try await f.page("u-1").items.isEmpty)
        for item in ["i-1", "i-2", "i-3"] { #expect(try await f.put(item, of: "u-1") == .created) }
        #expect(try await f.put("i-1", of: "u-2") == .created)
        #expect(try await f.put("i-1", of: "nobody") == .unknown)
        let all = try await f.page("u-1")
        #expect(all.items.map(\.id.rawValue) == ["i-3", "i-2", "i-1"])
        let older = try #require(try await f.reading("u-1", .newest(before: all.items[0].change), limit: 1))
        #expect(older.items.map(\.id.rawValue) == ["i-2"])
        try await f.mark(["i-1", "x"], of: "u-1")
        try await f.mark(["i-1"], of: "u-1")
        #expect(try await f.put("i-2", of: "u-1") == .replaced)
        let later = try #require(try await f.page("u-1", after: all.position))
        #expect(later.items.map(\.id.rawValue) == ["i-1", "i-2"] && later.items.map(\.isRead) == [true, false])
        #expect(later.position.change == all.position.change + 2)
        #expect(try await f.page("u-2").items.map(\.isRead) == [false])
        let item = try #require(later.items.last)
        #expect(item.content.text == #"{"text":"i-2"}"# && item.kind == .html && item.createdAt == f.now)
    }

    static let dead = ContractCase("a position is dead after a deletion, for another consumer, or too far behind") {
        (f) async throws in
        for consumer in ["u-1", "u-2"] {
            try await f.track(consumer) { _ in }
            try await f.put("i-1", of: consumer)
        }
        let position = try await f.page("u-1").position
        #expect(try await f.page("u-2", after: position) == nil)
        var ahead = position
        ahead.change += 1
        #expect(try await f.page("u-1", after: ahead) == nil)
        for item in ["i-2", "i-3"] { try await f.put(item, of: "u-1") }
        #expect(try await f.reading("u-1", .after(position), limit: 2)?.items.count == 2)
        #expect(try await f.reading("u-1", .after(position), limit: 1) == nil)
        #expect(try await f.delete("i-9", of: "u-1") == false)
        #expect(try await f.page("u-1", after: position) != nil)
        #expect(try await f.delete("i-2", of: "u-1"))
        #expect(try await f.page("u-1", after: position) == nil)
        let now = try await f.page("u-1")
        #expect(now.items.map(\.id.rawValue) == ["i-3", "i-1"])
        #expect(try await f.page("u-1", after: now.position)?.items.isEmpty == true)
    }

    static let expired = ContractCase("items that have expired are not read, and are removed in batches") {
        (f) async throws in
        try await f.track("u-1") { _ in }
        for item in 1...5 { try await f.put("i-\(item)", of: "u-1", seconds: 60) }
        try await f.put("i-6", of: "u-1", seconds: 600)
        #expect(try await f.runHousekeeping(.inboxItems) == 0)
        f.wait(seconds: 60)
        let page = try await f.page("u-1")
        #expect(page.items.map(\.id.rawValue) == ["i-6"])
        #expect(try await f.runHousekeeping(.inboxItems, limit: 2) == 5)
        #expect(try await f.runHousekeeping(.inboxItems) == 0)
        #expect(try await f.page("u-1", after: page.position)?.items.isEmpty == true)
    }

    // MARK: Removal

    static let erased = ContractCase("an erased consumer's data and inbox are gone, and not the next one's") {
        (f) async throws in
        try await f.track("u-1") { $0.properties = ["plan": .string("gold")] }
        for item in 1...7 { try await f.put("i-\(item)", of: "u-1") }
        let position = try await f.page("u-1").position
        _ = try await ErasureCases.erase(f)
        #expect(try await f.customer("u-1") == nil)
        try await f.track("u-1") { $0.properties = ["plan": .string("free")] }
        try await f.put("mine", of: "u-1")
        #expect(try await f.page("u-1", after: position) == nil)
        #expect(try await f.runHousekeeping(.erasures, limit: 3) == 7)
        #expect(try await f.runHousekeeping(.erasures) == 0)
        #expect(try await f.customer("u-1")?.data.properties == ["plan": .string("free")])
        #expect(try await f.page("u-1").items.map(\.id.rawValue) == ["mine"])
    }

    static let deletedBrand = ContractCase("a deleted brand's inboxes are removed in batches, and no others") {
        (f) async throws in
        let other = try await f.makeOtherBrand()
        try await f.track("u-1", of: other) { $0.properties = ["plan": .string("gold")] }
        try await f.track("u-1") { $0.properties = ["plan": .string("free")] }
        for item in 1...7 { try await f.put("i-\(item)", of: "u-1") }
        _ = try await f.store.deleteBrand(f.brand, audit: nil)
        // The items and the consumer.
        #expect(try await f.runHousekeeping(.deletedBrands, limit: 3) == 8)
        #expect(try await f.runHousekeeping(.deletedBrands) == 0)
        let kept = try await f.store.customer(brand: other, id: ConsumerID(trusted: "u-1"))
        #expect(kept?.data.properties == ["plan": .string("gold")])
    }

    static let anonymous = ContractCase("an anonymous consumer's data keeps it for thirty days") { (f) async throws in
        try await f.track("guest", isAnonymous: true) { $0.properties = ["plan": .string("free")] }
        try await f.track("empty", isAnonymous: true) { _ in }
        #expect(try await f.customer("guest")?.isAnonymous == true)
        f.wait(seconds: 2 * 86_400)
        #expect(try await f.runHousekeeping(.anonymous) == 1)
        #expect(try await f.customer("empty") == nil)
        f.wait(seconds: 29 * 86_400)
        #expect(try await f.runHousekeeping(.anonymous) == 1)
        #expect(try await f.customer("guest") == nil)
    }

    // MARK: In-app messages

    static let inApp = ContractCase("in-app messages belong to their brand, with their audit entries") {
        (f) async throws in
        let other = try await f.makeOtherBrand()
        func put(_ id: String, _ brand: BrandID, platforms: [DevicePlatform] = []) async throws -> PutResult {
            let entry = AuditEntry(brand: brand, at: f.now, actor: .admin, action: .inAppMessageChanged, target: id)
            let message = InAppMessage(
                id: InAppMessageID(trusted: id),
                message: JSONText(trusted: #"{"name":"n"}"#),
                platforms: platforms,
                consentCategory: platforms.isEmpty ? nil : "newsletter"
            )
            return try await f.store.putInAppMessage(brand: brand, message, audit: entry)
        }
        #expect(try await put("m-2", f.brand) == .created)
        #expect(try await put("m-1", f.brand) == .created)
        #expect(try await put("m-2", f.brand, platforms: [.ios, .android]) == .replaced)
        #expect(try await put("m-1", other) == .created)
        #expect(try await put("m-1", BrandID(trusted: "unknown")) == .unknown)
        let found = try await f.store.inAppMessages(brand: f.brand)
        #expect(found.map(\.id.rawValue) == ["m-1", "m-2"])
        #expect(found.last?.platforms == [.ios, .android] && found.last?.consentCategory == "newsletter")
        #expect(found.first?.platforms == [] && found.first?.message.text == #"{"name":"n"}"#)
        for number in 3...InAppMessage.perBrand { #expect(try await put("m-\(number)", f.brand) == .created) }
        #expect(try await put("one more", f.brand) == .full)
        #expect(try await put("m-1", f.brand) == .replaced)
        let id = InAppMessageID(trusted: "m-1")
        #expect(try await f.store.deleteInAppMessage(brand: f.brand, id: id, audit: nil))
        #expect(try await !f.store.deleteInAppMessage(brand: f.brand, id: id, audit: nil))
        let trail = try await f.store.audit(AuditQuery(brand: f.brand, limit: 500))
        #expect(trail.count { $0.entry.action == .inAppMessageChanged } == InAppMessage.perBrand + 2)
        _ = try await f.store.deleteBrand(f.brand, audit: nil)
        #expect(try await f.store.inAppMessages(brand: f.brand).isEmpty)
        #expect(try await f.store.inAppMessages(brand: other).count == 1)
    }
}

extension ContractFixture {
    @discardableResult
    fileprivate func track(
        _ consumer: String,
        of brand: BrandID? = nil,
        isAnonymous: Bool = false,
        _ fill: (inout CustomerChange) -> Void
    ) async throws -> ConsumerID? {
        var change = CustomerChange(brand: brand ?? self.brand, consumer: ConsumerID(trusted: consumer))
        change.isAnonymous = isAnonymous
        fill(&change)
        let result = try await self.change(.track(change))
        guard case .tracked(let id) = result else { throw Unexpected(what: "\(result)") }
        return id
    }

    fileprivate func customer(_ consumer: String) async throws -> Customer? {
        try await store.customer(brand: brand, id: ConsumerID(trusted: consumer))
    }

    fileprivate func consentChange(
        _ category: BoundedName,
        _ isGranted: Bool,
        of consumer: String = "u-1",
        until end: Timestamp? = nil
    ) -> StoreChange {
        var change = CustomerChange(brand: brand, consumer: ConsumerID(trusted: consumer))
        change.consents = [category: Consent(isGranted: isGranted, validUntil: end, decidedAt: now)]
        return .track(change)
    }

    fileprivate func consent(
        _ category: BoundedName,
        _ isGranted: Bool,
        of consumer: String = "u-1",
        until end: Timestamp? = nil
    ) async throws {
        try await change(consentChange(category, isGranted, of: consumer, until: end))
    }

    /// Returns a proactive message that needs a consent.
    fileprivate func consenting(_ category: String, isAssumed: Bool = false) -> AgentEvent {
        var event = proactive("u-1")
        event.consent = ConsentRequirement(category: category, isAssumed: isAssumed)
        return event
    }

    @discardableResult
    fileprivate func put(_ item: String, of consumer: String, seconds: Int64 = 3600) async throws -> PutResult {
        try await store.putInboxItem(
            brand: brand,
            consumer: ConsumerID(trusted: consumer),
            InboxItem(
                id: InboxItemID(trusted: item),
                kind: .html,
                content: JSONText(trusted: #"{"text":"\#(item)"}"#),
                createdAt: now,
                expiresAt: now.adding(seconds: seconds)
            )
        )
    }

    fileprivate func mark(_ items: [String], of consumer: String) async throws {
        try await store.markInboxRead(
            brand: brand,
            consumer: ConsumerID(trusted: consumer),
            ids: items.map(InboxItemID.init(trusted:))
        )
    }

    fileprivate func delete(_ item: String, of consumer: String) async throws -> Bool {
        try await store.deleteInboxItem(
            brand: brand,
            consumer: ConsumerID(trusted: consumer),
            id: InboxItemID(trusted: item)
        )
    }

    /// Reads an inbox; nil for a dead position or an unknown consumer.
    fileprivate func reading(_ consumer: String, _ range: InboxRange, limit: Int = 100) async throws -> InboxPage? {
        let id = ConsumerID(trusted: consumer)
        let reading = try await store.inbox(brand: brand, consumer: id, range, now: now, limit: limit)
        if case .page(let page) = reading { return page }
        return nil
    }

    fileprivate func page(_ consumer: String) async throws -> InboxPage {
        try #require(try await reading(consumer, .newest(before: nil)))
    }

    fileprivate func page(_ consumer: String, after position: InboxPosition) async throws -> InboxPage? {
        try await reading(consumer, .after(position))
    }
}

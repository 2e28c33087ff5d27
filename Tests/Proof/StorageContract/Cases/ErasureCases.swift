import GatewayModel
import GatewayStorage
import Testing

/// The erasure of consumers, and their records before.
enum ErasureCases {
    static let all = [atOnce, everything, again, newcomer, small, records, profiles]

    static func erase(_ f: ContractFixture, _ consumer: String = "u-1") async throws -> [RegistrationID] {
        let id = ConsumerID(trusted: consumer)
        let entry = AuditEntry(
            brand: f.brand,
            at: f.now,
            actor: .admin,
            action: .consumerErased,
            target: consumer,
            requestID: nil
        )
        let result = try await f.change(.erase(ErasureRequest(brand: f.brand, consumer: id, audit: entry)))
        guard case .erased(let registrations) = result else { throw Unexpected(what: "\(result)") }
        return registrations
    }

    /// A consumer with one of everything, and another one beside it.
    private static func fill(_ f: ContractFixture) async throws {
        _ = try await f.subscribe("crm")
        try await f.open(f.session(1, device: "d-1"))
        try await f.register("d-1", of: "u-1")
        try await f.register("d-2", of: "u-2")
        f.giveSlots(2)
        let row = try await f.ownedRow(f.message("u-1", text: "secret one"))
        try await f.outcome(f.response(row))
        try await f.change(f.tap("u-1", "d-1", try #require(row.message?.id)))
        try await f.outcome(f.response(try await f.ownedRow(f.message("u-2", in: "c-2"))))
        f.giveSlots(0)
        try await f.accepted(f.message("u-1", text: "secret two"))
        try await f.accepted(f.message("u-1", in: "c-3"))
        for (client, consumer, conversation) in [("m-1", "u-1", "c-1"), ("m-1", "u-2", "c-2")] {
            try await f.change(f.words(client, "secret \(consumer)", in: conversation, of: consumer))
        }
    }

    static let atOnce = ContractCase(
        "with the commit no lookup finds an erased consumer, and its sessions are over"
    ) {
        (f) async throws in
        try await fill(f)
        let message = try #require(try await f.messages("u-1", in: "c-1").first?.id)
        let delivery = try #require(try await f.deliveries().first { $0.consumer.rawValue == "u-1" }?.id)
        let registration = try await f.registrations("u-1").map(\.id)
        let erased = try await erase(f)
        #expect(erased == registration)
        let id = ConsumerID(trusted: "u-1")
        #expect(try await f.store.consumer(brand: f.brand, id: id) == nil)
        #expect(try await f.store.consumerRecord(brand: f.brand, id: id) == nil)
        #expect(try await !f.hasSession(1))
        #expect(try await f.registrations("u-1").isEmpty)
        #expect(try await f.unread("u-1") == 0)
        #expect(try await f.messages("u-1", in: "c-1").isEmpty)
        #expect(try await f.deliveries().map(\.consumer.rawValue) == ["u-2"])
        #expect(try await f.store.delivery(brand: f.brand, id: delivery) == nil)
        #expect(try await f.claim().rows.isEmpty)
        #expect(try await f.change(f.tap("u-1", "d-1", message)).isNotFound)
        #expect(try await f.change(f.words("m-9", "x")).isNotFound)
        let retry = RetryRequest(brand: f.brand, delivery: delivery, ttlSeconds: 600)
        #expect(try await f.change(.retry(retry)).isNotFound)
        let trail = try await f.store.audit(AuditQuery(brand: f.brand, limit: 10))
        #expect(trail.first?.entry.action == .consumerErased && trail.first?.entry.target == "u-1")
    }

    static let everything = ContractCase("housekeeping removes an erased consumer's rows, and no others") {
        (f) async throws in
        try await fill(f)
        _ = try await erase(f)
        _ = try await f.restart()
        #expect(try await f.runHousekeeping(.erasures) > 0)
        #expect(try await f.runHousekeeping(.erasures) == 0)
        let texts = try await f.items().map(\.data.text)
        #expect(texts.allSatisfy { !$0.contains("u-1") && !$0.contains("secret one") })
        #expect(texts.filter { $0 == #"{"erased":true}"# }.count == 4)
        #expect(try await f.items().map(\.position) == Array(1...6))
        #expect(texts.contains { $0.contains("secret u-2") })
        #expect(try await f.messages("u-2", in: "c-2").count == 2)
        #expect(try await f.deliveries().map(\.consumer.rawValue) == ["u-2"])
        #expect(try await f.unread("u-2") == 1)
        // Its deliveries are removed from the counts, too.
        let stats = try await f.store.deliveryStats(brand: f.brand, window: StatsWindow(seconds: 3600), now: f.now)
        #expect(stats.finished.reduce(0) { $0 + $1.count } == 1)
    }

    static let again = ContractCase("an unknown consumer is not erased, and nothing is audited") {
        (f) async throws in
        try await f.accepted(f.message("u-1"))
        _ = try await erase(f)
        let request = ErasureRequest(brand: f.brand, consumer: ConsumerID(trusted: "u-1"), audit: nil)
        #expect(try await f.change(.erase(request)).isNotFound)
        #expect(try await f.store.audit(AuditQuery(brand: f.brand, limit: 10)).count == 1)
    }

    static let newcomer = ContractCase(
        "a later consumer with the same id is another one, also in a conversation of the same id"
    ) {
        (f) async throws in
        try await fill(f)
        _ = try await erase(f)
        // Before anything is removed.
        let next = try await f.accepted(f.message("u-1"))
        #expect(next.sequence == 1 && next.unread == 1)
        let written = try await f.change(f.words("m-1", "mine"))
        guard case .written(let message) = written else { throw Unexpected(what: "\(written)") }
        #expect(message.sequence == 2 && !message.isRepeated)
        let end = try #require(try await f.items().last?.position)
        #expect(try await f.runHousekeeping(.erasures, limit: 2) > 0)
        #expect(try await f.messages("u-1", in: "c-1").map(\.text) == ["Your order has shipped", "mine"])
        #expect(try await f.unread("u-1") == 1)
        #expect(try await f.items().filter { $0.data.text.contains(#""u-1""#) }.count == 2)
        #expect(try await f.items().last?.position == end)
        // Another consumer's conversation of the same id is untouched.
        #expect(try await f.accepted(f.message("u-1", in: "c-2")).sequence == 1)
        #expect(try await f.messages("u-2", in: "c-2").count == 2)
    }

    static let small = ContractCase("remaining rows are removed in batches, across a restart") { (f) async throws in
        try await fill(f)
        for _ in 1...20 { try await f.accepted(f.message("u-1")) }
        _ = try await erase(f)
        var batch = HousekeepingBatch(work: .erasures, now: f.now, limit: 3)
        for _ in 1...4 {
            let progress = try await f.store.runHousekeeping(batch)
            #expect(progress.removed == 3)
            batch.position = progress.next
        }
        _ = try await f.restart()
        #expect(try await f.runHousekeeping(.erasures, limit: 3) > 20)
        #expect(try await f.runHousekeeping(.erasures, limit: 3) == 0)
        #expect(try await f.items().allSatisfy { !$0.data.text.contains("u-1") })
    }

    static let records = ContractCase("a consumer's record, conversations and messages are read page by page") {
        (f) async throws in
        try await f.openAnonymous(1, "a-1", device: "d-1")
        try await f.accepted(f.message("a-1", in: "c-a"))
        try await f.open(f.session(2, device: "d-1"), anonymous: 1)
        let first = try await f.accepted(f.message("u-1"))
        try await f.accepted(f.event(.conversationResolved, "u-1", in: "c-a"))
        try await f.change(f.tap("u-1", "d-1", try #require(first.messageID)))
        let id = ConsumerID(trusted: "u-1")
        let record = try #require(try await f.store.consumerRecord(brand: f.brand, id: ConsumerID(trusted: "a-1")))
        #expect(record.consumer.id == id && record.merged.map(\.rawValue) == ["a-1"])
        #expect(record.sessions.map(\.device?.rawValue) == ["d-1"])
        var after: ConversationKey?
        var names: [String] = []
        while let page = try await f.store.conversations(brand: f.brand, consumer: id, after: after, limit: 1),
            let found = page.first
        {
            names.append("\(found.unread.id.rawValue) \(found.unread.unread) \(found.isResolved)")
            after = found.key
        }
        #expect(names == ["c-a 1 true", "c-1 1 false"])
        let messages = try await f.store.messageRecords(
            brand: f.brand,
            consumer: id,
            conversation: ConversationID(trusted: "c-1"),
            afterSequence: 0,
            limit: 10
        )
        #expect(messages?.map(\.message.id) == [try #require(first.messageID)])
        #expect(messages?.first?.tap?.device.rawValue == "d-1" && messages?.first?.tap?.tappedAt == f.now)
        let nobody = ConsumerID(trusted: "nobody")
        #expect(try await f.store.consumerRecord(brand: f.brand, id: nobody) == nil)
        #expect(try await f.store.conversations(brand: f.brand, consumer: nobody, after: nil, limit: 1) == nil)
    }

    static let profiles = ContractCase("a profile's members are changed, cleared or unchanged; no consumer is created")
    {
        (f) async throws in
        let id = ConsumerID(trusted: "u-1")
        var change = ProfileChange(brand: f.brand, consumer: id)
        change.name = "Ada"
        change.email = "ada@example.org"
        #expect(try await f.change(.changeProfile(change)).isNotFound)
        #expect(try await f.store.consumer(brand: f.brand, id: id) == nil)
        try await f.accepted(f.message("u-1"))
        for _ in 1...2 {
            let result = try await f.change(.changeProfile(change))
            guard case .consumer(let consumer) = result else { throw Unexpected(what: "\(result)") }
            #expect(consumer.profile == ConsumerProfile(name: "Ada", email: "ada@example.org"))
            #expect(consumer.unread == 1 && consumer.id == id)
        }
        change.name = nil
        change.email = .some(nil)
        change.phone = "+4930123"
        try await f.change(.changeProfile(change))
        let stored = try await f.store.consumer(brand: f.brand, id: id)
        #expect(stored?.profile == ConsumerProfile(name: "Ada", email: nil, phone: "+4930123"))
    }
}

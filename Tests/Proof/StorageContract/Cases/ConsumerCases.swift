import GatewayModel
import GatewayStorage
import Testing

/// Changes by consumers in their conversations.
enum ConsumerCases {
    static let all = [written, repeated, forgotten, untapped, engaged, resting, restingProactive, counted, many]

    static let written = ContractCase(
        "a consumer's message is the next of its conversation, never unread, never pushed"
    ) {
        (f) async throws in
        _ = try await f.subscribe("crm")
        try await f.register("d-1", of: "u-1")
        try await f.accepted(f.message("u-1"))
        let changes = [f.words("m-1", "one \"two\"", data: #"{"a": 1}"#), f.words("m-2", "two")]
        let request = f.request([f.message("u-1")])
        let result = try await f.commit {
            $0.changes = changes
            $0.accepts = [request]
        }
        let stored = try result.changes.map { try $0.written }
        #expect(stored.map(\.sequence) == [2, 3] && stored.allSatisfy { !$0.isRepeated })
        #expect(try result.accepts[0][0].acceptedEvent.sequence == 4)
        #expect(try await f.unread("u-1") == 2)
        #expect(try await f.deliveries().count == 2)
        let messages = try await f.messages("u-1", in: "c-1")
        #expect(messages.map(\.sequence) == [1, 2, 3, 4])
        #expect(messages.map(\.kind) == [.agent, .consumer, .consumer, .agent])
        #expect(messages[1].id == stored[0].messageID && messages[1].text == "one \"two\"")
        #expect(messages[1].data?.text == #"{"a": 1}"# && messages[1].sentAt == f.now)
        #expect(messages.map(\.id) == messages.map(\.id).sorted())
        let reported = try await f.items().filter { $0.type == .consumerMessage }.map(\.data.text)
        #expect(
            reported == [
                """
                {"messageId":"\(stored[0].messageID)","clientId":"m-1","consumer":"u-1","conversation":"c-1","sequence":2,\
                "text":"one \\"two\\"","data":{"a": 1},"sentAt":"\(f.now.rfc3339)"}
                """,
                """
                {"messageId":"\(stored[1].messageID)","clientId":"m-2","consumer":"u-1","conversation":"c-1","sequence":3,\
                "text":"two","sentAt":"\(f.now.rfc3339)"}
                """,
            ]
        )
        // A read of everything includes the consumer's own messages.
        #expect(try await f.change(f.read("u-1", "c-1", 4)).readChange.unread == 0)
    }

    static let repeated = ContractCase("a message is stored once by its client id, also after a restart") {
        (f) async throws in
        _ = try await f.subscribe("crm")
        try await f.accepted(f.message("u-1"))
        try await f.accepted(f.message("u-1", in: "c-2"))
        try await f.accepted(f.message("u-2", in: "c-3"))
        let first = try await f.change(f.words("m-1", "one", data: "{}")).written
        #expect(first.sequence == 2)
        _ = try await f.restart()
        f.wait(seconds: 86_400)
        let again = try await f.change(f.words("m-1", "one", data: "{}")).written
        #expect(again.messageID == first.messageID && again.sequence == 2 && again.isRepeated)
        for other in [
            f.words("m-1", "two", data: "{}"), f.words("m-1", "one"), f.words("m-1", "one", data: "{ }"),
            f.words("m-1", "one", in: "c-2", data: "{}"), f.words("m-1", "one", in: "c-9", data: "{}"),
        ] {
            let response = try await f.change(other)
            guard case .conflict = response else { throw Unexpected(what: "\(response)") }
        }
        // Another consumer's ids, and those of events, are distinct.
        #expect(try await f.change(f.words("m-1", "one", in: "c-3", of: "u-2")).written.sequence == 2)
        try await f.accepted(f.message("u-1", id: "m-1"))
        #expect(try await f.messages("u-1", in: "c-1").count == 3)
        #expect(try await f.items().filter { $0.type == .consumerMessage }.count == 2)
    }

    static let forgotten = ContractCase(
        "a client id is stored for the hours of event ids, and not longer than its message"
    ) {
        (f) async throws in
        try await f.accepted(f.message("u-1"))
        let first = try await f.change(f.words("m-1", "one")).written
        f.wait(seconds: 60)
        let before = [f.brand: f.now]
        #expect(try await f.runHousekeeping(.messages(before: before)) == 2)
        let response = try await f.change(f.words("m-1", "one"))
        #expect(response.isGone)
        f.wait(seconds: 6 * 86_400)
        #expect(try await f.runHousekeeping(.eventIDs(keepHours: [f.brand: 72])) == 2)
        let next = try await f.change(f.words("m-1", "one")).written
        #expect(next.messageID != first.messageID && next.sequence == 3 && !next.isRepeated)
    }

    static let engaged = ContractCase("the feed has a new conversation's engagement, but not that of an existing one") {
        (f) async throws in
        _ = try await f.subscribe("crm")
        try await f.change(f.anonymous("u-1"))
        #expect(try await f.active("u-1") == nil)
        #expect(try await f.active("nobody") == nil)
        let offer = Engagement(id: "e-1", campaignId: "c", entryPoints: [], skill: "sales", language: "en")
        let opened = try await f.change(f.conversation(with: offer)).conversation
        let id = opened.conversation.id.rawValue
        #expect(opened.opened)
        #expect(try await f.active("u-1") == id)
        #expect(try await !f.change(f.conversation(with: offer)).conversation.opened)
        let reported = try await f.items().filter { $0.type == .conversationOpened }.map(\.data.text)
        let data = #"{"campaignId":"c","engagementId":"e-1","skill":"sales","language":"en"}"#
        #expect(reported == [#"{"consumer":"u-1","conversation":"\#(id)","engagement":\#(data)}"#])
        try await f.accepted(f.message("u-1", in: "c-new"))
        #expect(try await f.active("u-1") == "c-new")
        try await f.accepted(f.event(.conversationResolved, "u-1", in: "c-new"))
        #expect(try await f.active("u-1") == id)
    }

    static let untapped = ContractCase("a consumer's own message has no tap") { (f) async throws in
        try await f.accepted(f.message("u-1"))
        let id = try await f.change(f.words("m-1", "one")).written.messageID
        #expect(try await f.change(f.tap("u-1", "d-1", id)).isNotFound)
    }

    static let resting = ContractCase(
        "a resolved conversation that the gateway named is removed with its last message, or when it never had one"
    ) { (f) async throws in
        let other = try await f.makeOtherBrand()
        // The back-end's own name may be used again: its sequences continue.
        try await f.accepted(f.message("u-1"))
        try await f.accepted(f.event(.conversationResolved, "u-1", in: "c-1"))
        let empty = try await f.open()
        try await f.accepted(f.event(.conversationResolved, "u-1", in: empty))
        let full = try await f.open()
        try await f.accepted(f.message("u-1", in: nil))
        try await f.accepted(f.event(.conversationResolved, "u-1", in: full))
        f.wait(seconds: 100)
        let limit = f.now
        f.wait(seconds: 1)
        let young = try await f.open()
        try await f.accepted(f.event(.conversationResolved, "u-1", in: young))
        let active = try await f.open()
        func runHousekeeping(_ before: Timestamp, limit: Int = 1) async throws -> Int {
            try await f.runHousekeeping(.conversations(before: [f.brand: before, other: before]), limit: limit)
        }
        #expect(try await runHousekeeping(limit) == 1)
        #expect(try await f.conversationIDs(of: "u-1") == ["c-1", full, young, active])
        #expect(try await f.unread("u-1") == 2)
        // Its ids are no longer stored.
        #expect(try await f.change(f.words("m-1", "one", in: empty)).isNotFound)
        #expect(try await f.runHousekeeping(.messages(before: [f.brand: limit])) == 2)
        #expect(try await runHousekeeping(limit) == 2)
        #expect(try await f.conversationIDs(of: "u-1") == [young, active])
        #expect(try await f.unread("u-1") == 0)
        #expect(try await f.change(f.words("m-1", "one", in: full)).isNotFound)
        #expect(try await f.accepted(f.message("u-1", in: "c-1")).sequence == 2)
        // A message that is written before the removal keeps it; an active one stays.
        #expect(try await f.change(f.words("m-2", "one", in: young)).written.sequence == 1)
        f.wait(seconds: 100)
        #expect(try await runHousekeeping(f.now) == 0)
        _ = try await f.restart()
        #expect(try await runHousekeeping(f.now, limit: 100) == 0)
        #expect(try await f.conversationIDs(of: "u-1") == [young, active, "c-1"])
        // A back-end's message for a removed conversation opens it again.
        #expect(try await f.accepted(f.message("u-1", in: full)).sequence == 1)
    }

    static let restingProactive = ContractCase(
        "a conversation that only proactive messages reach rests from the last of them"
    ) { (f) async throws in
        try await f.accepted(f.proactive("u-1", in: nil))
        f.wait(seconds: 3600)
        let limit = f.now
        f.wait(seconds: 1)
        try await f.accepted(f.proactive("u-1", in: nil))
        f.wait(seconds: 100)
        #expect(try await f.runHousekeeping(.messages(before: [f.brand: f.now])) == 2)
        #expect(try await f.runHousekeeping(.conversations(before: [f.brand: limit])) == 0)
        #expect(try await f.runHousekeeping(.conversations(before: [f.brand: f.now])) == 1)
    }

    static let counted = ContractCase(
        "a resolved conversation that a back-end named rests without its messages, and is restored unchanged when named"
    ) { (f) async throws in
        for number in 1...3 { try await f.accepted(f.message("u-1", in: "c-\(number)")) }
        try await f.accepted(f.message("u-1", in: "c-1", id: "again"))
        try await f.accepted(f.message("u-2", in: "c-4"))
        for number in 1...4 {
            let (consumer, name) = (number == 4 ? "u-2" : "u-1", "c-\(number)")
            try await f.accepted(f.readEvent(consumer, in: name, .sequence(1)))
            try await f.accepted(f.event(.conversationResolved, consumer, in: name))
        }
        f.wait(seconds: 100)
        #expect(try await f.runHousekeeping(.messages(before: [f.brand: f.now])) == 5)
        #expect(try await f.runHousekeeping(.conversations(before: [f.brand: f.now]), limit: 1) == 4)
        #expect(try await f.conversationIDs(of: "u-1") == [])
        _ = try await f.restart()
        // It is known, and so is its consumer.
        let messages = try await f.store.messages(
            brand: f.brand,
            consumer: ConsumerID(trusted: "u-1"),
            conversation: ConversationID(trusted: "c-1"),
            afterSequence: 0,
            after: nil,
            limit: 10
        )
        #expect(messages?.isEmpty == true)
        // Another consumer's of the same id is another one, and leaves it as it is.
        #expect(try await f.accepted(f.message("u-3", in: "c-1")).sequence == 1)
        // A replay is detected, its sequences continue, and its read mark stays.
        let replay = try await f.accept(f.message("u-1", in: "c-1", id: "again"))
        guard case .duplicate = replay.first else {
            Issue.record("\(replay)")
            return
        }
        #expect(try await f.unread("u-1") == 0)
        let next = try await f.accepted(f.message("u-1", in: "c-1"))
        #expect(next.sequence == 3 && next.unread == 1)
        try await f.accepted(f.readEvent("u-1", in: "c-2", .sequence(1)))
        #expect(try await f.unread("u-1") == 1)
        #expect(try await Set(f.conversationIDs(of: "u-1")) == ["c-1", "c-2"])
        // It moves with its consumer, and is removed with it.
        let id = ConsumerID(trusted: "u-2")
        _ = try await ErasureCases.erase(f, "u-1")
        while try await f.runHousekeeping(.erasures) > 0 {}
        #expect(try await f.accepted(f.message("u-2", in: "c-3")).sequence == 1)
        #expect(try await f.accepted(f.message("u-2", in: "c-4")).sequence == 2)
        #expect(try await f.store.unread(brand: f.brand, consumer: id).total == 2)
    }

    static let many = ContractCase(
        "a consumer opens a limited number of conversations, and more only after some are removed"
    ) {
        (f) async throws in
        try await f.accepted(f.message("u-1"))
        for number in 0..<ConversationToOpen.perConsumer {
            let name = try await number == 0 ? "c-1" : f.open()
            try await f.accepted(f.event(.conversationResolved, "u-1", in: name))
        }
        // The back-end's does not count.
        let last = try await f.open()
        #expect(try await !f.change(f.conversation()).conversation.opened)
        try await f.accepted(f.event(.conversationResolved, "u-1", in: last))
        guard case .conflict = try await f.change(f.conversation()) else { throw Unexpected(what: "opened") }
        try await f.change(f.anonymous("u-2"))
        #expect(try await f.change(f.conversation(of: "u-2")).conversation.opened)
        f.wait(seconds: 1)
        #expect(
            try await f.runHousekeeping(.conversations(before: [f.brand: f.now])) == ConversationToOpen.perConsumer
        )
        #expect(try await f.change(f.conversation()).conversation.opened)
    }
}

extension ContractFixture {
    func words(
        _ client: String,
        _ text: String,
        in conversation: String = "c-1",
        of consumer: String = "u-1",
        data: String? = nil
    ) -> StoreChange {
        numbered(
            .write(
                ConsumerMessage(
                    brand: brand,
                    consumer: ConsumerID(trusted: consumer),
                    conversation: ConversationID(trusted: conversation),
                    clientID: ClientID(trusted: client),
                    text: text,
                    data: data.map(JSONText.init(trusted:)),
                    dedupeHours: Self.settings.dedupeHours
                )
            )
        )
    }

    /// Opens a conversation for `u-1`.
    fileprivate func open() async throws -> String {
        let made = try await change(conversation()).conversation
        #expect(made.opened)
        return made.conversation.id.rawValue
    }

    func active(_ consumer: String) async throws -> String? {
        let active = try await store.activeConversation(brand: brand, consumer: ConsumerID(trusted: consumer))
        return active?.rawValue
    }

    fileprivate func conversation(of consumer: String = "u-1", with engagement: Engagement? = nil) -> StoreChange {
        var request = ConversationToOpen(brand: brand, consumer: ConsumerID(trusted: consumer))
        request.engagement = engagement
        return numbered(.openConversation(request))
    }
}

extension StoreChangeResult {
    /// The result of a consumer's message; throws when it was something else.
    var written: WrittenMessage {
        get throws {
            guard case .written(let message) = self else { throw Unexpected(what: "\(self)") }
            return message
        }
    }

    /// The active conversation, and whether it is new; throws when it was something else.
    fileprivate var conversation: (conversation: ConversationUnread, opened: Bool) {
        get throws {
            guard case .conversation(let conversation, let opened) = self else { throw Unexpected(what: "\(self)") }
            return (conversation, opened)
        }
    }
}

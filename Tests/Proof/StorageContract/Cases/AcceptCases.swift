import GatewayModel
import GatewayStorage
import Testing

/// Messages, sequences, conversations and unread counts.
enum AcceptCases {
    static let all = [wholeMessageIsKept, sameConversation, proactiveOpensNone, unreadCounts, readEvents, unknownBrand]

    static let wholeMessageIsKept = ContractCase("a message is stored with all members of its event") {
        (f) async throws in
        var event = f.event(.proactiveMessage, "u-ä", in: "c-1")
        event.dialog = "d-1"
        event.sourceSequence = 7
        event.agentID = "8500.2001"
        event.agentNickname = "Dana"
        event.text = "Grüße 👋\nzwei Zeilen"
        event.title = ""
        event.data = JSONText(trusted: #"{"orderId":"A17"}"#)
        event.link = PlatformLinks(ios: "https://i", android: nil, web: "https://w")
        event.priority = .normal
        event.ttlSeconds = 60
        event.collapseKey = "k"
        event.category = "AGENT_MESSAGE"
        event.sound = "default"
        event.silent = true
        event.time = f.now.adding(seconds: -5)
        event.kind = .c2m
        event.lookBackSeconds = 90
        event.campaign = "spring"
        let accepted = try await f.accepted(event)
        let message = try #require(try await f.messages("u-ä", in: "c-1").first)
        #expect(message.id == accepted.messageID)
        #expect(message.brand == f.brand && message.consumer.rawValue == "u-ä")
        #expect(message.conversation.rawValue == "c-1" && message.dialog == "d-1")
        #expect(message.sequence == 1 && message.sourceSequence == 7 && message.kind == .c2m)
        #expect(message.agentID == "8500.2001" && message.agentNickname == "Dana")
        #expect(message.text == event.text && message.title == "" && message.data == event.data)
        #expect(message.link == event.link && message.priority == .normal && message.collapseKey == "k")
        #expect(message.category == "AGENT_MESSAGE" && message.sound == "default" && message.silent)
        #expect(message.acceptedAt == f.now && message.sentAt == f.now.adding(seconds: -5))
        #expect(message.expiresAt == f.now.adding(seconds: 60))
        #expect(message.lookBackUntil == f.now.adding(seconds: 90) && message.campaign == "spring")
        // Members that an event leaves out stay absent, and the brand's time to live applies.
        try await f.accepted(f.message("u-ä"))
        let plain = try #require(try await f.messages("u-ä", in: "c-1").last)
        #expect(plain.title == nil && plain.data == nil && plain.link == PlatformLinks() && plain.lookBackUntil == nil)
        #expect(plain.kind == .agent && !plain.silent && plain.priority == .high && plain.sentAt == f.now)
        #expect(plain.expiresAt == f.now.adding(seconds: ContractFixture.settings.messageTtlSeconds))
    }

    static let sameConversation = ContractCase("two consumers have conversations of one id, each its own") {
        (f) async throws in
        let results = try await f.accept(f.message("u-1", text: "one"), f.message("u-2", text: "two"), f.message("u-1"))
        #expect(try results.map { try $0.acceptedEvent.sequence } == [1, 1, 2])
        #expect(try results.map { try $0.acceptedEvent.unread } == [1, 1, 2])
        for life in 1...2 {
            #expect(try await f.messages("u-1", in: "c-1").map(\.sequence) == [1, 2], "\(life)")
            #expect(try await f.messages("u-2", in: "c-1").map(\.text) == ["two"])
            _ = try await f.restart()
        }
        // What happens in one does nothing to the other.
        try await f.change(f.words("m-1", "hello", of: "u-2"))
        #expect(try await f.messages("u-2", in: "c-1").map(\.text) == ["two", "hello"])
        try await f.accepted(f.readEvent("u-2", in: "c-1", .sequence(9)))
        try await f.accepted(f.event(.conversationResolved, "u-2", in: "c-1"))
        #expect(try await f.unread("u-1") == 2)
        #expect(try await f.unread("u-2") == 0)
        #expect(try await f.active("u-1") == "c-1")
        #expect(try await f.active("u-2") == nil)
        #expect(try await f.accepted(f.message("u-1")).sequence == 3)
        #expect(try await f.accepted(f.message("u-2")).sequence == 3)
        // A consumer without such a conversation reads and resolves nothing; a rejected event may be sent again.
        let again = f.readEvent("u-3", in: "c-1", .sequence(1), id: "evt-again")
        #expect(try await f.accept(again) == [.rejected(.unknownConversation)])
        let resolved = f.event(.conversationResolved, "u-3", in: "c-1")
        #expect(try await f.accept(resolved) == [.rejected(.unknownConversation)])
        #expect(try await f.accepted(f.message("u-3", in: "c-2", id: "evt-again")).sequence == 1)
        #expect(try await f.accept(resolved) == [.rejected(.unknownConversation)])
        let asked = try await f.store.messages(
            brand: f.brand,
            consumer: ConsumerID(trusted: "u-3"),
            conversation: ConversationID(trusted: "c-1"),
            afterSequence: 0,
            after: nil,
            limit: 10
        )
        #expect(asked == nil)
    }

    static let proactiveOpensNone = ContractCase(
        "R206: a proactive message opens no conversation and makes none active"
    ) {
        (f) async throws in
        _ = try await f.subscribe("crm")
        let alone = try await f.accepted(f.proactive("u-1", in: nil))
        #expect(try await f.active("u-1") == nil)
        // Named, a new conversation is not open either, and a resolved one stays so.
        try await f.accepted(f.proactive("u-1", in: "c-1"))
        #expect(try await f.active("u-1") == nil)
        try await f.accepted(f.message("u-1", in: "c-2"))
        try await f.accepted(f.event(.conversationResolved, "u-1", in: "c-2"))
        try await f.accepted(f.proactive("u-1", in: "c-2"))
        #expect(try await f.active("u-1") == nil)
        #expect(try await f.items().map(\.type) == [.conversationOpened, .conversationResolved])
        // It goes to none of the open ones, across a restart too.
        try await f.accepted(f.message("u-1", in: "c-3"))
        let again = try await f.accepted(f.proactive("u-1", in: nil))
        #expect(again.conversation == alone.conversation && again.sequence == 2)
        _ = try await f.restart()
        #expect(try await f.accepted(f.message("u-1", in: nil)).conversation?.rawValue == "c-3")
        #expect(try await f.accepted(f.proactive("u-1", in: nil)).conversation == alone.conversation)
        #expect(try await f.active("u-1") == "c-3")
        // Each consumer has its own.
        let other = try await f.accept(f.proactive("u-2", in: nil), f.message("u-2", in: nil))
        #expect(try other.map { try $0.acceptedEvent.sequence } == [1, 1])
        #expect(try other[0].acceptedEvent.conversation != alone.conversation)
        // In an open one it leaves the active one as it is, across a restart too.
        for conversation in ["c-7", "c-8"] { try await f.accepted(f.message("u-3", in: conversation)) }
        for _ in 0..<3 {
            try await f.accepted(f.proactive("u-3", in: "c-7"))
            #expect(try await f.active("u-3") == "c-8")
            #expect(try await f.accepted(f.message("u-3", in: nil)).conversation?.rawValue == "c-8")
            try await f.accepted(f.proactive("u-3", in: "c-7"))
            _ = try await f.restart()
            #expect(try await f.accepted(f.message("u-3", in: nil)).conversation?.rawValue == "c-8")
        }
        // The newest message counts, although a proactive one came after it.
        try await f.accepted(f.message("u-3", in: "c-7"))
        try await f.accepted(f.proactive("u-3", in: "c-7"))
        _ = try await f.restart()
        #expect(try await f.active("u-3") == "c-7")
        try await f.accepted(f.event(.conversationResolved, "u-3", in: "c-7"))
        #expect(try await f.accepted(f.message("u-3", in: nil)).conversation?.rawValue == "c-8")
        // An agent's message opens it, and the feed has it.
        try await f.accepted(f.message("u-1", in: "c-1"))
        #expect(try await f.active("u-1") == "c-1")
        #expect(try await f.items().last?.type == .conversationOpened)
    }

    static let unreadCounts = ContractCase("unread counts agents' messages over all conversations") {
        (f) async throws in
        let results = try await f.accept(
            f.message("u-1"),
            f.message("u-1", in: "c-2"),
            f.message("u-2", in: "c-3"),
            f.message("u-1")
        )
        #expect(try results.map { try $0.acceptedEvent.unread } == [1, 2, 1, 3])
        let counts = try await f.store.unread(brand: f.brand, consumer: ConsumerID(trusted: "u-1"))
        #expect(counts.total == 3)
        #expect(
            counts.conversations == [
                ConversationUnread(id: ConversationID(trusted: "c-1"), unread: 2, lastSequence: 2, readSequence: 0),
                ConversationUnread(id: ConversationID(trusted: "c-2"), unread: 1, lastSequence: 1, readSequence: 0),
            ]
        )
        #expect(try await f.unread("nobody") == 0)
        let consumer = try #require(try await f.store.consumer(brand: f.brand, id: ConsumerID(trusted: "u-1")))
        #expect(consumer.unread == 3 && consumer.createdAt == f.now && !consumer.anonymous)
    }

    static let readEvents = ContractCase("a back-end's read moves the mark to each kind of target") {
        (f) async throws in
        var ids: [MessageID] = []
        for source: Int64 in [10, 20, 30, 40] {
            var event = f.message("u-1")
            event.sourceSequence = source
            ids.append(try #require(try await f.accepted(event).messageID))
        }
        let bySequence = try await f.accepted(f.readEvent("u-1", in: "c-1", .sequence(1)))
        #expect(bySequence.unread == 3 && bySequence.messageID == nil)
        #expect(try await f.accepted(f.readEvent("u-1", in: "c-1", .sourceSequence(25))).unread == 2)
        #expect(try await f.accepted(f.readEvent("u-1", in: "c-1", .message(ids[2]))).unread == 1)
        #expect(try await f.accepted(f.readEvent("u-1", in: "c-1", .message(ids[0]))).unread == 1)
        let before = f.readEvent("u-1", in: "c-1", .sourceSequence(9))
        #expect(try await f.accept(before) == [.rejected(.unknownMessage)])
        let other = try #require(try await f.accepted(f.message("u-1", in: "c-2")).messageID)
        let foreign = f.readEvent("u-1", in: "c-1", .message(other))
        #expect(try await f.accept(foreign) == [.rejected(.unknownMessage)])
        // They arrived in another order than they were written.
        for source: Int64 in [7, 5, 6] {
            var event = f.message("u-2", in: "c-3")
            event.sourceSequence = source
            try await f.accepted(event)
        }
        #expect(try await f.accepted(f.readEvent("u-2", in: "c-3", .sourceSequence(5))).unread == 3)
        #expect(try await f.accepted(f.readEvent("u-2", in: "c-3", .sourceSequence(7))).unread == 0)
        // In one turn with the messages that it reads and with later ones.
        let results = try await f.accept(
            f.message("u-1"),
            f.readEvent("u-1", in: "c-1", .sequence(99)),
            f.message("u-1")
        )
        #expect(try results.map { try $0.acceptedEvent.unread } == [3, 1, 2])
        #expect(try await f.unread("u-1") == 2)
    }

    static let unknownBrand = ContractCase("an unknown brand's events are rejected and store nothing") {
        (f) async throws in
        let request = f.request([f.message("u-1"), f.message("u-1")], brand: BrandID(trusted: "gone"))
        let result = try await f.commit { $0.accepts = [request] }
        #expect(result.accepts == [[.rejected(.unknownBrand), .rejected(.unknownBrand)]])
        #expect(result.unread == [:])
    }
}

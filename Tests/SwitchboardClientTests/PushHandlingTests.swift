import Foundation
import Testing

@testable import SwitchboardClient

@Suite("Pushes", .timeLimit(.minutes(15)))
struct PushHandlingTests {
    private static let apns = """
        {"aps":{"alert":{"title":"Dana","body":"hi"},"badge":3,"sound":"default","thread-id":"c-9"},"brandId":"acme",
        "messageId":"m-1","conversationId":"c-9","dialogId":"c-9","originatorId":"a.1","sequence":7,"badge":3,
        "backendService":"ams","link":"https://a.example/x","data":{"orderId":"A17"}}
        """
    private static let fcm: [String: String] = [
        "brandId": "acme", "messageId": "m-1", "conversationId": "c-9", "dialogId": "c-9", "originatorId": "a.1",
        "sequence": "7", "badge": "3", "backendService": "ams", "link": "https://a.example/x",
        "data": #"{"orderId":"A17"}"#, "title": "Dana", "text": "hi",
    ]

    private func payload(_ json: String) -> PushPayload { PushPayload(json: Data(json.utf8)) }

    private func push(_ id: String, badge: Int = 1, sequence: Int = 1, service: String = "ams") -> PushPayload {
        PushPayload(data: [
            "brandId": "acme", "messageId": id, "conversationId": "c-9", "sequence": String(sequence),
            "badge": String(badge), "backendService": service, "title": "Dana", "text": "hi",
        ])
    }

    @Test("R47 R104 trap 8: the shapes of APNs, FCM and Huawei are one message, before any initialisation")
    func shapes() async throws {
        let client = Fixture().client
        let apns = try #require(client.parse(payload(Self.apns)))
        let fcm = try #require(client.parse(PushPayload(data: Self.fcm)))
        #expect(apns == fcm)
        #expect(apns.kind == .agent)
        #expect(apns.badge == 3)
        #expect(apns.sequence == 7)
        #expect(apns.data == ["orderId": "A17"])
        #expect(await client.handlePush(payload(Self.apns), showNotification: false) == apns)
    }

    @Test("R104: the members as iOS delivers them")
    func userInfo() throws {
        let info: [AnyHashable: Any] = [
            "aps": ["alert": ["title": "Dana", "body": "hi"], "badge": 1], "brandId": "acme", "messageId": "m-1",
            "conversationId": "c-9", "sequence": NSNumber(value: 1), "badge": NSNumber(value: 1), "truncated": true,
            7: "no text",
        ]
        let message = try #require(Fixture().client.parse(PushPayload(userInfo: info)))
        #expect(message.badge == 1)
        #expect(message.sequence == 1)
        #expect(message.isTruncated)
    }

    @Test("R39 R103 trap 26: pushes of others are left alone, also when they name another brand")
    func foreign() async throws {
        let fixture = Fixture { $0.dialects = [.switchboard, .livePerson] }
        try await fixture.loginCopilot()
        let screen = Screen()
        await fixture.client.setPresenter(screen)
        let before = fixture.storage.saves
        for text in [
            #"{"brandId":"other","messageId":"m","badge":9,"text":"x"}"#, #"{"brandId":7}"#, "{}", "[]", "no json",
            #"{"ujet":{"push_id":"p"}}"#, #"{"source":"xnpe_platform","notification_id":1,"message":"x"}"#,
            #"{"aps":{"alert":"x","badge":9}}"#,
        ] {
            #expect(await fixture.client.handlePush(payload(text), showNotification: true) == nil)
            #expect(!fixture.client.isFromThisSystem(payload(text)))
            #expect(fixture.client.getPushMessageId(payload(text)) == nil)
        }
        #expect(screen.calls.isEmpty)
        #expect(fixture.storage.saves == before)
        #expect(await fixture.client.lastUnreadCount == nil)
    }

    @Test("R39 R103 R162: each system is recognised by its own mark")
    func dialects() throws {
        let client = Fixture { $0.dialects = Set(PushMessage.Dialect.allCases) }.client
        let ujet = try #require(
            client.parse(
                payload(#"{"aps":{"alert":"hi"},"ujet":{"push_id":"p-1","type":"chat","conversation_id":"c"}}"#)
            )
        )
        #expect(ujet.dialect == .ujet)
        #expect(ujet.id == "p-1")
        let text = PushPayload(data: ["ujet": #"{"push_id":"p-2"}"#, "text": "hi"])
        #expect(client.getPushMessageId(text) == "p-2")
        let bloomreach = try #require(
            client.parse(
                PushPayload(data: [
                    "source": "xnpe_platform", "notification_id": "12", "title": "t", "message": "m",
                    "url": "https://a.example", "has_tracking_consent": "false",
                    "attributes": #"{"sent_timestamp":5.5}"#,
                ])
            )
        )
        #expect(bloomreach.dialect == .bloomreach)
        #expect(bloomreach.id == "12")
        #expect(!bloomreach.hasTrackingConsent)
        #expect(bloomreach.sentAt == Date(timeIntervalSince1970: 5.5))
        for text in [
            #"{"aps":{"alert":"Ana: hi"},"push-service":1,"backendService":"ams","conversationId":"c-1","brandId":"acme","badge":3,"sequence":7}"#,
            #"{"data":{"message":"Ana: hi","payload":{"backendService":"ams","conversationId":"c-1","brandId":"acme","badge":3,"sequence":7}},"push-service":2}"#,
            #"{"data":{"message":"Ana: hi","payload":"{\"backendService\":\"ams\",\"conversationId\":\"c-1\",\"brandId\":\"acme\",\"badge\":3,\"sequence\":7}"}}"#,
            #"{"message":"Ana: hi","payload":"{\"backendService\":\"ams\",\"conversationId\":\"c-1\",\"brandId\":\"acme\",\"badge\":\"3\",\"sequence\":7}"}"#,
        ] {
            let message = try #require(client.parse(payload(text)))
            #expect(message.dialect == .livePerson)
            #expect(message.text == "Ana: hi")
            #expect(message.badge == 3)
            #expect(message.conversationID == "c-1")
        }
    }

    @Test("R107: the push message id")
    func messageID() {
        let client = Fixture().client
        #expect(client.getPushMessageId(payload(Self.apns)) == "m-1")
        #expect(client.getPushMessageId(payload(#"{"brandId":"acme","conversationId":"c"}"#)) == nil)
    }

    @Test("R105: shown or not, a push is parsed and the unread count follows")
    func showing() async throws {
        let fixture = Fixture()
        try await fixture.loginCopilot()
        let screen = Screen()
        await fixture.client.setPresenter(screen)
        await fixture.client.handlePush(push("m-1", badge: 4), showNotification: false)
        #expect(screen.calls == ["badge 4"])
        #expect(await fixture.client.lastUnreadCount == 4)
        await fixture.client.handlePush(push("m-2", badge: 5), showNotification: true)
        #expect(screen.calls == ["badge 4", "badge 5", "show m-2"])
    }

    @Test("R106 R111: a handler of the app shows banners instead of the presenter, after the push was handled")
    func customBanner() async throws {
        let fixture = Fixture()
        let client = fixture.client
        try await fixture.loginCopilot()
        let screen = Screen()
        await client.setPresenter(screen)
        let seen = Locked<[Int?]>([])
        await client.setBannerHandler { _ in
            let count = await client.lastUnreadCount
            seen.withLock { $0.append(count) }
        }
        await client.handlePush(push("m-1", badge: 4), showNotification: true)
        #expect(seen.withLock { $0 } == [4])
        #expect(screen.calls == ["badge 4"])
    }

    @Test("R200 trap 27: a push that arrives twice is handled once, also after a restart; a count is never added")
    func twice() async throws {
        let fixture = Fixture()
        try await fixture.loginCopilot()
        let screen = Screen()
        await fixture.client.setPresenter(screen)
        await fixture.client.handlePush(push("m-1", badge: 4), showNotification: true)
        await fixture.client.handlePush(push("m-2", badge: 5), showNotification: true)
        #expect(await fixture.client.handlePush(push("m-1", badge: 4), showNotification: true)?.id == "m-1")
        #expect(screen.calls == ["badge 4", "show m-1", "badge 5", "show m-2"])
        let restarted = fixture.restarted()
        await restarted.client.setPresenter(screen)
        await restarted.client.handlePush(push("m-2", badge: 5), showNotification: true)
        #expect(screen.calls.count == 4)
        try await restarted.loginCopilot()
        #expect(await restarted.client.lastUnreadCount == 5)
    }

    @Test("R93 R94: between fetches the count is that of the pushes")
    func counts() async throws {
        let fixture = Fixture()
        fixture.gateway.setUnread(1, for: "u-1")
        let recorder = await Recorder(fixture.client)
        try await fixture.loginCopilot()
        #expect(try await fixture.client.unreadCount() == 1)
        await fixture.client.handlePush(push("m-1", badge: 2), showNotification: false)
        #expect(try await fixture.client.unreadCount() == 2)
        #expect(fixture.gateway.calls("GET unread").count == 1)
        fixture.clock.advance(by: .seconds(10))
        #expect(try await fixture.client.unreadCount() == 1)
        #expect(await recorder.all.filter { $0 == .unreadChanged(2) }.count == 1)
    }

    @Test("trap 29: silent pushes and self-checks change no count and show nothing")
    func silent() async throws {
        let fixture = Fixture { $0.dialects = [.switchboard, .bloomreach] }
        try await fixture.loginCopilot()
        let screen = Screen()
        await fixture.client.setPresenter(screen)
        for text in [
            #"{"brandId":"acme","messageId":"s-1","conversationId":"c","silent":"true","badge":"9","text":"x"}"#,
            #"{"aps":{"content-available":1,"badge":9},"brandId":"acme","messageId":"s-2","conversationId":"c"}"#,
            #"{"source":"xnpe_platform","action":"self-check","notification_id":3,"title":"t","message":"m","aps":{"badge":9}}"#,
            #"{"source":"xnpe_platform","silent":true,"notification_id":4,"aps":{"badge":9}}"#,
            #"{"brandId":"acme"}"#,
        ] {
            #expect(await fixture.client.handlePush(payload(text), showNotification: true) != nil)
        }
        #expect(screen.calls.isEmpty)
        #expect(await fixture.client.lastUnreadCount == nil)
    }

    @Test("a push with read marks sets the badge and removes what was read, and a late push of it is not shown")
    func withdrawal() async throws {
        let fixture = Fixture()
        try await fixture.loginCopilot()
        let screen = Screen()
        await fixture.client.setPresenter(screen)
        let text =
            #"{"aps":{"badge":0},"brandId":"acme","read":[{"conversation":"c-9","upToSequence":7,"messageIds":["m-1","m-2"]}]}"#
        let message = try #require(await fixture.client.handlePush(payload(text), showNotification: true))
        #expect(message.kind == .badge)
        #expect(PushWithdrawal(marks: message.read, unread: message.badge).includesSummaries)
        #expect(screen.calls == ["badge 0", "withdraw m-1,m-2"])
        await fixture.client.handlePush(push("m-2", badge: 2, sequence: 7), showNotification: true)
        #expect(await fixture.client.lastUnreadCount == 0)
        await fixture.client.handlePush(push("m-3", badge: 1, sequence: 8), showNotification: true)
        #expect(screen.calls == ["badge 0", "withdraw m-1,m-2", "badge 1", "show m-3"])
        let map = PushPayload(data: [
            "brandId": "acme", "badge": "2", "read": #"[{"conversation":"c-9","upToSequence":9,"messageIds":[]}]"#,
        ])
        #expect(fixture.client.parse(map)?.read == [.init(conversationID: "c-9", upToSequence: 9)])
    }

    @Test(
        "a notification goes by its identifier, by the mark of its conversation, as a summary, or with all",
        arguments: [
            ("m-1", "", "c-8", "1", true), ("m-9", "", "c-9", "7", true), ("m-9", "", "c-9", "8", false),
            ("m-9", "", "c-8", "7", false), ("m-9", "", "c-9", "x", false), ("summary-m-9", "", "c-8", "1", false),
            ("summary-m-9", "summaries", "c-8", "1", true), ("m-9", "summaries", "c-8", "1", false),
            ("m-9", "all", "c-8", "1", true),
        ]
    )
    func includes(id: String, scope: String, conversation: String, sequence: String, isIncluded: Bool) {
        let withdrawal = PushWithdrawal(
            marks: [.init(conversationID: "c-9", upToSequence: 7, messageIDs: ["m-1"])],
            unread: scope == "summaries" ? 0 : 1,
            includesAll: scope == "all"
        )
        let push = PushPayload(data: ["conversationId": conversation, "sequence": sequence])
        #expect(withdrawal.includes(id, of: push) == isIncluded)
        // A notification without its push goes by its identifier only.
        #expect(withdrawal.includes(id, of: PushPayload(data: [:])) == (isIncluded && sequence != "7"))
    }

    @Test("a summary has an identifier of its own")
    func summary() throws {
        var members = Self.fcm
        members["summary"] = "4"
        let message = try #require(Fixture().client.parse(PushPayload(data: members)))
        #expect(message.summaryCount == 4)
        #expect(message.notificationID == "summary-m-1")
    }

    @Test("R199 R111: a tap on the library's banner is an event; then the tap and the opening follow")
    func bannerTapped() async throws {
        let fixture = Fixture()
        let recorder = await Recorder(fixture.client)
        try await fixture.loginCopilot()
        let message = try #require(
            await fixture.client.handlePush(push("m-1", badge: 4), showNotification: true)
        )
        await fixture.client.bannerTapped(message)
        #expect(await recorder.all.contains(.notificationTapped(message)))
        let result = try await fixture.client.setPushNotificationTapped(message.id)
        #expect(result?.kind == .agent)
        #expect(result?.conversationID == "c-9")
        #expect(await fixture.client.conversationOpening() == .message("m-1"))
        #expect(await fixture.client.lastUnreadCount == 4)
    }

    @Test("R108 trap 28: a tap counts for one opening, and without an id only scrolls")
    func opening() async throws {
        let fixture = Fixture()
        try await fixture.loginCopilot()
        #expect(await fixture.client.conversationOpening() == .latest)
        #expect(try await fixture.client.setPushNotificationTapped(nil) == nil)
        #expect(fixture.gateway.routes.isEmpty)
        #expect(await fixture.client.conversationOpening() == .firstUnread)
        #expect(await fixture.client.conversationOpening() == .latest)
        fixture.gateway.fail("POST tap", .problem(404, "not_found"))
        #expect(await failure { try await fixture.client.setPushNotificationTapped("m-9") }?.code == .notFound)
        #expect(await fixture.client.conversationOpening() == .message("m-9"))
    }

    @Test("R161: the tap is later than the delivery, and the delivery later than the sending, whatever the clock does")
    func times() async throws {
        let fixture = Fixture()
        try await fixture.loginCopilot()
        let delivered = fixture.clock.now
        await fixture.client.handlePush(push("m-1"), showNotification: true)
        fixture.clock.jump(by: -500)
        try await fixture.client.setPushNotificationTapped("m-1", action: "reply", clearOthers: true)
        let body = try #require(fixture.gateway.calls("POST tap").first?.body)
        #expect(body["tappedAt"]?.text == Timestamps.text(delivered.addingTimeInterval(1)))
        #expect(body["action"]?.text == "reply")
        #expect(body["clearOthers"] == true)
        let sent = Date(timeIntervalSince1970: 100)
        #expect(ReportTimes.delivered(sent, sentAt: sent) == sent.addingTimeInterval(1))
        #expect(ReportTimes.delivered(sent.addingTimeInterval(3), sentAt: sent) == sent.addingTimeInterval(3))
    }

    @Test("R159: arrivals wait for a session; without consent, and for self-checks, they are not reported")
    func receipts() async throws {
        let fixture = Fixture { $0.dialects = Set(PushMessage.Dialect.allCases) }
        try await fixture.loginCopilot()
        await fixture.client.setPresenter(Screen())
        await fixture.client.handlePush(push("m-1"), showNotification: true)
        await fixture.client.handlePush(push("m-2"), showNotification: false)
        await fixture.client.handlePush(
            payload(#"{"source":"xnpe_platform","notification_id":1,"message":"m"}"#),
            showNotification: true
        )
        #expect(fixture.gateway.routes.isEmpty)
        _ = try await fixture.client.messages()
        await fixture.client.notificationDismissed("m-1")
        await fixture.client.finishPendingWork()
        let sent = fixture.gateway.calls("POST receipts")
        let items = sent.flatMap { $0.body["receipts"]?.elements ?? [] }.map {
            ($0["messageId"]?.text ?? "") + " " + ($0["state"]?.text ?? "")
        }
        #expect(items == ["m-1 displayed", "m-2 delivered", "m-1 dismissed"])
        #expect(sent.first?.body["receipts"]?.elements?.first?["deviceId"]?.text == (await fixture.client.deviceID))
    }

    @Test("R163: the queue of receipts is persistent, bounded, oldest first; only rejections count as tries")
    func queue() async throws {
        let fixture = Fixture()
        try await fixture.loginCopilot()
        await fixture.client.handlePush(push("m-1"), showNotification: false)
        let restarted = fixture.restarted()
        try await restarted.loginCopilot()
        restarted.gateway.fail("POST receipts", .drop)
        _ = try await restarted.client.messages()
        await restarted.client.finishPendingWork()
        await restarted.client.handlePush(push("m-2"), showNotification: false)
        await restarted.client.finishPendingWork()
        await restarted.client.handlePush(push("m-3"), showNotification: false)
        await restarted.client.finishPendingWork()
        let counts = restarted.gateway.calls("POST receipts").map { $0.body["receipts"]?.elements?.count }
        #expect(counts == [1, 2, 1])

        var queue = ReportQueue()
        for number in 0...ReportQueue.maxCount {
            queue.add(PushReceipt(messageID: "\(number)", state: .delivered, at: Date()))
        }
        #expect(queue.count == ReportQueue.maxCount)
        #expect(queue.batch.first?.messageID == "1")
        for code in [SwitchboardError.Code.connectivity, .server, .overloaded, .general, .sessionEnded] {
            for _ in 0..<20 {
                let continues = queue.sent(queue.batch, error: SwitchboardError(code, ""), maxTries: 5)
                #expect(!continues)
            }
        }
        #expect(queue.count == ReportQueue.maxCount)
        for _ in 0..<5 { _ = queue.sent(queue.batch, error: SwitchboardError(.invalidRequest, ""), maxTries: 5) }
        #expect(queue.count == ReportQueue.maxCount - 100)
        let continues = queue.sent(queue.batch, error: nil, maxTries: 5)
        #expect(continues)
        #expect(queue.count == ReportQueue.maxCount - 200)
        #expect(PlatformProfile.ios.maxReportTries == 5)
        #expect(PlatformProfile.android.maxReportTries == 10)
    }

    @Test("a receipt waits for the next login when the token has expired")
    func expiredToken() async throws {
        let fixture = Fixture()
        try await fixture.client.initialize(.parameters(.init(jwt: FakeGateway.jwt("u-1"))))
        _ = try await fixture.client.messages()
        fixture.clock.advance(by: .seconds(3600))
        fixture.gateway.clearCalls()
        await fixture.client.handlePush(push("m-1"), showNotification: false)
        await fixture.client.finishPendingWork()
        #expect(fixture.gateway.routes.isEmpty)
        _ = try await fixture.client.messages()
        await fixture.client.finishPendingWork()
        #expect(fixture.gateway.calls("POST receipts").count == 1)
    }

    @Test("receipts that give way while older ones are sent take no other ones with them")
    func fullQueue() {
        var queue = ReportQueue()
        func add(_ numbers: ClosedRange<Int>) {
            for number in numbers {
                let at = Date(timeIntervalSince1970: TimeInterval(number))
                queue.add(PushReceipt(messageID: "\(number)", state: .delivered, at: at))
            }
        }
        add(1...500)
        let batch = queue.batch
        add(501...530)
        let continues = queue.sent(batch, error: nil, maxTries: 5)
        #expect(continues)
        #expect(queue.count == 430)
        #expect(queue.batch.first?.messageID == "101")
        add(531...720)
        _ = queue.sent(batch, error: nil, maxTries: 5)
        #expect(queue.count == 500)
    }

    @Test("receipts of the first consumer that are being sent do not stop those of the next")
    func receiptsOfNextConsumer() async throws {
        let fixture = Fixture()
        try await fixture.client.initialize(.parameters(.init(jwt: FakeGateway.jwt("first"))))
        _ = try await fixture.client.messages()
        fixture.gateway.fail("POST receipts", .hang)
        await fixture.client.handlePush(push("m-1"), showNotification: false)
        while fixture.gateway.calls("POST receipts").isEmpty { await Task.yield() }
        try await fixture.client.reconnect(.init(jwt: FakeGateway.jwt("second")))
        await fixture.client.handlePush(push("m-2"), showNotification: false)
        await fixture.client.finishPendingWork()
        let sent = fixture.gateway.calls("POST receipts").map { $0.body["receipts"]?.elements?.first }
        #expect(sent.map { $0?["messageId"]?.text } == ["m-1", "m-2"])
    }

    @Test("malformed pushes of every dialect are read as far as they go, and nothing crashes")
    func malformed() async {
        let client = Fixture { $0.dialects = Set(PushMessage.Dialect.allCases) }.client
        let names = [
            "aps", "brandId", "messageId", "badge", "sequence", "read", "data", "payload", "ujet", "source", "silent",
            "attributes", "summary", "backendService", "title", "text", "notification_id", "push-service",
        ]
        let values: [JSONValue] = [
            .null, true, 0, -1, .integer(.max), .number(1e308), .number(-0.5), "", "acme", "xnpe_platform", "{", "[]",
            "{\"payload\":{\"brandId\":\"acme\"}}", [], [[]], [:], ["alert": 7], ["push_id": 7], ["badge": "x"],
            ["payload": ["brandId": "acme", "sequence": "-9"]], .string(String(repeating: "[", count: 9000)),
        ]
        var generator = SeededGenerator(7)
        for round in 0..<1500 {
            var members: [String: JSONValue] = round % 2 == 0 ? ["brandId": "acme"] : [:]
            for _ in 0..<Int.random(in: 0...5, using: &generator) {
                members[names.randomElement(using: &generator) ?? ""] = values.randomElement(using: &generator)
            }
            let payload = PushPayload(json: JSONValue.object(members).data)
            let message = client.parse(payload)
            #expect((message != nil) == client.isFromThisSystem(payload))
            #expect((message?.badge ?? 0) >= 0)
            if let message { _ = NotificationContent(message) }
        }
        let deep = String(repeating: "{\"a\":", count: 5000) + "1" + String(repeating: "}", count: 5000)
        #expect(client.parse(PushPayload(json: Data(deep.utf8))) == nil)
    }

    @Test("an extension reports the arrival with the app's session and writes nothing")
    func serviceExtension() async throws {
        let fixture = Fixture()
        try await fixture.client.initialize(.parameters(.init(jwt: FakeGateway.jwt("u-1"))))
        _ = try await fixture.client.messages()
        let saves = fixture.storage.saves
        let helper = await NotificationServiceHelper(
            configuration: fixture.client.configuration,
            storage: fixture.storage,
            transport: fixture.gateway,
            clock: fixture.clock
        )
        let content = try #require(await helper.receive(payload(Self.apns)))
        #expect(content.title == "Dana")
        #expect(content.body == "hi")
        #expect(content.badge == 3)
        #expect(content.threadID == "c-9")
        #expect(fixture.gateway.calls("POST receipts").count == 1)
        #expect(fixture.storage.saves == saves)
        #expect(await helper.receive(payload("{}")) == nil)
    }
}

/// A generator that repeats for a seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

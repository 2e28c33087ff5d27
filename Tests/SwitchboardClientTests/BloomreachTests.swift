import Foundation
import Testing

@testable import SwitchboardClient

@Suite("Bloomreach", .timeLimit(.minutes(15)))
struct BloomreachTests {
    private static func settings(_ provider: AuthorizationProviderSource? = nil) -> BloomreachConfiguration {
        BloomreachConfiguration(
            authorizationToken: "key",
            advancedAuthEnabled: provider != nil,
            provider: provider ?? .unregistered
        )
    }

    private static func fixture(
        clock: TestClock = TestClock(),
        profile: PlatformProfile = .ios,
        change: (inout ClientConfiguration) -> Void = { _ in }
    ) -> Fixture {
        Fixture(clock: clock, profile: profile) {
            $0.bloomreach = settings()
            $0.dialects = [.bloomreach]
            $0.renewal = .onChange
            change(&$0)
        }
    }

    /// A provider whose tokens a closure gives.
    private struct Provider: AuthorizationProvider {
        let token: @Sendable () async throws -> String?
        func getAuthorizationToken() async throws -> String? { try await token() }
    }

    /// The events that arrived, in order: their types and properties.
    private static func events(_ gateway: FakeGateway) -> [(type: String, properties: JSONValue)] {
        gateway.calls("POST events").map { ($0.body["event_type"]?.text ?? "", $0.body["properties"] ?? .null) }
    }

    private static func push(_ members: [String: JSONValue]) -> PushPayload {
        let all: [String: JSONValue] = [
            "source": "xnpe_platform", "notification_id": 1, "title": "Sale", "message": "Today", "action": "app",
        ]
        return PushPayload(json: JSONValue.object(all.merging(members) { $1 }).data)
    }

    // MARK: Events

    @Test("R163: events wait in the storage while the gateway is away, also over a restart, and go oldest first")
    func queue() async throws {
        let fixture = Self.fixture()
        try await fixture.client.initialize(.none)
        fixture.gateway.failAll(from: 0, .drop)
        try await fixture.client.track("first", properties: ["n": 1])
        try await fixture.client.track("second")
        try await fixture.client.trackCampaignClick(#require(URL(string: "https://x.example/?utm_source=a")))
        await fixture.client.finishPendingWork()
        #expect(await fixture.client.pendingEventCount == 3)
        fixture.gateway.heal()
        fixture.gateway.clearCalls()
        let restarted = fixture.restarted { $0.bloomreach = Self.settings() }
        fixture.clock.advance(by: .seconds(60))
        try await restarted.client.initialize(.none)
        await restarted.client.finishPendingWork()
        #expect(await restarted.client.pendingEventCount == 0)
        #expect(Self.events(fixture.gateway).map(\.type) == ["first", "second"])
        #expect(fixture.gateway.routes == ["POST events", "POST events", "POST clicks"])
        // The times are those of the events.
        #expect(fixture.gateway.calls.allSatisfy { $0.body["timestamp"]?.numberValue == 1_767_323_045 })
        #expect(fixture.gateway.calls.last?.body["url"]?.text == "https://x.example/?utm_source=a")
        #expect(fixture.gateway.calls.allSatisfy { $0.request.headers["Authorization"] == "Token key" })
    }

    @Test("R163: rejections count, up to the cap of the platform; later events are not held up", arguments: [5, 10])
    func rejected(cap: Int) async throws {
        let fixture = Self.fixture(profile: cap == 5 ? .ios : .android)
        try await fixture.client.initialize(.none)
        fixture.gateway.fail("POST events", .problem(422, "invalid_request"))
        fixture.gateway.fail("POST customers", .problem(422, "invalid_request"), times: cap - 1)
        try await fixture.client.track("rejected once")
        try await fixture.client.setCustomerProperties(["bad": 1])
        await fixture.client.finishPendingWork()
        // Each pass tries every event once.
        for _ in 0..<cap where fixture.gateway.calls("POST customers").count < cap - 1 {
            try await fixture.client.flushEvents()
        }
        #expect(await fixture.client.pendingEventCount == 1)
        #expect(Self.events(fixture.gateway).count == 2)
        fixture.gateway.fail("POST customers", .problem(403, "forbidden"))
        try await fixture.client.flushEvents()
        #expect(await fixture.client.pendingEventCount == 0)
        #expect(fixture.gateway.calls("POST customers").count == cap)
    }

    @Test("R163: errors of the gateway and a lost network count no try")
    func away() async throws {
        let fixture = Self.fixture()
        try await fixture.client.initialize(.none)
        fixture.gateway.failAll(from: 0, .problem(503, "overloaded"))
        try await fixture.client.track("event")
        await fixture.client.finishPendingWork()
        for _ in 0..<6 { #expect(await failure { try await fixture.client.flushEvents() }?.code == .overloaded) }
        fixture.gateway.failAll(from: 0, .drop)
        for _ in 0..<6 { #expect(await failure { try await fixture.client.flushEvents() }?.code == .connectivity) }
        fixture.gateway.heal()
        try await fixture.client.flushEvents()
        #expect(await fixture.client.pendingEventCount == 0)
    }

    @Test("the queue is bounded, and takes no event that is too long, without a type, or without settings")
    func bounds() async throws {
        var queue = EventQueue()
        let at = Date(timeIntervalSince1970: 1)
        for number in 0..<600 {
            queue.add(TrackedEvent(kind: .event, customerIDs: [:], name: "e\(number)", properties: [:], at: at))
        }
        #expect(queue.count == EventQueue.maxCount)
        #expect(queue.next(after: 0)?.event.name == "e100")
        // An event that has given way meanwhile takes no other one with it.
        let continues = queue.sent(1, error: nil, maxTries: 5)
        #expect(continues)
        #expect(queue.count == EventQueue.maxCount)
        let fixture = Self.fixture()
        #expect(await failure { try await fixture.client.track("x") }?.code == .notInitialized)
        try await fixture.client.initialize(.none)
        let long: JSONValue = .string(String(repeating: "x", count: TrackedEvent.maxBytes))
        #expect(await failure { try await fixture.client.track("x", properties: ["x": long]) }?.code == .invalidRequest)
        #expect(await failure { try await fixture.client.track("") }?.code == .invalidRequest)
        #expect(await fixture.client.pendingEventCount == 0)
        let plain = Fixture()
        try await plain.client.initialize(.none)
        #expect(await failure { try await plain.client.track("x") }?.reason == "bloomreach")
        #expect(await failure { _ = try await plain.client.fetchAppInbox() }?.reason == "bloomreach")
        let wrong = Self.fixture { $0.bloomreach?.applicationID = "My App" }
        #expect(await failure { try await wrong.client.initialize(.none) }?.reason == "bloomreach.applicationID")
    }

    // MARK: The push token

    @Test("R156 R157 R158: a token is tracked when it changes; the one before is invalidated first")
    func token() async throws {
        let fixture = Self.fixture()
        let client = fixture.client
        try await client.initialize(.none)
        #expect(try await client.registerPush(Fixture.push) == .deferred)
        #expect(try await client.registerPush(Fixture.push) == .deferred)
        try await client.registerPush(.fcm("other"))
        try await client.setPushPermission(isGranted: false)
        await client.finishPendingWork()
        try await client.flushEvents()
        let restarted = fixture.restarted {
            $0.bloomreach = Self.settings()
            $0.appVersion = "2"
        }
        try await restarted.client.initialize(.none)
        try await restarted.client.registerPush(.fcm("other"))
        try await restarted.client.registerPush(.fcm("other"))
        try await restarted.client.flushEvents()
        let events = Self.events(fixture.gateway)
        #expect(events.allSatisfy { $0.type == "notification_state" })
        let states = events.map { event in
            ["push_notification_token", "platform", "description"].map { event.properties[$0]?.text ?? "" }
        }
        #expect(
            states == [
                ["00fc13", "ios", "Permission granted"], ["00fc13", "ios", "Invalidated"],
                ["other", "android", "Permission granted"], ["other", "android", "Permission denied"],
                ["other", "android", "Permission denied"],
            ]
        )
        #expect(events.map { $0.properties["valid"]?.flag } == [true, false, true, false, false])
        #expect(events.allSatisfy { $0.properties["application_id"] == "default-application" })
        let device = await restarted.client.deviceID
        #expect(events.allSatisfy { $0.properties["device_id"]?.text == device })
    }

    @Test(
        "R158: an unchanged token is tracked again never, daily, or at each launch; another application forces it",
        arguments: [(nil, 3), (.daily, 4), (.everyLaunch, 5)] as [(RenewalFrequency?, Int)]
    )
    func frequency(frequency: RenewalFrequency?, count: Int) async throws {
        let fixture = Self.fixture { if let frequency { $0.bloomreach?.tokenTracking = frequency } }
        try await fixture.client.initialize(.none)
        for _ in 0..<2 { try await fixture.client.registerPush(Fixture.push) }
        fixture.clock.jump(by: 86_400)
        try await fixture.client.registerPush(Fixture.push)
        try await fixture.client.flushEvents()
        let restarted = fixture.restarted {
            $0.bloomreach = Self.settings()
            $0.bloomreach?.applicationID = "com.example.app"
        }
        try await restarted.client.initialize(.none)
        try await restarted.client.registerPush(Fixture.push)
        try await restarted.client.flushEvents()
        let events = Self.events(fixture.gateway)
        #expect(events.count == count)
        #expect(events.suffix(2).map { $0.properties["description"]?.text } == ["Invalidated", "Permission granted"])
    }

    @Test("R155 R157: anonymize invalidates the token of the old customer, and tracks it for the new one")
    func anonymize() async throws {
        let fixture = Self.fixture()
        let client = fixture.client
        fixture.gateway.addToInbox(["id": "m-1", "type": "push", "content": [:]])
        try await client.initialize(.none)
        try await client.identifyCustomer("customer-one", properties: ["name": "Ann"])
        try await client.registerPush(Fixture.push)
        #expect(try await client.fetchAppInbox().count == 1)
        await client.finishPendingWork()
        try await client.anonymize()
        await client.finishPendingWork()
        #expect(try await client.fetchAppInbox().count == 1)
        let events = fixture.gateway.calls("POST events")
        #expect(events.map { $0.body["properties"]?["valid"]?.flag } == [true, false, true])
        let ids = events.map { $0.body["customer_ids"] ?? .null }
        #expect(ids.map { $0["registered"]?.text } == ["customer-one", "customer-one", nil])
        #expect(ids[0]["cookie"] == ids[1]["cookie"])
        #expect(ids[1]["cookie"] != ids[2]["cookie"])
        let fetches = fixture.gateway.calls("POST fetch").map(\.body)
        #expect(fetches.map { $0["sync_token"]?.text } == [nil, nil])
        #expect(fetches.last?["customer_ids"] == ids[2])
        #expect(!fixture.storage.text.contains("customer-one"))
    }

    @Test("R79 R83: a logout ends the token first; without the gateway it fails, and the forced one does not")
    func logout() async throws {
        let fixture = Self.fixture { $0.retry.logout = RetryPolicy(delays: [.seconds(1)]) }
        try await fixture.client.initialize(.none)
        try await fixture.client.identifyCustomer("customer-one")
        try await fixture.client.registerPush(Fixture.push)
        await fixture.client.finishPendingWork()
        fixture.gateway.failAll(from: 0, .drop)
        #expect(await failure { try await fixture.client.logout() }?.code == .connectivity)
        #expect(fixture.storage.text.contains("customer-one"))
        try await fixture.client.logout(isForced: true)
        #expect(!fixture.storage.text.contains("customer-one"))
        fixture.gateway.heal()
        fixture.gateway.clearCalls()
        try await fixture.client.initialize(.none)
        try await fixture.client.registerPush(Fixture.push)
        await fixture.client.finishPendingWork()
        // A scope that keeps campaigns keeps the token.
        try await fixture.client.logout(.agent)
        #expect(Self.events(fixture.gateway).map { $0.properties["valid"]?.flag } == [true])
    }

    @Test("R155: another customer is named only after anonymize")
    func identify() async throws {
        let fixture = Self.fixture()
        try await fixture.client.initialize(.none)
        #expect(await failure { try await fixture.client.identifyCustomer("") }?.reason == "registered")
        try await fixture.client.identifyCustomer("customer-one", properties: ["name": "Ann"])
        try await fixture.client.identifyCustomer("customer-one")
        #expect(await failure { try await fixture.client.identifyCustomer("customer-two") }?.code == .conflict)
        await fixture.client.finishPendingWork()
        let customer = try #require(fixture.gateway.calls("POST customers").first?.body)
        #expect(customer["properties"] == ["name": "Ann"])
        #expect(customer["customer_ids"]?["registered"]?.text == "customer-one")
        #expect(customer["customer_ids"]?["cookie"]?.text?.isEmpty == false)
    }

    // MARK: Pushes

    @Test("R159 R160 R161: the arrival and the tap are events, the tap later than the arrival")
    func opened() async throws {
        let fixture = Self.fixture()
        let client = fixture.client
        try await client.initialize(.none)
        let payload = Self.push([
            "url": "https://x.example/a", "attributes": ["campaign_id": "ca-1", "sent_timestamp": 1_767_323_050],
            "url_params": ["utm_source": "br"],
            "actions": [["title": "Buy", "url": "https://x.example/b"], ["url": "x"]],
        ])
        let message = try #require(await client.handlePush(payload, showNotification: true))
        // A repetition is no second arrival.
        await client.handlePush(payload, showNotification: true)
        try await client.trackOpened(message)
        let button = try #require(message.actions.first)
        try await client.trackOpened(message, action: button)
        try await client.flushEvents()
        let events = Self.events(fixture.gateway)
        #expect(events.map(\.type) == ["campaign", "campaign", "campaign"])
        #expect(events.map { $0.properties["status"]?.text } == ["delivered", "clicked", "clicked"])
        #expect(events.map { $0.properties["state"]?.text } == ["shown", nil, nil])
        #expect(events.map { $0.properties["cta"]?.text } == [nil, "notification", "Buy"])
        #expect(events.map { $0.properties["url"]?.text } == [nil, "https://x.example/a", "https://x.example/b"])
        #expect(events.allSatisfy { $0.properties["campaign_id"] == "ca-1" && $0.properties["utm_source"] == "br" })
        let times = fixture.gateway.calls("POST events").compactMap { $0.body["timestamp"]?.numberValue }
        #expect(times == [1_767_323_051, 1_767_323_052, 1_767_323_052])
    }

    @Test("R160: the tap of a push without a link opened the app; a silent push arrives, and is never opened")
    func silent() async throws {
        let fixture = Self.fixture()
        let client = fixture.client
        try await client.initialize(.none)
        let plain = try #require(await client.handlePush(Self.push([:]), showNotification: false))
        try await client.trackOpened(plain)
        let payload = Self.push(["notification_id": 2, "silent": true])
        let silent = try #require(await client.handlePush(payload, showNotification: true))
        try await client.trackOpened(silent)
        try await client.flushEvents()
        let events = Self.events(fixture.gateway)
        #expect(events.map { $0.properties["status"]?.text } == ["delivered", "clicked", "delivered"])
        #expect(events.map { $0.properties["state"]?.text } == ["not_shown", nil, "not_shown"])
        #expect(events[1].properties["url"]?.text == "app")
    }

    @Test("R159: without consent nothing is tracked, unless the link of the action forces it")
    func consent() async throws {
        let fixture = Self.fixture()
        let client = fixture.client
        try await client.initialize(.none)
        let payload = Self.push([
            "has_tracking_consent": false,
            "actions": [["title": "Buy", "url": "https://x.example/?xnpe_force_track=true"]],
        ])
        let message = try #require(await client.handlePush(payload, showNotification: true))
        try await client.trackOpened(message)
        #expect(await client.pendingEventCount == 0)
        let button = try #require(message.actions.first)
        try await client.trackOpened(message, action: button)
        fixture.gateway.addToInbox([
            "id": "m-1", "type": "html",
            "content": ["has_tracking_consent": false, "attributes": ["campaign_id": "c"]],
        ])
        let item = try #require(await client.fetchAppInbox().first)
        try await client.trackInbox(item)
        try await client.trackInbox(item, button: "Go", url: "https://x.example/?xnpe_force_track=true")
        try await client.flushEvents()
        let events = Self.events(fixture.gateway)
        #expect(events.map { $0.properties["status"]?.text } == ["clicked", "clicked"])
        #expect(events.allSatisfy { $0.properties["tracking_forced"] == true })
        #expect(events.last?.properties["action_type"] == "app inbox")
        #expect(events.last?.properties["cta"] == "Go")
        #expect(events.last?.properties["campaign_id"] == "c")
    }

    @Test("R159 R163: a push that arrives before the initialisation is tracked after it")
    func early() async throws {
        let fixture = Self.fixture()
        try await fixture.client.initialize(.none)
        let restarted = fixture.restarted {
            $0.bloomreach = Self.settings()
            $0.dialects = [.bloomreach]
        }
        await restarted.client.handlePush(Self.push([:]), showNotification: false)
        await restarted.client.finishPendingWork()
        #expect(fixture.gateway.calls.isEmpty)
        try await restarted.client.initialize(.none)
        await restarted.client.finishPendingWork()
        #expect(Self.events(fixture.gateway).map(\.type) == ["campaign"])
    }

    // MARK: Inbox and consents

    @Test("R165 trap 33: items of two kinds; a read mark has the sync token and the customer of its item")
    func inbox() async throws {
        let fixture = Self.fixture()
        let client = fixture.client
        try await client.initialize(.none)
        fixture.gateway.addToInbox([
            "id": "m-1", "type": "push", "is_read": false, "create_time": 1.5, "content": ["title": "One"],
        ])
        let first = try #require(await client.fetchAppInbox().first)
        #expect(first.kind == .push)
        #expect(first.content["title"] == "One")
        fixture.gateway.addToInbox(
            ["id": "m-2", "type": "html", "is_read": true, "create_time": 2.5, "expire_time": 9_999_999_999],
            ["id": "m-3", "type": "video"],
            ["id": "m-4", "type": "html", "create_time": 3.5, "expire_time": 1_767_323_044.5]
        )
        let items = try await client.fetchAppInbox()
        #expect(items.map(\.id) == ["m-2", "m-1"])
        #expect(items.map(\.isRead) == [true, false])
        try await client.identifyCustomer("customer-one")
        try await client.markAppInboxRead(first)
        let calls = fixture.gateway.calls("POST fetch").map(\.body)
        #expect(calls.map { $0["sync_token"]?.text } == [nil, "sync-1"])
        let mark = try #require(fixture.gateway.calls("POST markasread").first?.body)
        #expect(mark["message_ids"] == ["m-1"])
        #expect(mark["sync_token"]?.text == "sync-1")
        #expect(mark["customer_ids"] == calls[0]["customer_ids"])
        #expect(mark["customer_ids"]?["registered"] == nil)
        // The other customer's inbox begins again.
        _ = try await client.fetchAppInbox()
        #expect(fixture.gateway.calls("POST fetch").last?.body["sync_token"] == nil)
    }

    @Test("a read mark is seen in the next list; a sync token that is gone fetches everything")
    func syncToken() async throws {
        let fixture = Self.fixture()
        try await fixture.client.initialize(.none)
        fixture.gateway.addToInbox(["id": "m-1", "type": "push"])
        let item = try #require(await fixture.client.fetchAppInbox().first)
        try await fixture.client.markAppInboxRead(item)
        #expect(try await fixture.client.fetchAppInbox().map(\.isRead) == [true])
        fixture.gateway.fail("POST fetch", .problem(410, "gone"))
        #expect(try await fixture.client.fetchAppInbox().map(\.isRead) == [false])
        let tokens = fixture.gateway.calls("POST fetch").map { $0.body["sync_token"]?.text }
        #expect(tokens == [nil, "sync-1", "sync-1", nil])
        fixture.gateway.fail("POST fetch", .empty(200))
        #expect(await failure { _ = try await fixture.client.fetchAppInbox() }?.code == .malformedResponse)
    }

    @Test("trap 23: a response for the ids of before is dropped, and the inbox of the new ones is fetched")
    func otherIDs() async throws {
        let named = Locked<SwitchboardClient?>(nil)
        let fixture = Fixture {
            $0.bloomreach = Self.settings(
                .instance {
                    Provider {
                        // The customer is named while the first request is under way.
                        let client = named.withLock { client in
                            defer { client = nil }
                            return client
                        }
                        try await client?.identifyCustomer("customer-one")
                        return "token"
                    }
                }
            )
        }
        named.withLock { $0 = fixture.client }
        fixture.gateway.addToInbox(["id": "m-1", "type": "push"])
        try await fixture.client.initialize(.none)
        let items = try await fixture.client.fetchAppInbox()
        #expect(items.map { $0.customerIDs["registered"] } == ["customer-one"])
        let calls = fixture.gateway.calls("POST fetch").map(\.body)
        #expect(calls.map { $0["customer_ids"]?["registered"]?.text } == [nil, "customer-one"])
        #expect(calls.map { $0["sync_token"]?.text } == [nil, nil])
    }

    @Test("R148 R149 R150 trap 22: each request asks; without a token it is not sent, and other calls use the API key")
    func customerTokens() async throws {
        let tokens = Locked<[String?]>(["a", "b", "c", nil])
        let fixture = Fixture {
            $0.bloomreach = Self.settings(
                .instance { Provider { tokens.withLock { $0.isEmpty ? nil : $0.removeFirst() } } }
            )
        }
        fixture.gateway.addToInbox(["id": "m-1", "type": "push"])
        try await fixture.client.initialize(.none)
        fixture.gateway.fail("POST fetch", .problem(503, "overloaded"))
        let item = try #require(await fixture.client.fetchAppInbox().first)
        try await fixture.client.markAppInboxRead(item)
        #expect(await failure { _ = try await fixture.client.fetchAppInbox() }?.code == .unauthorized)
        #expect(
            fixture.gateway.calls.map { $0.request.headers["Authorization"] } == ["Bearer a", "Bearer b", "Bearer c"]
        )
        try await fixture.client.track("event")
        await fixture.client.finishPendingWork()
        #expect(fixture.gateway.calls.last?.request.headers["Authorization"] == "Token key")
    }

    @Test("the categories of consents are read, and a consent is an event")
    func consents() async throws {
        let fixture = Self.fixture()
        try await fixture.client.initialize(.none)
        let categories = try await fixture.client.consentCategories()
        #expect(categories.map(\.id) == ["news"])
        #expect(categories.first?.sources == ["crm": true, "page": false])
        #expect(categories.first?.translations == ["en": ["name": "News"]])
        try await fixture.client.setConsent("news", isGiven: true)
        try await fixture.client.setConsent("news", isGiven: false)
        try await fixture.client.flushEvents()
        let events = Self.events(fixture.gateway)
        #expect(events.map(\.type) == ["consent", "consent"])
        #expect(events.map { $0.properties["action"]?.text } == ["accept", "reject"])
        #expect(events.allSatisfy { $0.properties["category"] == "news" })
    }

    // MARK: Self-check

    private static let probe = push(["action": "self-check", "silent": true])

    @Test("R164 trap 29: a self-check waits for the silent push, which counts nowhere")
    func selfCheck() async throws {
        let fixture = Self.fixture(clock: TestClock { _ in false })
        let client = fixture.client
        try await client.initialize(.none)
        try await client.registerPush(Fixture.push)
        await client.finishPendingWork()
        async let running = client.selfCheckPush()
        while fixture.gateway.calls("POST send-self-check-notification").isEmpty { await Task.yield() }
        #expect(await failure { _ = try await client.selfCheckPush() }?.code == .conflict)
        await client.handlePush(Self.probe, showNotification: true)
        let result = try await running
        #expect(result == SelfCheckResult(failedStep: nil, error: nil))
        let body = try #require(fixture.gateway.calls("POST send-self-check-notification").first?.body)
        #expect(body["platform"] == "ios")
        #expect(body["push_notification_id"] == "00fc13")
        #expect(body["customer_ids"]?["cookie"] != nil)
        await client.finishPendingWork()
        #expect(Self.events(fixture.gateway).map(\.type) == ["notification_state"])
        #expect(await client.lastUnreadCount == nil)
    }

    @Test("R164: a self-check names the step that failed", arguments: SelfCheckResult.Step.allCases)
    func selfCheckFails(step: SelfCheckResult.Step) async throws {
        // Waits of five seconds are over at once.
        let fixture = Self.fixture()
        try await fixture.client.initialize(.none)
        if step != .token {
            try await fixture.client.registerPush(Fixture.push)
            await fixture.client.finishPendingWork()
        }
        if step == .events {
            fixture.gateway.failAll(from: 0, .drop)
            try await fixture.client.track("waits")
            await fixture.client.finishPendingWork()
        }
        if step == .request { fixture.gateway.fail("POST send-self-check-notification", .problem(403, "forbidden")) }
        let result = try await fixture.client.selfCheckPush()
        #expect(result.failedStep == step)
        #expect(result.error?.code == (step == .request ? .forbidden : .connectivity))
    }

    @Test("R164: a token that is registered during a self-check continues it; only builds for debugging have one")
    func selfCheckToken() async throws {
        let fixture = Self.fixture(clock: TestClock { _ in false })
        let client = fixture.client
        try await client.initialize(.none)
        async let running = client.selfCheckPush()
        while await client.selfCheckSignal == nil { await Task.yield() }
        try await client.registerPush(Fixture.push)
        while fixture.gateway.calls("POST send-self-check-notification").isEmpty { await Task.yield() }
        await client.handlePush(Self.probe, showNotification: true)
        let result = try await running
        #expect(result.failedStep == nil)
        let release = Self.fixture { $0.bloomreach?.isSelfCheckEnabled = false }
        try await release.client.initialize(.none)
        #expect(await failure { _ = try await release.client.selfCheckPush() }?.code == .forbidden)
    }

    @Test("R164 trap 29: the gateway's own push of a self-check is recognised; one that was not sent is an error")
    func ownSelfCheck() async throws {
        let fixture = Self.fixture { $0.dialects = [.switchboard] }
        let client = fixture.client
        for text in [
            #"{"aps":{"content-available":1},"brandId":"acme","messageId":"s-1","data":{"action":"self-check"}}"#,
            #"{"silent":"true","brandId":"acme","messageId":"s-2","data":"{\"action\":\"self-check\"}"}"#,
        ] {
            #expect(client.parse(PushPayload(json: Data(text.utf8)))?.kind == .selfCheck)
        }
        try await client.initialize(.none)
        try await client.registerPush(Fixture.push)
        await client.finishPendingWork()
        let refused: JSONValue = ["success": false, "error": "The provider does not accept it."]
        fixture.gateway.fail("POST send-self-check-notification", .body(200, refused))
        let result = try await client.selfCheckPush()
        #expect(result.failedStep == .request)
        #expect(result.error?.message == "The provider does not accept it.")
        fixture.gateway.fail("POST categories", .body(401, ["success": false, "error": "No.", "code": "unauthorized"]))
        let error = await failure { _ = try await client.consentCategories() }
        #expect(error?.code == .authenticationFailed)
        #expect(error?.message == "No.")
    }
}

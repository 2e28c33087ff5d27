import GatewayModel
import GatewayStorage
import GuardedHTTP
import HTTPTypes
import Identity
import Logging
import Outbound
import PushSimulator
import Telemetry
import TestSupport
import Testing

@testable import GatewayHTTP

/// A gateway with the service that posts replies, and the simulated Chatwoot that gets them.
private struct ReplyFixture: Sendable {
    static let path = "/v1/brands/acme/hooks/desk"
    static let secret = "kx8wYq3vT1mZ5nB7"
    static let token = "hT4bQ9wLr2Vn8XyK"

    let api: API
    let simulator: PushSimulator
    let service: WebhookService
    let metrics: TestMetrics

    /// Runs a test with a hook of an account that has the conversations 10 and 11.
    static func with(_ test: @escaping @Sendable (ReplyFixture) async throws -> Void) async throws {
        try await TestGateway.run { api in
            let simulator = try await PushSimulator.start()
            simulator.chatwoot.register([ChatwootAccount(id: 1, token: token, conversations: [10, 11])])
            let metrics = TestMetrics()
            let service = WebhookService(
                store: api.store,
                directory: api.directory,
                makeSender: {
                    HTTPWebhookSender(
                        client: GuardedHTTPClient(
                            resolver: NoNames(),
                            policy: AddressPolicy(allowsLoopback: true),
                            maxIdle: 1
                        )
                    )
                },
                clock: api.clock,
                metrics: OutboundMetrics(factory: metrics.factory),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
            api.store.onOutbound { brand, _ in service.newItems(brand) }
            api.directory.onChange { _ in service.changed() }
            let fixture = ReplyFixture(api: api, simulator: simulator, service: service, metrics: metrics)
            let result: Result<Void, any Error>
            do {
                try await api.makeBrand()
                try #require(try await fixture.put().status == 201)
                result = .success(try await fixture.run(test))
            } catch { result = .failure(error) }
            await simulator.stop()
            try result.get()
        }
    }

    private func run(_ test: @escaping @Sendable (ReplyFixture) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            let result: Result<Void, any Error>
            do { result = .success(try await test(self)) } catch { result = .failure(error) }
            group.cancelAll()
            try await group.waitForAll()
            try result.get()
        }
    }

    /// Puts the hook, with an access token.
    func put(token: String = Self.token, _ id: String = "desk") async throws -> Reply {
        let url = "http://\(simulator.control.map { "\($0)" } ?? "")\(SimulatedChatwootAPI.path)"
        return try await api.call(
            .put,
            "/v1/brands/acme/hooks/\(id)",
            """
            {"kind":"chatwoot","secret":"\(Self.secret)","reply":{"url":"\(url)","accountId":1,"token":"\(token)"}}
            """
        )
    }

    /// Sends an agent's message in a conversation of Chatwoot.
    func receive(_ id: String, in conversation: Int64, consumer: String = "u-1", hook: String = "desk") async throws {
        let body = SimulatedChatwoot.message("Hello", to: consumer, in: conversation)
        let time = SimulatorTime(milliseconds: api.clock.now.milliseconds)
        var headers: HTTPFields = [:]
        for field in SimulatedChatwoot(secret: Self.secret).headers(of: body, delivery: id, at: time) {
            headers[try #require(HTTPField.Name(field.name))] = field.value
        }
        let reply = try await api.call(.post, "/v1/hooks/acme/\(hook)", as: .none, bytes: body, headers: headers)
        try #require(reply["accepted"]?.int == 1, "\(reply.text)")
    }

    /// Has a consumer write in a conversation.
    func write(_ text: String, in conversation: String, consumer: String = "u-1") async throws -> Reply {
        try await api.call(
            .post,
            "/v1/brands/acme/conversations/\(conversation)/messages?consumer=\(consumer)",
            #"{"clientId":"\#(text)","text":"\#(text)"}"#
        )
    }

    func state() async throws -> Reply { try await api.call(.get, Self.path + "/reply") }

    /// Waits until the state is as expected.
    func until(_ holds: (Reply) -> Bool, _ location: SourceLocation = #_sourceLocation) async throws -> Reply {
        try await api.until({ try await state() }, holds: holds, location)
    }

    /// The messages in Chatwoot: conversation, text and `echo_id` of each.
    var taken: [String] { simulator.chatwoot.messages.map { "\($0.conversation) \($0.content) \($0.echoID)" } }

    func posts(_ result: String) -> Double? { metrics.value("switchboard_reply_posts_total{result=\"\(result)\"}") }
}

@Suite("Consumers' messages go back to Chatwoot", .timeLimit(.minutes(10)))
struct HookReplyTests {
    @Test("those of the hook's conversations, in order, each once; what Chatwoot reports of them is no event")
    func inOrder() async throws {
        try await ReplyFixture.with { f in
            try await f.receive("d-1", in: 10)
            try await f.api.post("e-1", conversation: "10")
            for (text, conversation) in [("one", "desk:10"), ("no", "10"), ("two", "desk:10")] {
                #expect(try await f.write(text, in: conversation).status == 201)
            }
            // Apps cannot name conversations: another consumer does not get into this one.
            #expect(try await f.write("mine", in: "desk:10", consumer: "u-2").status == 404)
            #expect(try await f.write("mine", in: "desk:11").status == 404)
            let state = try await f.until { $0["position"]?.int == 5 }
            #expect(f.taken == ["10 one 3", "10 two 5"])
            let url = try #require(state["url"]?.string)
            #expect(
                try state.json()
                    == JSON(
                        """
                        {"url":"\(url)","state":"working","position":5,"lag":0,"keptAfter":0,"attempts":0,\
                        "lastTriedAt":"\(f.api.clock.now.rfc3339)","lastStatus":200,"lastError":null,"nextTryAt":null}
                        """
                    )
            )
            #expect(f.posts("taken") == 2 && f.posts("skipped") == 0)
            let report = String(decoding: SimulatedChatwoot.message("one", to: "u-1", in: 10), as: UTF8.self)
                .replacing(#""message_type":"outgoing""#, with: #""message_type":"incoming""#)
            let body = #"{"headers":{},"body":\#(report)}"#
            let tried = try await f.api.call(.post, ReplyFixture.path + "/try", body)
            #expect(tried["ignored"]?["reason"]?.string == "not_outgoing", "\(tried.text)")
        }
    }

    @Test("a conversation that Chatwoot does not have any more is skipped, and the others continue")
    func skipped() async throws {
        try await ReplyFixture.with { f in
            try await f.receive("d-1", in: 12)
            #expect(try await f.write("lost", in: "desk:12").status == 201)
            let skipped = try await f.until { $0["lastError"]?.string == "skipped" }
            #expect(skipped["lastStatus"]?.int == 404 && skipped["state"]?.string == "working")
            #expect(skipped["position"]?.int == 2 && f.taken.isEmpty)
            try await f.receive("d-2", in: 11)
            #expect(try await f.write("kept", in: "desk:11").status == 201)
            let after = try await f.until { $0["position"]?.int == 4 }
            #expect(after["lastError"] == .null && f.taken == ["11 kept 4"])
            #expect(f.posts("taken") == 1 && f.posts("skipped") == 1)
        }
    }

    @Test("a token that is not accepted keeps the messages, until the hook is put with another")
    func wrongToken() async throws {
        try await ReplyFixture.with { f in
            #expect(try await f.put(token: "another").status == 200)
            try await f.receive("d-1", in: 10)
            for text in ["one", "two"] { #expect(try await f.write(text, in: "desk:10").status == 201) }
            let failing = try await f.until { $0["attempts"]?.int == 1 }
            #expect(failing["state"]?.string == "failing" && failing["lastStatus"]?.int == 401)
            #expect(failing["lastError"]?.string == "refused" && failing["nextTryAt"] != .null)
            #expect(try await f.put().status == 200)
            _ = try await f.until { $0["position"]?.int == 3 }
            #expect(f.taken == ["10 one 2", "10 two 3"] && f.posts("refused") == 1)
        }
    }

    @Test("a message whose response was lost is posted again, with the same echo_id, before the next")
    func again() async throws {
        try await ReplyFixture.with { f in
            f.simulator.setRules([.init(match: .init(provider: .chatwoot), action: .init(status: 503))])
            try await f.receive("d-1", in: 10)
            for text in ["one", "two"] { #expect(try await f.write(text, in: "desk:10").status == 201) }
            _ = try await f.until { $0["attempts"]?.int == 1 }
            f.simulator.setRules([])
            f.api.clock.advance(seconds: 2)
            f.service.changed()
            _ = try await f.until { $0["position"]?.int == 3 }
            #expect(f.taken == ["10 one 2", "10 one 2", "10 two 3"])
        }
    }

    @Test("each hook has its own conversations and its own mark, and ends alone")
    func apart() async throws {
        try await ReplyFixture.with { f in
            #expect(try await f.put("desk.2").status == 201)
            try await f.receive("d-1", in: 10)
            try await f.receive("d-1", in: 10, hook: "desk.2")
            #expect(try await f.write("first", in: "desk:10").status == 201)
            _ = try await f.until { $0["position"]?.int == 3 }
            #expect(try await f.api.call(.delete, ReplyFixture.path).status == 204)
            #expect(try await f.write("nowhere", in: "desk:10").status == 201)
            #expect(try await f.write("second", in: "desk.2:10").status == 201)
            _ = try await f.api.until {
                try await f.api.call(.get, "/v1/brands/acme/hooks/desk.2/reply")
            } holds: {
                $0["position"]?.int == 5
            }
            #expect(f.taken == ["10 first 3", "10 second 5"])
            try await f.state().expectProblem(404, "not_found")
        }
    }

    @Test("the token is never returned, and only administrators of the brand read the state")
    func access() async throws {
        try await ReplyFixture.with { f in
            let read = try await f.api.call(.get, ReplyFixture.path)
            #expect(read["reply"]?.names == ["url", "accountId", "tokenFingerprint"])
            #expect(read["reply"]?["tokenFingerprint"]?.string == SecretHash.fingerprint(ReplyFixture.token))
            let trail = try await f.api.call(.get, "/v1/brands/acme/audit")
            for text in [read.text, try await f.state().text, trail.text] {
                #expect(!text.contains(ReplyFixture.token))
            }
            #expect(trail.text.contains("reply.token"))
            let state = ReplyFixture.path + "/reply"
            let weak = try await f.api.makeAccount("acme", "events:read", "deliveries:read")
            try await f.api.call(.get, state, as: weak).expectProblem(403, "forbidden")
            let admin = try await f.api.makeAccount("acme", "brand:admin")
            #expect(try await f.api.call(.get, state, as: admin).status == 200)
            let without = #"{"kind":"chatwoot","secret":"\#(ReplyFixture.secret)"}"#
            #expect(try await f.api.call(.put, ReplyFixture.path, without).status == 200)
            try await f.state().expectProblem(404, "not_found")
        }
    }
}

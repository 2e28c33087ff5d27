import GatewayModel
import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Engagements", .timeLimit(.minutes(10)))
struct EngagementRouteTests {
    private static let path = "/v1/brands/acme/engagements"
    private static let conversations = "/v1/brands/acme/conversations"
    private static let offers = """
        [{"id":"de","campaignId":"c-1","entryPoints":["sec://sales","lang://de"],"skill":"sales-de","language":"de"},
        {"id":"web","campaignId":"c-1","entryPoints":[],"app":"web","skill":"any"},
        {"id":"sales","campaignId":"c-2","entryPoints":["sec://sales"],"skill":"sales","surveyId":"s-1"}]
        """

    private static func ask(_ api: API, _ more: String, app: String = "ios") async throws -> Reply {
        try await api.call(.post, path, as: .none, #"{"app":"\#(app)",\#(more)}"#)
    }

    private static func make(_ api: API, _ offers: String = offers) async throws {
        try await api.makeWiredBrand("acme", #","engagements":\#(offers)"#)
    }

    private static func claim(_ details: JSON?, client: String = "o-1") throws -> String {
        let details = try #require(details)
        let members = ["campaignId", "engagementId", "contextId"].map { "\"\($0)\":\(details[$0]?.text ?? "null")" }
        return #"{"clientId":"\#(client)","engagement":{\#(members.joined(separator: ","))}}"#
    }

    @Test("the first engagement of this app whose entry points are all named is offered (R116, R117)")
    func offered() async throws {
        try await TestGateway.run { api in
            try await Self.make(api)
            let german = try await Self.ask(api, #""entryPoints":["lang://de","x","sec://sales"]"#)
            #expect(german.status == 201)
            #expect(try german.json().names == ["pageId", "sessionId", "visitorId", "engagementDetails"])
            let details = try #require(german["engagementDetails"])
            #expect(details.names == ["campaignId", "engagementId", "contextId", "skill", "language", "status"])
            #expect(details["engagementId"]?.string == "de" && details["skill"]?.string == "sales-de")
            #expect(details["status"]?.string == "expose")
            let english = try await Self.ask(
                api,
                #""entryPoints":["sec://sales","lang://en"],"sessionId":"s","visitorId":"v""#
            )
            #expect(english.status == 200)
            #expect(english["sessionId"]?.string == "s" && english["visitorId"]?.string == "v")
            #expect(english["engagementDetails"]?["engagementId"]?.string == "sales")
            #expect(english["engagementDetails"]?["surveyId"]?.string == "s-1")
            #expect(
                try await Self.ask(api, #""entryPoints":[]"#, app: "web")["engagementDetails"]?["skill"]?.string
                    == "any"
            )
            for none in [#"[]"#, #"["lang://de"]"#, #"["SEC://sales"]"#] {
                let nothing = try await Self.ask(api, #""entryPoints":\#(none)"#)
                #expect(nothing.status == 201)
                #expect(try nothing.json().names == ["pageId", "sessionId", "visitorId"])
            }
        }
    }

    @Test("R78: a development build is offered what names its own app id, and what names the released app's")
    func development() async throws {
        try await TestGateway.run { api in
            try await Self.make(
                api,
                #"""
                [{"id":"dev","campaignId":"c-1","entryPoints":["dev"],"app":"ios-Dev","skill":"s"},
                {"id":"ios","campaignId":"c-1","entryPoints":[],"app":"ios","skill":"s"}]
                """#
            )
            let cases: [(app: String, points: String, id: String?)] = [
                ("ios-Dev", "dev", "dev"), ("ios-Dev", "other", "ios"), ("ios", "dev", "ios"), ("web-Dev", "dev", nil),
            ]
            for (app, points, id) in cases {
                let reply = try await Self.ask(api, #""entryPoints":["\#(points)"]"#, app: app)
                #expect(reply["engagementDetails"]?["engagementId"]?.string == id, "\(app) \(points)")
            }
        }
    }

    @Test("an identity is verified, and the active conversation of its consumer is returned (R118, R119)")
    func identity() async throws {
        try await TestGateway.run { api in
            try await Self.make(api)
            let key = try await api.call(
                .post,
                "/v1/brands/acme/credentials",
                #"{"kind":"jweKey","name":"login","algorithm":"ECDH-ES"}"#
            )
            let pem = try #require(key["publicKey"]?.string)
            let kid = try #require(key["id"]?.string)
            func ask(_ token: String) async throws -> Reply {
                try await Self.ask(api, #""entryPoints":["sec://sales"],"identity":"\#(token)""#)
            }
            let jws = api.token(api.claims(#","iss":"acme","identifier":"u-1""#))
            let token = try TestJWE.sealed(jws, for: pem, kid: kid)
            let before = try await api.dump()
            let unknown = try await ask(token)
            #expect(unknown["engagementDetails"]?["status"]?.string == "expose", "\(unknown.text)")
            // A request alone does not create a consumer.
            #expect(try await api.dump() == before)
            try await api.post("1", conversation: "c-7")
            let known = try await ask(token)
            #expect(known["engagementDetails"]?["status"]?.string == "conversation")
            #expect(known["engagementDetails"]?["conversationId"]?.string == "c-7")
            try await api.post("2", conversation: "c-7", type: "conversation.resolved")
            #expect(try await ask(token)["engagementDetails"]?["conversationId"] == nil)

            let forged = api.token(
                api.claims(#","iss":"acme","identifier":"u-1""#),
                key: String(repeating: "x", count: 64)
            )
            try await ask(TestJWE.sealed(forged, for: pem, kid: kid)).expectProblem(401, "token_invalid")
            let old = api.token(api.claims(#","iss":"acme","identifier":"u-1""#, age: 7200))
            try await ask(TestJWE.sealed(old, for: pem, kid: kid)).expectProblem(401, "token_expired")
            try await ask("a.b.c.d.e").expectProblem(401, "token_invalid")

            // An offer to one consumer is not valid for another.
            let session = try await api.makeSession("u-2")
            let foreign = try await api.call(
                .post,
                Self.conversations,
                as: session,
                Self.claim(known["engagementDetails"])
            )
            foreign.expectProblem(422, "invalid_request")
            #expect(foreign.pointers == ["/engagement/contextId"])

            // A consumer that was merged since is offered as the one that it was merged into.
            try await api.post("3", consumer: "u-5", conversation: "c-5")
            try await api.post("4", consumer: "u-5", conversation: "c-5", type: "conversation.resolved")
            let merge = #"{"mergeFrom":"u-1"}"#
            #expect(try await api.call(.patch, "/v1/brands/acme/consumers/u-5", merge).status == 200)
            let moved = try Self.claim(try await ask(token)["engagementDetails"])
            let now = try await api.makeSession("u-5")
            #expect(try await api.call(.post, Self.conversations, as: now, moved).status == 201)
        }
    }

    @Test("R196: a session learns the active conversation, also where nothing is offered (R119)")
    func session() async throws {
        try await TestGateway.run { api in
            try await Self.make(api)
            let session = try await api.makeSession("u-1")
            func ask(_ points: String, as credential: Credential) async throws -> Reply {
                try await api.call(.post, Self.path, as: credential, #"{"app":"ios","entryPoints":[\#(points)]}"#)
            }
            let before = try await ask(#""sec://sales""#, as: session)
            #expect(before["engagementDetails"]?["status"]?.string == "expose" && before["conversation"] == nil)
            try await api.post("1", conversation: "c-7")
            let offered = try await ask(#""sec://sales""#, as: session)
            #expect(offered["engagementDetails"]?["status"]?.string == "conversation")
            #expect(offered["engagementDetails"]?["conversationId"]?.string == "c-7")
            let nothing = try await ask("", as: session)
            #expect(try nothing.json().names == ["pageId", "sessionId", "visitorId", "conversation"])
            #expect(nothing["conversation"] == (try JSON(#"{"id":"c-7","state":"active"}"#)))
            let stranger = try await api.makeSession("u-2")
            for other in [Credential.none, .admin, stranger] {
                #expect(try await ask("", as: other).json().names == ["pageId", "sessionId", "visitorId"])
            }
            // The offer is the session's consumer's.
            let claim = try Self.claim(before["engagementDetails"])
            let foreign = try await api.call(.post, Self.conversations, as: stranger, claim)
            foreign.expectProblem(422, "invalid_request")
            try await ask("", as: .bearer("abc")).expectProblem(401, "token_invalid")
            api.clock.advance(seconds: 3600)
            try await ask("", as: session).expectProblem(401, "token_expired")
        }
    }

    @Test("R196: a plain identity is accepted and learns nothing of anybody")
    func plainIdentity() async throws {
        try await TestGateway.run { api in
            try await Self.make(api)
            try await api.post("1", conversation: "resumed-7")
            let jws = api.token(api.claims(#","iss":"acme","identifier":"u-1""#))
            for identity in ["u-1", "nobody", "", jws] {
                let reply = try await Self.ask(api, #""entryPoints":["sec://sales"],"identity":"\#(identity)""#)
                #expect(reply.status == 201, "\(reply.text)")
                #expect(reply["engagementDetails"]?["status"]?.string == "expose" && reply["conversation"] == nil)
                #expect(!reply.text.contains("resumed-7"))
            }
        }
    }

    @Test("a new conversation is reported with the offer; a stale or foreign offer routes nothing (R120, R121)")
    func routing() async throws {
        try await TestGateway.run { api in
            try await Self.make(api)
            let feed = "/v1/brands/acme/outbound/crm"
            _ = try await api.call(.get, feed)
            func opened() async throws -> [JSON] {
                try await api.call(.get, feed + "?types=conversation.opened")["items"]?.items ?? []
            }
            let session = try await api.makeSession()
            let offer = try await Self.ask(api, #""entryPoints":["sec://sales"]"#)["engagementDetails"]
            let good = try Self.claim(offer)
            for (wrong, pointer) in [
                (good.replacing("sales", with: "de"), "/engagement/contextId"),
                (good.replacing("c-2", with: "c-1"), "/engagement/contextId"),
                (#"{"clientId":"o-1","engagement":{}}"#, "/engagement/campaignId"),
                (#"{"clientId":"o-1","engagement":[]}"#, "/engagement"),
            ] {
                let refused = try await api.call(.post, Self.conversations, as: session, wrong)
                refused.expectProblem(422, "invalid_request")
                #expect(refused.pointers.first == pointer, "\(wrong)")
            }
            try await api.makeWiredBrand("other", #","engagements":\#(Self.offers)"#)
            let others = try await api.call(
                .post,
                "/v1/brands/other/engagements",
                as: .none,
                #"{"app":"ios","entryPoints":["sec://sales"]}"#
            )
            let foreign = try Self.claim(others["engagementDetails"])
            try await api.call(.post, Self.conversations, as: session, foreign).expectProblem(422, "invalid_request")
            api.clock.advance(seconds: EngagementSeal.lifetimeSeconds + 1)
            let later = try await api.makeSession()
            try await api.call(.post, Self.conversations, as: later, good).expectProblem(410, "gone")
            #expect(try await opened().isEmpty)

            let fresh = try Self.claim(try await Self.ask(api, #""entryPoints":["sec://sales"]"#)["engagementDetails"])
            #expect(try await api.call(.post, Self.conversations, as: later, fresh).status == 201)
            #expect(try await api.call(.post, Self.conversations, as: later, fresh).status == 200)
            let reported = try await opened()
            #expect(reported.count == 1)
            let engagement = try #require(reported.first?["data"]?["engagement"])
            #expect(engagement["skill"]?.string == "sales" && engagement["surveyId"]?.string == "s-1")
            #expect(engagement.names == ["campaignId", "engagementId", "skill", "surveyId"])
            // The brand changes the engagement: the previous offer is no longer valid.
            let changed =
                #"{"settings":{"engagements":[{"id":"sales","campaignId":"c-2","entryPoints":[],"skill":"new"}]}}"#
            #expect(try await api.call(.patch, "/v1/brands/acme", changed).status == 200)
            try await api.call(.post, Self.conversations, as: later, fresh).expectProblem(410, "gone")
            #expect(try await api.call(.patch, "/v1/brands/acme", #"{"settings":{"engagements":null}}"#).status == 200)
            try await api.call(.post, Self.conversations, as: later, fresh).expectProblem(410, "gone")
        }
    }

    @Test("invalid requests and settings are rejected with the member's name")
    func refused() async throws {
        try await TestGateway.run { api in
            try await Self.make(api)
            let long = String(repeating: "x", count: 1025)
            for (body, pointers) in [
                ("{}", ["/app", "/entryPoints"]), (#"{"app":"a b","entryPoints":{}}"#, ["/app", "/entryPoints"]),
                (
                    #"{"app":"ios","entryPoints":[1,"","\#(long)"]}"#,
                    ["/entryPoints/0", "/entryPoints/1", "/entryPoints/2"]
                ),
                (#"{"app":"ios","entryPoints":[],"identity":5,"skill":"x"}"#, ["/identity", "/skill"]),
                (#"{"app":"ios","entryPoints":[],"visitorId":"","sessionId":[]}"#, ["/visitorId", "/sessionId"]),
            ] {
                let refused = try await api.call(.post, Self.path, as: .none, body)
                refused.expectProblem(422, "invalid_request")
                #expect(refused.pointers == pointers, "\(body.prefix(80))")
            }
            try await api.call(.post, "/v1/brands/nobody/engagements", as: .none, #"{"app":"ios","entryPoints":[]}"#)
                .expectProblem(404, "not_found")
            let one = #"{"id":"a","campaignId":"c","entryPoints":[],"skill":"s"}"#
            for (setting, pointers) in [
                ("{}", ["/settings/engagements"]), ("[\(one),\(one)]", ["/settings/engagements/1/id"]),
                (
                    #"[{"id":"","entryPoints":[""],"app":"a b","surveyID":"x"}]"#,
                    [
                        "/settings/engagements/0/id", "/settings/engagements/0/campaignId",
                        "/settings/engagements/0/entryPoints/0", "/settings/engagements/0/app",
                        "/settings/engagements/0/skill", "/settings/engagements/0/surveyID",
                    ]
                ),
                ("[" + Array(repeating: one, count: 101).joined(separator: ",") + "]", ["/settings/engagements"]),
            ] {
                let refused = try await api.call(
                    .patch,
                    "/v1/brands/acme",
                    #"{"settings":{"engagements":\#(setting)}}"#
                )
                refused.expectProblem(422, "invalid_request")
                #expect(refused.pointers == pointers, "\(setting.prefix(80))")
            }
            let shown = try await api.call(.get, "/v1/brands/acme")
            #expect(shown["settings"]?["engagements"]?.items.map { $0["id"]?.string } == ["de", "web", "sales"])
        }
    }

    @Test("callers that exceed the rate limit are slowed down by address")
    func limited() async throws {
        let limits = ServerLimits(rates: RateLimits(addressPerSecond: 1))
        try await TestGateway.run(.live, limits: limits) { api in
            try await Self.make(api)
            var statuses: [Int] = []
            for _ in 0...RateLimits.burstSeconds {
                let reply = try await api.call(
                    .post,
                    Self.path,
                    as: .none,
                    #"{"app":"ios","entryPoints":[]}"#,
                    headers: [.xForwardedFor: "203.0.113.9"]
                )
                statuses.append(reply.status)
            }
            #expect(statuses.filter { $0 == 201 }.count == RateLimits.burstSeconds && statuses.last == 429)
        }
    }
}

import GatewayModel
import HTTPTypes
import PushSimulator
import Telemetry
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("The Talkdesk adaptor", .timeLimit(.minutes(10)))
struct TalkdeskRouteTests {
    private typealias Fixture = TalkdeskFixture

    @Test("R168, R178, R204: both forms have a token of Talkdesk, a new one each time, for the app or for its user")
    func forms() async throws {
        let metrics = TestMetrics()
        try await Fixture.with(metrics: metrics) { fixture in
            let broker = try await fixture.makeBroker()
            var tokens: Set<String> = []
            for credential in [broker, try await fixture.api.makeSession()] {
                let reply = try await fixture.get(as: credential)
                #expect(reply.status == 200 && reply.text.hasPrefix("ey."), "\(reply.text)")
                #expect(reply.headers[.contentType] == "text/plain; charset=utf-8")
                #expect(reply.headers[.cacheControl] == "no-store")
                tokens.insert(reply.text)
            }
            // A development build belongs to the same app, and a body does not matter.
            for body in [nil, "not json"] {
                let reply = try await fixture.api.call(.post, Fixture.path + "-Dev", as: broker, body)
                #expect(reply.status == 201, "\(reply.text)")
                #expect(try reply.json().names == ["auth_token"])
                #expect(reply.headers[.contentType] == "application/json")
                tokens.insert(try #require(reply["auth_token"]?.string))
            }
            #expect(tokens.count == 4 && fixture.asked == 4)
        }
        #expect(metrics.value(#"switchboard_access_tokens_total{result="granted"}"#) == 4)
    }

    @Test("R178, R188: callers without the app's credential get 401, other apps and an adaptor that is off 404")
    func callers() async throws {
        try await Fixture.with { fixture in
            let api = fixture.api
            let broker = try await fixture.makeBroker()
            try await api.makeBrand("other", settings: #"{"wire":{"talkdesk":true}}"#)
            let strangers = [try await fixture.makeBroker("other"), try await api.makeSession(brand: "other")]
            guard case .basic(let id, let secret) = broker else {
                Issue.record("a credential of another kind")
                return
            }
            let account = try await api.makeAccount("acme", "brand:admin")
            for credential in [
                Credential.none, .raw("Basic"), .raw("Basic !"), .raw("Digest x"), .basic(id, "wrong"), .basic(id, ""),
                .basic("brk_nobody", secret), .bearer("x"), .admin, account,
            ] + strangers {
                let got = try await fixture.get(as: credential)
                #expect(got.status == 401 && got["error"]?["code"]?.string != nil, "\(credential): \(got.text)")
                #expect(try await fixture.post(as: credential).status == 401, "\(credential)")
            }
            let session = try await api.makeSession()
            try await fixture.post(as: session).expectEnvelope(401, "unauthorized")
            #expect(try await fixture.get(as: broker, "/v1/brands/nope/access/ios").status == 401)
            let body = #"{"platform":"ios","apns":\#(API.apns)}"#
            #expect(try await api.call(.put, "/v1/brands/acme/apps/second", body).status == 201)
            for app in ["second", "nope", "%20"] {
                let path = "/v1/brands/acme/access/\(app)"
                try await fixture.get(as: broker, path).expectEnvelope(404, "not_found")
                try await fixture.post(as: broker, path).expectEnvelope(404, "not_found")
                try await fixture.get(as: session, path).expectEnvelope(404, "not_found")
            }
            let off = #"{"settings":{"wire":{"talkdesk":false}}}"#
            #expect(try await api.call(.patch, "/v1/brands/acme", off).status == 200)
            try await fixture.get(as: broker).expectEnvelope(404, "not_found")
            try await fixture.get(as: session).expectEnvelope(404, "not_found")
            try await fixture.get(as: .none).expectEnvelope(401, "unauthorized")
            #expect(fixture.asked == 0)
        }
    }

    @Test("an anonymous consumer gets no token")
    func anonymous() async throws {
        try await Fixture.with { fixture in
            _ = try await fixture.makeBroker()
            let made = try await fixture.api.call(
                .post,
                "/v1/brands/acme/sessions",
                as: .none,
                #"{"grant":"anonymous"}"#
            )
            let session = Credential.bearer(try #require(made["sessionToken"]?.string))
            try await fixture.get(as: session).expectEnvelope(403, "forbidden", "anonymous")
            #expect(fixture.asked == 0)
        }
    }

    @Test("R169, R203: the brand decides about each token, and the app gets the reason of a denial")
    func decision() async throws {
        let metrics = TestMetrics()
        try await Fixture.with(metrics: metrics) { fixture in
            let broker = try await fixture.makeBroker(decides: true)
            let granted = try await fixture.get(as: try await fixture.api.makeSession("u-7"))
            #expect(granted.status == 200 && fixture.asked == 2, "\(granted.text)")
            #expect(try await fixture.post(as: broker).status == 201)
            let questions = fixture.simulator.talkdesk.questions
            #expect(questions.count == 2)
            for question in questions {
                #expect(question["type"]?.stringValue == "access.requested")
                #expect(question["time"]?.stringValue == fixture.api.clock.now.rfc3339)
                #expect(question["data"]?["app"]?.stringValue == "ios")
            }
            #expect(questions.map { $0["data"]?["consumer"]?.stringValue } == ["u-7", nil])
            let id = try #require(HTTPField.Name("X-Request-Id"))
            #expect(questions.first?["data"]?["requestId"]?.stringValue == granted.headers[id])
            let long = String(repeating: "é", count: 300)
            for (answer, reason) in [
                (#"{"allow":false,"reason":"no contract"}"#, "no contract"), (#"{"allow":false}"#, "denied"),
                (#"{"allow":false,"reason":""}"#, "denied"), (#"{"more":[],"reason":7,"allow":false}"#, "denied"),
                (#"{"allow":false,"reason":"\#(long)"}"#, String(long.prefix(256))),
            ] {
                fixture.rule(RuleAction(body: Array(answer.utf8)), "decision")
                let reply = try await fixture.get(as: broker)
                reply.expectEnvelope(403, "forbidden", reason)
                #expect(reply["error"]?["retryable"]?.bool == false)
            }
            #expect(fixture.asked == 9, "the token service was called after a denial")
        }
        #expect(metrics.value(#"switchboard_access_tokens_total{result="denied"}"#) == 5)
    }

    private static let failures: [(name: String, action: RuleAction)] = [
        ("500", RuleAction(status: 500)), ("503", RuleAction(status: 503, retryAfter: "5")),
        ("rejected", RuleAction(status: 401, reason: "invalid_client")), ("403", RuleAction(status: 403)),
        ("redirect", RuleAction(status: 302, location: "http://127.0.0.1:1/")), ("HTML", RuleAction(html: "x")),
        ("created", RuleAction(status: 201)), ("malformed", RuleAction(body: Array(#"{"access_token":"x""#.utf8))),
        ("empty", RuleAction(body: [])), ("array", RuleAction(body: Array("[]".utf8))),
        ("huge", RuleAction(body: Array((#"{"access_token":"\#(String(repeating: "x", count: 70_000))"}"#).utf8))),
    ]

    @Test("R171: a token service that fails is 502, not a denial", arguments: failures.map { $0.name })
    func unavailable(_ name: String) async throws {
        let metrics = TestMetrics()
        try await Fixture.with(metrics: metrics) { fixture in
            let broker = try await fixture.makeBroker()
            fixture.rule(try #require(Self.failures.first { $0.name == name }).action)
            try await Self.expectUnavailable(fixture, broker)
            fixture.simulator.setRules([])
            #expect(try await fixture.get(as: broker).status == 200)
        }
        #expect(metrics.value(#"switchboard_access_tokens_total{result="unavailable"}"#) == 2)
    }

    @Test(
        "a response of the token service without a bearer token in visible ASCII is 502",
        arguments: [
            "{}", #"{"access_token":""}"#, #"{"access_token":7}"#, #"{"access_token":null}"#, #"{"error":"x"}"#,
            #"{"access_token":"a b"}"#, #"{"access_token":"a\r\nb"}"#, #"{"access_token":"é"}"#,
            #"{"access_token":"a","access_token":"b"}"#, #"{"access_token":"a","token_type":"mac"}"#,
            #"{"access_token":"a","token_type":null}"#, #"{"access_token":"a","token_type":7}"#,
        ]
    )
    func wrongTokens(_ body: String) async throws {
        try await Fixture.with { fixture in
            let broker = try await fixture.makeBroker()
            fixture.rule(RuleAction(body: Array(body.utf8)))
            try await Self.expectUnavailable(fixture, broker)
        }
    }

    @Test("R170: nothing else of the response matters, and a slow one is awaited")
    func lenient() async throws {
        try await Fixture.with { fixture in
            let broker = try await fixture.makeBroker()
            for body in [
                #"{"access_token":"a"}"#, #"{"access_token":"a","token_type":"bEARER","expires_in":-1}"#,
                #"{"access_token":"a","token_type":"Bearer","expires_in":"soon","error":null}"#,
            ] {
                fixture.rule(RuleAction(delayMilliseconds: 200, body: Array(body.utf8)))
                #expect(try await fixture.get(as: broker).text == "a")
            }
        }
    }

    @Test("R171: a decider that does not answer as it should is 502, and no token is requested")
    func decider() async throws {
        try await Fixture.with { fixture in
            let broker = try await fixture.makeBroker(decides: true)
            let answers = ["", "{}", "[]", "true", #"{"allow":"true"}"#, #"{"allow":1}"#, #"{"allow":null}"#, "{"]
            let actions = Self.failures.map { $0.action } + answers.map { RuleAction(body: Array($0.utf8)) }
            for action in actions {
                fixture.rule(action, "decision")
                try await fixture.get(as: broker).expectEnvelope(502, "upstream_unavailable")
            }
            #expect(fixture.asked == actions.count)
        }
    }

    @Test("R171: services that hang, or have another key, are 502")
    func silent() async throws {
        try await Fixture.with { fixture in
            let broker = try await fixture.makeBroker(decides: true)
            fixture.rule(RuleAction(isSilent: true))
            try await fixture.get(as: broker).expectEnvelope(502, "upstream_unavailable")
            fixture.simulator.setRules([])
            let other = try await fixture.makeBroker(keyID: "k-2")
            try await fixture.get(as: other).expectEnvelope(502, "upstream_unavailable")
            #expect(try await fixture.get(as: broker).status == 200)
        }
    }

    @Test("R190: of two accounts the newest one that is valid serves sessions, and each its own callers")
    func rotation() async throws {
        try await Fixture.with { fixture in
            let session = try await fixture.api.makeSession()
            let old = try await fixture.makeBroker()
            fixture.api.clock.advance(seconds: 1)
            let end = fixture.api.clock.now.adding(seconds: 60).rfc3339
            let new = try await fixture.makeBroker(keyID: "k-2", #","expiresAt":"\#(end)""#)
            try await fixture.get(as: session).expectEnvelope(502, "upstream_unavailable")
            #expect(try await fixture.get(as: old).status == 200)
            fixture.api.clock.advance(seconds: 60)
            try await fixture.get(as: new).expectEnvelope(401, "unauthorized")
            #expect(try await fixture.get(as: session).status == 200)
            guard case .basic(let id, _) = old else {
                Issue.record("a credential of another kind")
                return
            }
            #expect(try await fixture.api.call(.delete, "/v1/brands/acme/credentials/\(id)").status == 204)
            try await fixture.get(as: old).expectEnvelope(401, "unauthorized")
            try await fixture.get(as: session).expectEnvelope(404, "not_found")
        }
    }

    /// Expects both forms to report a failure that may pass.
    private static func expectUnavailable(_ fixture: TalkdeskFixture, _ broker: Credential) async throws {
        for reply in [try await fixture.get(as: broker), try await fixture.post(as: broker)] {
            reply.expectEnvelope(502, "upstream_unavailable")
            #expect(reply["error"]?["retryable"]?.bool == true)
        }
    }
}

import GatewayModel
import HTTPTypes
import Identity
import PushSimulator
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Helpdesks' webhooks", .timeLimit(.minutes(10)))
struct HookRouteTests {
    private static let secret = "kx8wYq3vT1mZ5nB7"
    private static let path = "/v1/brands/acme/hooks/desk"
    private static let url = "/v1/hooks/acme/desk"
    private static let chatwoot = #"{"kind":"chatwoot","secret":"\#(secret)"}"#
    private static let message = SimulatedChatwoot.message("Your order has shipped", to: "u-1", in: 10)

    /// Runs a test with a brand that has a hook of Chatwoot.
    private static func with(_ test: @escaping @Sendable (API) async throws -> Void) async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await api.makeBrand("other")
            let made = try await api.call(.put, path, chatwoot)
            try #require(made.status == 201, "\(made.text)")
            try await test(api)
        }
    }

    private static func headers(_ body: [UInt8], _ id: String, _ api: API, secret: String = Self.secret) -> HTTPFields {
        let time = SimulatorTime(milliseconds: api.clock.now.milliseconds)
        let fields = SimulatedChatwoot(secret: secret).headers(of: body, delivery: id, at: time)
        return HTTPFields(
            fields.compactMap { field in
                HTTPField.Name(field.name).map { HTTPField(name: $0, value: field.value) }
            }
        )
    }

    /// Sends a webhook as Chatwoot does.
    private static func send(
        _ body: [UInt8],
        _ id: String,
        _ api: API,
        to url: String = Self.url,
        secret: String = Self.secret
    ) async throws -> Reply {
        let headers = headers(body, id, api, secret: secret)
        return try await api.call(.post, url, as: .none, bytes: body, headers: headers)
    }

    // MARK: Settings

    @Test("a hook is put, read, listed and deleted; its secret is never returned")
    func settings() async throws {
        try await Self.with { api in
            let read = try await api.call(.get, Self.path)
            #expect(read.status == 200 && !read.text.contains(Self.secret))
            #expect(try read.json().names == ["id", "kind", "path", "pathSecret", "secretFingerprint", "updatedAt"])
            #expect(read["path"]?.string == Self.url && read["pathSecret"]?.bool == false)
            #expect(read["secretFingerprint"]?.string == SecretHash.fingerprint(Self.secret))
            let again = try await api.call(.put, Self.path, Self.chatwoot)
            #expect(again.status == 200 && again.text == read.text && again.headers[.eTag] == read.headers[.eTag])
            let list = try await api.call(.get, "/v1/brands/acme/hooks")
            #expect(try list.json()["items"]?.items == [read.json()])
            let tag = try #require(read.headers[.eTag])
            let known = try await api.call(.get, Self.path, headers: [.ifNoneMatch: tag])
            #expect(known.status == 304)
            let outdated = try await api.call(.put, Self.path, Self.chatwoot, headers: [.ifMatch: "\"x\""])
            outdated.expectProblem(409, "conflict")
            #expect(try await api.call(.delete, Self.path).status == 204)
            for method in [HTTPRequest.Method.get, .delete] {
                try await api.call(method, Self.path).expectProblem(404, "not_found")
            }
            let audit = try await api.call(.get, "/v1/brands/acme/audit")
            let actions = try audit.json()["items"]?.items.compactMap { $0["action"]?.string } ?? []
            #expect(actions.filter { $0.hasPrefix("hook.") } == ["hook.deleted", "hook.changed", "hook.changed"])
            #expect(!audit.text.contains(Self.secret))
        }
    }

    @Test("only administrators of the brand manage its hooks")
    func scopes() async throws {
        try await Self.with { api in
            let weak = try await api.makeAccount("acme", "events:write", "deliveries:read")
            let admin = try await api.makeAccount("acme", "brand:admin")
            let stranger = try await api.makeAccount("other", "brand:admin")
            for (method, path, body) in [
                (HTTPRequest.Method.get, Self.path, nil), (.get, "/v1/brands/acme/hooks", nil),
                (.put, Self.path, Self.chatwoot), (.post, Self.path + "/try", #"{"body":{}}"#),
                (.delete, Self.path, nil),
            ] as [(HTTPRequest.Method, String, String?)] {
                try await api.call(method, path, as: weak, body).expectProblem(403, "forbidden")
                try await api.call(method, path, as: stranger, body).expectProblem(401, "unauthorized")
                #expect(try await api.call(method, path, as: admin, body).status < 300, "\(method) \(path)")
            }
        }
    }

    @Test(
        "invalid settings are rejected with the names of the members",
        arguments: [
            (#"{}"#, ["/kind", "/secret"]), (#"{"kind":"zendesk","pathSecret":true}"#, ["/kind"]),
            (#"{"kind":"chatwoot"}"#, ["/secret"]), (#"{"kind":"chatwoot","secret":"short"}"#, ["/secret"]),
            (#"{"kind":"chatwoot","pathSecret":true,"signatureHeader":"X-S"}"#, ["/secret", "/signatureHeader"]),
            (#"{"kind":"chatwoot","pathSecret":true,"mapping":{}}"#, ["/mapping"]),
            (
                #"{"kind":"chatwoot","pathSecret":true,"reply":{"url":"https://x.example","echo":1}}"#,
                ["/reply/accountId", "/reply/echo", "/reply/token"]
            ),
            (
                #"{"kind":"chatwoot","pathSecret":true,"reply":{"url":"http://x.example","accountId":0,"token":""}}"#,
                ["/reply/accountId", "/reply/token", "/reply/url"]
            ),
            (
                #"{"kind":"chatwoot","pathSecret":true,"reply":{"url":"https://10.0.0.1","accountId":1,"token":"a\nb"}}"#,
                ["/reply/token", "/reply/url"]
            ),
            (
                #"{"kind":"chatwoot","pathSecret":true,"reply":{"url":"https://x.example/?a","accountId":1,"token":"t"}}"#,
                ["/reply/url"]
            ),
            (
                """
                {"kind":"generic","pathSecret":true,"reply":{"url":"https://x.example","accountId":1,"token":"t"},\
                "mapping":{"event":{"type":"agent.typing","consumer":"u"}}}
                """,
                ["/reply"]
            ),
            (#"{"kind":"chatwoot","pathSecret":true,"secert":"x"}"#, ["/secert"]),
            (#"{"kind":"generic","pathSecret":true}"#, ["/mapping"]),
            (
                #"{"kind":"generic","secret":"kx8wYq3vT1mZ5nB7","mapping":{"event":{"type":"agent.typing","consumer":"u"}}}"#,
                ["/secret"]
            ),
            (
                """
                {"kind":"generic","secret":"kx8wYq3vT1mZ5nB7","signatureHeader":"X S",\
                "mapping":{"event":{"type":"agent.typing","consumer":"u"}}}
                """,
                ["/signatureHeader"]
            ),
        ] as [(String, [String])]
    )
    func invalid(body: String, pointers: [String]) async throws {
        try await Self.with { api in
            let reply = try await api.call(.put, "/v1/brands/acme/hooks/new", body)
            reply.expectProblem(422, "invalid_request")
            #expect(reply.pointers.sorted() == pointers, "\(reply.text)")
            #expect(try await api.call(.get, "/v1/brands/acme/hooks/new").status == 404)
        }
    }

    // MARK: Chatwoot

    @Test("after one PUT a message in Chatwoot is a push; the same delivery again is a duplicate")
    func push() async throws {
        try await Self.with { api in
            _ = try await api.register("d-1", as: try await api.makeSession("u-1", device: "d-1"))
            let reply = try await Self.send(Self.message, "d-1", api)
            #expect(reply.status == 202 && reply["accepted"]?.int == 1, "\(reply.text)")
            let result = try #require(reply["results"]?[0])
            #expect(result["conversation"]?.string == "desk:10" && result["unread"]?.int == 1)
            #expect(result["deliveries"]?.int == 1)
            let again = try await Self.send(Self.message, "d-1", api)
            #expect(again.status == 202 && again["duplicates"]?.int == 1 && again["accepted"]?.int == 0)
            #expect(again["results"]?[0]?["messageId"] == result["messageId"])
            let sent = try await api.until {
                try await api.call(.get, "/v1/brands/acme/deliveries?state=accepted")
            } holds: {
                $0["items"]?.items.count == 1
            }
            #expect(sent["items"]?[0]?["messageId"] == result["messageId"] && sent["items"]?[0]?["badge"]?.int == 1)
            let messages = try await api.call(.get, "/v1/brands/acme/messages?consumer=u-1&conversation=desk:10")
            #expect(messages["items"]?[0]?["text"]?.string == "Your order has shipped", "\(messages.text)")
        }
    }

    @Test("a note among agents is answered with the reason why it is ignored, and stores nothing")
    func privateNote() async throws {
        try await Self.with { api in
            let before = try await api.dump()
            let note = SimulatedChatwoot.message("call her back", to: "u-1", in: 10, isPrivate: true)
            let reply = try await Self.send(note, "d-1", api)
            #expect(reply.status == 202 && reply["accepted"]?.int == 0 && reply["results"]?.items.isEmpty == true)
            #expect(reply["ignored"]?["reason"]?.string == "private_note")
            let nobody = SimulatedChatwoot.message("hello", to: nil, in: 10)
            let unknown = try await Self.send(nobody, "d-2", api)
            #expect(unknown.status == 202 && unknown["ignored"]?["reason"]?.string == "no_identity")
            #expect(try await api.dump() == before)
        }
    }

    @Test("an unsigned, wrongly signed or outdated webhook is rejected, and stores nothing")
    func signatures() async throws {
        try await Self.with { api in
            let before = try await api.dump()
            let body = Self.message
            let good = Self.headers(body, "d-1", api)
            try await api.call(.post, Self.url, as: .none, bytes: body).expectProblem(401, "unauthorized")
            try await Self.send(body, "d-1", api, secret: Self.secret + "x").expectProblem(401, "unauthorized")
            try await api.call(.post, Self.url, as: .none, bytes: body + [0x20], headers: good)
                .expectProblem(401, "unauthorized")
            for url in ["/v1/hooks/acme/none", "/v1/hooks/none/desk", "/v1/hooks/other/desk", Self.url + "/x"] {
                try await Self.send(body, "d-1", api, to: url).expectProblem(401, "unauthorized")
            }
            #expect(try await api.dump() == before)
            api.clock.advance(seconds: 301)
            try await api.call(.post, Self.url, as: .none, bytes: body, headers: good)
                .expectProblem(401, "token_expired")
        }
    }

    @Test("a signed body that is no JSON, or too long, is rejected")
    func bodies() async throws {
        try await Self.with { api in
            try await Self.send(Array("{".utf8), "d-1", api).expectProblem(400, "invalid_request")
            try await Self.send([], "d-1", api).expectProblem(400, "invalid_request")
            let long = [UInt8](repeating: 0x20, count: Call.maxBodyBytes + 1)
            try await Self.send(long, "d-1", api).expectProblem(413, "payload_too_large")
            let id = String(repeating: "d", count: 257)
            let reply = try await Self.send(Self.message, id, api)
            reply.expectProblem(422, "invalid_request")
            #expect(reply.pointers == ["/id"])
        }
    }

    @Test("a Chatwoot that does not sign has a path that nobody can guess, shown once")
    func pathSecret() async throws {
        try await Self.with { api in
            let put = { try await api.call(.put, Self.path, #"{"kind":"chatwoot","pathSecret":true}"#) }
            let made = try await put()
            let url = try #require(made["path"]?.string)
            #expect(url.hasPrefix(Self.url + "/") && url.utf8.count == Self.url.utf8.count + 44)
            let read = try await api.call(.get, Self.path)
            #expect(read["path"]?.string == Self.url && read["pathSecret"]?.bool == true)
            #expect(try await put().text == read.text, "the path stays")
            let post = { (url: String) in try await api.call(.post, url, as: .none, bytes: Self.message) }
            try await post(Self.url).expectProblem(401, "unauthorized")
            try await post(url + "x").expectProblem(401, "unauthorized")
            let accepted = try await post(url)
            #expect(accepted.status == 202 && accepted["accepted"]?.int == 1, "\(accepted.text)")
            #expect(try await post(url)["duplicates"]?.int == 1, "the same body is the same event")
        }
    }

    @Test("with both, the path and the signature must be right")
    func both() async throws {
        try await Self.with { api in
            let body = #"{"kind":"chatwoot","pathSecret":true,"secret":"\#(Self.secret)"}"#
            let url = try #require(try await api.call(.put, Self.path, body)["path"]?.string)
            try await api.call(.post, url, as: .none, bytes: Self.message).expectProblem(401, "unauthorized")
            try await Self.send(Self.message, "d-1", api).expectProblem(401, "unauthorized")
            #expect(try await Self.send(Self.message, "d-1", api, to: url).status == 202)
        }
    }

    @Test("attempts with a wrong secret are limited by address, and then not even a right one is verified")
    func limited() async throws {
        let limits = ServerLimits(rates: RateLimits(addressPerSecond: 1))
        try await TestGateway.run(.live, limits: limits) { api in
            try await api.makeBrand()
            try #require(try await api.call(.put, Self.path, Self.chatwoot).status == 201)
            func send(from address: String, secret: String) async throws -> Reply {
                var headers = Self.headers(Self.message, "d-1", api, secret: secret)
                headers[.xForwardedFor] = address
                return try await api.call(.post, Self.url, as: .none, bytes: Self.message, headers: headers)
            }
            for _ in 0..<5 { #expect(try await send(from: "203.0.113.9", secret: "wrong-secret-0001").status == 401) }
            for secret in ["wrong-secret-0001", Self.secret] {
                try await send(from: "203.0.113.9", secret: secret).expectProblem(429, "rate_limited")
            }
            #expect(try await send(from: "203.0.113.10", secret: Self.secret).status == 202)
        }
    }

    // MARK: Any other helpdesk

    @Test("any JSON becomes an event by its mapping, signed as Standard Webhooks or in a header of its own")
    func generic() async throws {
        try await Self.with { api in
            let key = WebhookSecret()
            let mapping = """
                {"filter":{"/type":"reply"},"event":{"type":"agent.message","consumer":{"pointer":"/ticket/user"},\
                "conversation":{"pointer":"/ticket/id"},"text":{"pointer":"/body"},\
                "data":{"ticket":{"pointer":"/ticket"}}}}
                """
            let put = #"{"kind":"generic","secret":"\#(key.text)","mapping":\#(mapping)}"#
            #expect(try await api.call(.put, Self.path, put).status == 200)
            let read = try await api.call(.get, Self.path)
            #expect(try read.json()["mapping"] == JSON(mapping))
            func post(_ body: String, _ id: String = "m-1") async throws -> Reply {
                let bytes = Array(body.utf8)
                var headers: HTTPFields = [:]
                for (name, value) in [
                    ("webhook-id", id), ("webhook-timestamp", String(api.clock.now.seconds)),
                    ("webhook-signature", key.signature(of: bytes, id: id, at: api.clock.now)),
                ] {
                    headers[try #require(HTTPField.Name(name))] = value
                }
                return try await api.call(
                    .post,
                    Self.url,
                    as: .none,
                    bytes: bytes,
                    type: "text/plain",
                    headers: headers
                )
            }
            let body = #"{"type":"reply","ticket":{"id":17,"user":"u-1","note":"a\nb"},"body":"Hello"}"#
            let accepted = try await post(body)
            #expect(accepted["accepted"]?.int == 1, "\(accepted.text)")
            #expect(accepted["results"]?[0]?["id"]?.string == "m-1")
            #expect(accepted["results"]?[0]?["conversation"]?.string == "17")
            #expect(try await post(body)["duplicates"]?.int == 1)
            let turned = try await post(body.replacing(#""id":17,"user":"u-1""#, with: #""user":"u-1","id":17"#))
            #expect(turned["duplicates"]?.int == 1, "data is the same in any order of its members: \(turned.text)")
            let stored = try await api.call(.get, "/v1/brands/acme/consumers/u-1/export").text
            let data = #"{"ticket":{"id":17,"note":"a\u000ab","user":"u-1"}}"#
            #expect(stored.contains(data), "data is stored in one way: \(stored)")
            let other = try await post(body.replacing("reply", with: "note"), "m-2")
            #expect(other.status == 202 && other["ignored"]?["reason"]?.string == "filter")
            let nowhere = try await post(body.replacing("\"user\"", with: "\"usr\""), "m-3")
            nowhere.expectProblem(422, "invalid_request")
            #expect(nowhere.pointers == ["/consumer"] && nowhere.text.contains("/ticket/user"))
        }
    }

    // MARK: Trial

    @Test("a trial shows the event, or the reason why there is none, and stores nothing")
    func trial() async throws {
        try await Self.with { api in
            let before = try await api.dump()
            func attempt(_ body: String, _ headers: HTTPFields = [:]) async throws -> JSON {
                let names = headers.map { #""\#($0.name.rawName)":"\#($0.value)""# }.joined(separator: ",")
                let reply = try await api.call(
                    .post,
                    Self.path + "/try",
                    #"{"headers":{\#(names)},"body":\#(body)}"#
                )
                #expect(reply.status == 200, "\(reply.text)")
                return try reply.json()
            }
            let text = String(decoding: Self.message, as: UTF8.self)
            let quoted = JSON.string(text).text
            let whole = try await attempt(quoted, Self.headers(Self.message, "d-1", api))
            #expect(whole["signature"]?.string == "valid" && whole["errors"]?.items.isEmpty == true)
            #expect(whole["event"]?["id"]?.string == "d-1" && whole["event"]?["consumer"]?.string == "u-1")
            #expect(whole["ignored"] == .null)
            let wrong = try await attempt(quoted, Self.headers([], "d-1", api))
            #expect(wrong["signature"]?.string == "wrong" && wrong["event"] != .null)
            #expect(try await attempt(quoted)["signature"]?.string == "missing")
            let json = try await attempt(text)
            #expect(json["signature"]?.string == "not_checked" && json["event"]?["text"] != nil)
            let note = SimulatedChatwoot.message("note", to: "u-1", in: 10, isPrivate: true)
            let ignored = try await attempt(String(decoding: note, as: UTF8.self))
            #expect(ignored["event"] == .null && ignored["ignored"]?["reason"]?.string == "private_note")
            let long = text.replacing("\"u-1\"", with: "\"" + String(repeating: "u", count: 300) + "\"")
            let invalid = try await attempt(long)
            #expect(invalid["errors"]?[0]?["pointer"]?.string == "/consumer" && invalid["event"] != .null)
            #expect(try await attempt(#""{""#)["errors"]?.items.count == 1)
            #expect(try await api.dump() == before)
        }
    }

    @Test("the path's secret and message texts are never logged")
    func logged() async throws {
        let log = CapturedLog()
        try await TestGateway.run(logger: log.logger) { api in
            try await api.makeBrand()
            let made = try await api.call(.put, Self.path, #"{"kind":"chatwoot","pathSecret":true}"#)
            let url = try #require(made["path"]?.string)
            #expect(try await api.call(.post, url, as: .none, bytes: Self.message).status == 202)
            #expect(try await api.call(.post, url, as: .none, bytes: Array("{".utf8)).status == 400)
            let secret = try #require(url.split(separator: "/").last)
            #expect(log.text.contains("/v1/hooks/{brand}/{hook}/{pathSecret}"))
            #expect(!log.text.contains(secret) && !log.text.contains("order has shipped"))
        }
    }
}

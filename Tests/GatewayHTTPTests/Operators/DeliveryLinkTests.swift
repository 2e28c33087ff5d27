import GatewayModel
import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Links that show one delivery", .timeLimit(.minutes(10)))
struct DeliveryLinkTests {
    /// Occurs in no id and no other text.
    private static let planted = "planted-q7!"

    /// The provider rejects it.
    private static let pushToken = "bad0cafe5a5a1234bad0cafe5a5a1234"

    /// Runs a test with a delivery that the provider has rejected; its path ends with its number.
    private static func with(
        rates: RateLimits = .none,
        _ test: @escaping @Sendable (API, _ delivery: String) async throws -> Void
    ) async throws {
        try await TestGateway.run(.live, limits: ServerLimits(rates: rates)) { api in
            try await api.makeBrand()
            try await api.makeBrand("other")
            try #require(try await api.register("d-1", as: api.makeSession(), token: pushToken).status == 201)
            let text = planted
            let more = #","title":"\#(text)","agent":{"id":"a","nickname":"\#(text)"},"data":{"k":"\#(text)"}"#
            try await api.post("e-1", more: more)
            let list = try await api.until {
                try await api.call(.get, "/v1/brands/acme/deliveries?state=failed")
            } holds: {
                $0["items"]?.items.count == 1
            }
            try await test(api, "/brands/acme/deliveries/\(try #require(list["items"]?[0]?["id"]?.string))")
        }
    }

    private static func make(_ api: API, _ delivery: String, _ body: String = "{}") async throws -> Reply {
        let made = try await api.call(.post, "/v1\(delivery)/links", body)
        try #require(made.status == 201, "\(made.text)")
        return made
    }

    private static func token(_ made: Reply) throws -> String { try #require(made["token"]?.string) }

    @Test("a link shows its delivery without text to everybody, until it is revoked; both are audited")
    func life() async throws {
        try await Self.with { api, delivery in
            try await api.makeOperator("vera", "viewer@acme")
            let vera = try await api.signIn("vera")
            let made = try await api.call(.post, "/v1\(delivery)/links", of: vera, #"{"expiresInSeconds":3600}"#)
            #expect(made.status == 201)
            #expect(try made.json().names == ["id", "createdBy", "createdAt", "expiresAt", "token", "url"])
            #expect(made["expiresAt"]?.string == api.clock.now.adding(seconds: 3600).rfc3339)
            #expect(try made["createdBy"] == JSON(#"{"kind":"operator","id":"vera"}"#))
            let (token, id) = (try Self.token(made), try #require(made["id"]?.string))
            #expect(made["url"]?.string == "/console/links/\(token)")
            #expect(try await !api.dump().values.joined().contains(token))
            let list = try await api.call(.get, "/v1\(delivery)/links", of: vera)
            #expect(list["items"]?.items.map { $0["id"]?.string } == [id] && !list.text.contains("sbl_"))

            let shown = try await api.call(.get, "/v1/delivery-links/\(token)", as: .none)
            #expect(shown.status == 200 && shown.headers[.referrerPolicy] == "no-referrer")
            #expect(try shown.json().names == ["brand", "expiresAt", "delivery", "explanation"])
            #expect(shown["delivery"]?["consumer"]?.string == "u-1" && shown["brand"]?.string == "acme")
            #expect(shown["explanation"]?["code"]?.string == "failed")
            let page = try await api.open("/links/\(token)", of: nil)
            page.expectPage(200)
            #expect(page.headers[.referrerPolicy] == "no-referrer" && page.headers[.robotsTag] == "noindex")
            #expect(page.headers[.setCookie] == nil)
            #expect(page.text.contains("The provider rejected the push (400 TopicDisallowed)."))
            for part in [Self.planted, token, "<form", "/console/brands", Self.pushToken] {
                #expect(!page.text.contains(part) && !shown.text.contains(part), "\(part)")
            }

            let link = "/v1\(delivery)/links/\(id)"
            try await api.call(.delete, link, as: .none, headers: [.cookie: vera.cookie])
                .expectProblem(403, "forbidden")
            #expect(try await api.call(.delete, link, of: vera).status == 204)
            try await api.call(.delete, link, of: vera).expectProblem(404, "not_found")
            try await api.call(.get, "/v1/delivery-links/\(token)", as: .none).expectProblem(404, "not_found")
            let gone = try await api.open("/links/\(token)", of: nil)
            gone.expectPage(404)
            #expect(gone.headers[.referrerPolicy] == "no-referrer")
            let trail = try await api.call(.get, "/v1/brands/acme/audit?limit=2")["items"]?.items ?? []
            #expect(trail.map { $0["action"]?.string } == ["delivery_link.revoked", "delivery_link.created"])
            let number = try #require(delivery.split(separator: "/").last)
            for entry in trail {
                #expect(entry["target"]?.string == "\(number)/\(id)" && entry["actor"]?["id"]?.string == "vera")
            }
        }
    }

    @Test("a token that is no link's, or whose link or maker is gone, opens nothing")
    func ended() async throws {
        try await Self.with { api, delivery in
            let token = try Self.token(try await Self.make(api, delivery, #"{"expiresInSeconds":60}"#))
            func status(_ token: String) async throws -> Int {
                try await api.call(.get, "/v1/delivery-links/\(token)", as: .none).status
            }
            let (first, last) = (token.dropLast(), token.last == "A" ? "E" : "A")
            for wrong in [String(first), token + "A", first + last, "sbo_" + token.dropFirst(4), "%00", "x"] {
                #expect(try await status(wrong) == 404, "\(wrong)")
            }
            try await api.makeOperator("vera", "viewer@acme")
            let made = try await api.call(.post, "/v1\(delivery)/links", of: api.signIn("vera"), "{}")
            let other = try Self.token(made)
            #expect(made["expiresAt"]?.string == api.clock.now.adding(seconds: 86_400).rfc3339)
            #expect(try await status(token) == 200)
            #expect(try await status(other) == 200)
            #expect(try await api.call(.delete, "/v1/operators/vera").status == 204)
            #expect(try await status(other) == 404)
            api.clock.advance(seconds: 60)
            #expect(try await status(token) == 404)
            #expect(try await api.call(.get, "/v1\(delivery)/links")["items"]?.items.isEmpty == true)
            let third = try Self.token(try await Self.make(api, delivery))
            #expect(try await api.call(.delete, "/v1/brands/acme").status == 204)
            #expect(try await status(third) == 404)
        }
    }

    @Test("only who may see the delivery makes and revokes links, a few of them, for a day at most")
    func makers() async throws {
        try await Self.with { api, delivery in
            let made = try await Self.make(api, delivery)
            let id = try #require(made["id"]?.string)
            try await api.makeOperator("olga", "admin@other")
            let olga = try await api.signIn("olga")
            let stranger = try await api.makeAccount("acme", "events:write")
            for (method, path) in [
                (HTTPRequest.Method.post, "/links"), (.get, "/links"), (.delete, "/links/\(id)"),
            ] {
                let body = method == .post ? "{}" : nil
                try await api.call(method, "/v1\(delivery)\(path)", of: olga, body).expectProblem(404, "not_found")
                try await api.call(method, "/v1\(delivery)\(path)", as: stranger, body).expectProblem(403, "forbidden")
                let foreign = "/v1" + delivery.replacing("/acme/", with: "/other/") + path
                try await api.call(method, foreign, body).expectProblem(404, "not_found")
            }
            for unknown in ["/v1/brands/acme/deliveries/999999/links", "/v1/brands/acme/deliveries/x/links"] {
                try await api.call(.post, unknown, "{}").expectProblem(404, "not_found")
                try await api.call(.delete, "\(unknown)/\(id)").expectProblem(404, "not_found")
            }
            for seconds in ["59", "86401", "0", "-1", "1.5", #""60""#] {
                try await api.call(.post, "/v1\(delivery)/links", #"{"expiresInSeconds":\#(seconds)}"#)
                    .expectProblem(422, "invalid_request")
            }
            let reader = try await api.makeAccount("acme", "deliveries:read")
            for _ in 2...16 {
                #expect(try await api.call(.post, "/v1\(delivery)/links", as: reader, "{}").status == 201)
            }
            try await api.call(.post, "/v1\(delivery)/links", as: reader, "{}").expectProblem(409, "conflict")
            let first = try await api.call(.get, "/v1\(delivery)/links?limit=10", as: reader)
            let cursor = try #require(first["nextCursor"]?.string)
            let rest = try await api.call(.get, "/v1\(delivery)/links?limit=10&cursor=\(cursor)", as: reader)
            let all = [first, rest].flatMap { $0["items"]?.items ?? [] }.compactMap { $0["id"]?.string }
            #expect(all.count == 16 && all == Set(all).sorted())
            #expect(try await api.call(.delete, "/v1\(delivery)/links/\(id)", as: reader).status == 204)
            _ = try await Self.make(api, delivery)
        }
    }

    @Test("requests count for their address, also those of the page; over plain HTTP only this host opens a link")
    func limits() async throws {
        try await Self.with(rates: RateLimits(addressPerSecond: 1)) { api, delivery in
            let token = try Self.token(try await Self.make(api, delivery))
            func secure(_ address: String) -> HTTPFields { [.xForwardedFor: address, .xForwardedProto: "https"] }
            let path = "/v1/delivery-links/\(token)"
            for number in 1...5 {
                let wrong = "/delivery-links/\(number)"
                try await api.call(.get, "/v1" + wrong, as: .none, headers: secure("203.0.113.1"))
                    .expectProblem(404, "not_found")
                let page = try await api.open("/links/\(number)", of: nil, headers: secure("203.0.113.2"))
                page.expectPage(404)
            }
            for address in ["203.0.113.1", "203.0.113.2"] {
                let late = try await api.call(.get, path, as: .none, headers: secure(address))
                late.expectProblem(429, "rate_limited")
                let page = try await api.open("/links/\(token)", of: nil, headers: secure(address))
                page.expectPage(429)
                #expect(page.headers[.retryAfter] != nil)
            }
            #expect(try await api.call(.get, path, as: .none, headers: secure("203.0.113.3")).status == 200)
            try await api.call(.get, path, as: .none, headers: [.xForwardedFor: "203.0.113.4"])
                .expectProblem(403, "forbidden")
            #expect(try await api.call(.get, path, as: .none).status == 200)
        }
    }

    @Test("the delivery's page makes a link, shows it once, and revokes it")
    func page() async throws {
        try await Self.with { api, delivery in
            try await api.makeOperator("vera", "viewer@acme")
            let vera = try await api.signIn("vera")
            let before = try await api.open(delivery, of: vera)
            before.expectPage(200)
            #expect(before.text.contains(#"<button id="make-link">"#) && before.text.contains("Links: none."))
            try await api.submit(delivery + "/links", of: vera, csrf: "x").expectPage(403)
            let made = try await api.submit(delivery + "/links", of: vera)
            made.expectPage(200)
            let anchor = /<a id="link" href="\/console(\/links\/sbl_[^"]+)">/
            let path = try #require(made.text.firstMatch(of: anchor)?.output.1)
            let shown = try await api.open(String(path), of: nil)
            shown.expectPage(200)
            let after = try await api.open(delivery, of: vera)
            after.expectPage(200)
            #expect(!after.text.contains("sbl_"))
            let id = try #require(after.text.firstMatch(of: /<button id="revoke-([0-9a-f]{16})"/)?.output.1)
            let revoke = "\(delivery)/links/\(id)/revoke"
            try await api.submit(revoke, of: vera, csrf: "x").expectPage(403)
            try await api.submit(revoke, of: vera).expectRedirection(to: "/console" + delivery)
            try await api.open(String(path), of: nil).expectPage(404)
            try await api.submit(revoke, of: vera).expectPage(404)
        }
    }
}

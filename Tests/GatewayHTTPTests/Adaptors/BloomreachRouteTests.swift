import GatewayModel
import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Bloomreach: tracking and reading", .timeLimit(.minutes(10)))
struct BloomreachRouteTests {
    @Test("customers are created and changed, and events and clicks are published (R129, R131, R132, R133)")
    func tracks() async throws {
        try await BloomreachFixture.with { f in
            try #require(try await f.api.call(.get, "/v1/brands/acme/outbound/reader").status == 200)
            let made = try await f.customers(BloomreachFixture.customer, #"{"first_name":"Ann","vip":true}"#)
            #expect(made.status == 200 && made.text == #"{"success":true}"#)
            #expect(try await f.customers(BloomreachFixture.customer, #"{"vip":null,"age":7.5}"#).status == 200)
            let export = try await f.api.call(.get, "/v1/brands/acme/consumers/u-1/export")
            #expect(try export.json()["properties"] == JSON(#"{"age":7.5,"first_name":"Ann"}"#))
            #expect(try export.json()["consumer"]?["anonymous"]?.bool == false)

            let at = f.api.clock.now.seconds - 10
            let posted = try await f.post(
                "/track/v2/projects/acme/customers/events",
                """
                {"customer_ids":{"registered":"u-1"},"event_type":"purchase","timestamp":\(at).5,\
                "properties":{"total":12},"unknown":[1]}
                """
            )
            #expect(posted.text == #"{"success":true}"#)
            #expect(try await f.event("session_start").status == 200)
            let url = "https://x.example/?utm_source=mail&xnpe_cmp=a%20b&q=1#f"
            let click = #"{"url":"\#(url)","properties":{"platform":"ios"}}"#
            #expect(try await f.post("/track/v2/projects/acme/campaigns/clicks", click).status == 200)
            let items = try await f.feed()
            #expect(items.map { $0["type"]?.string } == Array(repeating: "consumer.event", count: 3))
            let data = items.compactMap { $0["data"] }
            try #require(data.count == 3)
            #expect(data[0]["consumer"]?.string == "u-1" && data[0]["event"]?.string == "purchase")
            #expect(data[0]["time"]?.string?.hasSuffix(".500Z") == true && data[0]["properties"]?["total"]?.int == 12)
            #expect(data[1]["event"]?.string == "session_start")
            #expect(data[2]["event"]?.string == "campaign_click" && data[2]["consumer"] == nil)
            let wanted = #"{"platform":"ios","url":"\#(url)","utm_source":"mail","xnpe_cmp":"a b"}"#
            #expect(try data[2]["properties"] == JSON(wanted))
        }
    }

    @Test("a body without an id, or with a wrong member, is 400 in Bloomreach's format, and nothing is stored")
    func invalid() async throws {
        try await BloomreachFixture.with { f in
            let before = try await f.api.dump()
            for body in [
                #"{"customer_ids":{}}"#, #"{"customer_ids":{"google":"x"}}"#, "{}", #"{"customer_ids":5}"#,
                #"{"customer_ids":{"registered":"u-1"},"properties":[]}"#,
                #"{"customer_ids":{"registered":"u-1"},"timestamp":"now"}"#,
                #"{"customer_ids":{"registered":"u-1"},"timestamp":1700000000000}"#,
            ] {
                let reply = try await f.post("/track/v2/projects/acme/customers", body)
                reply.expectBloomreach(400, "invalid_request")
                #expect(reply["errors"]?.items.first?.string != nil, "\(reply.text)")
            }
            let path = "/data/v2/projects/acme/customers/attributes"
            let wrong = try await f.post(
                path,
                #"{"customer_ids":{},"attributes":[{"type":"property","property":"a"},{"type":"nothing"}]}"#
            )
            wrong.expectBloomreach(400, "invalid_request")
            #expect(wrong["errors"]?.names == ["_global", "customer_ids", "attributes"], "\(wrong.text)")
            #expect(wrong["errors"]?["attributes"]?.names == ["1"])
            #expect(wrong["errors"]?["customer_ids"]?.items.count == 1)
            #expect(try await f.api.dump() == before)
        }
    }

    @Test("a missing, unknown or foreign key is 401, an unknown project 400, and no data is touched (R130)")
    func keys() async throws {
        try await BloomreachFixture.with { f in
            try await f.api.makeBrand("other", settings: #"{"wire":{"bloomreach":true}}"#)
            try await f.api.makeBrand("plain")
            let foreign = try await f.api.makeAPIKey("other")
            let account = try await f.api.makeAccount("acme", "brand:admin", "consumers:write")
            let before = try await f.api.dump()
            let body = #"{"customer_ids":{"registered":"u-1"}}"#
            for credential in [Credential.none, .raw("Token nothing"), .raw("Token"), foreign, account, .admin] {
                let reply = try await f.post("/track/v2/projects/acme/customers", body, as: credential)
                reply.expectBloomreach(401, "unauthorized")
            }
            // An adaptor that is off is as a project that does not exist.
            for project in ["nowhere", "plain", "%20"] {
                let reply = try await f.post("/track/v2/projects/\(project)/customers", body)
                reply.expectBloomreach(400, "invalid_request")
            }
            try await f.api.call(.get, "/v1/brands/acme/unread?consumer=u-1", as: f.key)
                .expectProblem(401, "unauthorized")
            #expect(try await f.api.dump() == before)
            let all = try await f.api.call(.get, "/v1/brands/acme/credentials?kind=apiKey")
            let id = try #require(all["items"]?[0]?["id"]?.string)
            #expect(try await f.customers().status == 200)
            #expect(try await f.api.call(.delete, "/v1/brands/acme/credentials/\(id)").status == 204)
            try await f.customers().expectBloomreach(401, "unauthorized")
        }
    }

    @Test("an API key has a rate limit for each address, and what exceeds it is not stored (R167)")
    func rates() async throws {
        let limits = ServerLimits(rates: RateLimits(addressPerSecond: 1))
        try await TestGateway.run(.live, limits: limits) { api in
            try await api.makeBrand(settings: #"{"wire":{"bloomreach":true}}"#)
            let key = try await api.makeAPIKey()
            func post(_ consumer: String, from address: String) async throws -> Reply {
                try await api.call(
                    .post,
                    "/track/v2/projects/acme/customers",
                    as: key,
                    #"{"customer_ids":{"registered":"\#(consumer)"}}"#,
                    headers: [.xForwardedFor: address]
                )
            }
            for _ in 0..<RateLimits.burstSeconds {
                #expect(try await post("u-1", from: "203.0.113.9").status == 200)
            }
            let refused = try await post("u-2", from: "203.0.113.9")
            refused.expectBloomreach(429, "rate_limited")
            #expect(refused.headers[.retryAfter] != nil)
            #expect(try await api.call(.get, "/v1/brands/acme/consumers/u-2").status == 404)
            #expect(try await post("u-3", from: "203.0.113.10").status == 200)
        }
    }

    @Test("attributes have one result each, in order; only what the brand allows is readable (R134)")
    func attributes() async throws {
        try await BloomreachFixture.with(#","readableProperties":["first_name","nothing"]"#) { f in
            let made = try await f.customers(BloomreachFixture.customer, #"{"first_name":"Ann","phone":"1"}"#)
            #expect(made.status == 200)
            let reply = try await f.post(
                "/data/v2/projects/acme/customers/attributes",
                """
                {"customer_ids":\(BloomreachFixture.customer),"attributes":[{"type":"property","property":"first_name"},\
                {"type":"property","property":"nothing"},{"type":"property","property":"phone"},\
                {"type":"id","id":"registered"},{"type":"id","id":"cookie"},{"type":"consent","category":"newsletter"},\
                {"type":"consent","category":"service"},{"type":"segmentation","id":"s"}]}
                """
            )
            #expect(reply.status == 200 && reply["success"]?.bool == true)
            let results = reply["results"]?.items ?? []
            #expect(results.map { $0["success"]?.bool } == [true, true, false, true, true, true, true, false])
            let values = results.map { $0["value"] }
            #expect(
                values == [
                    .string("Ann"), .null, nil, .string("u-1"), .array([.string("cookie-1")]), .bool(false),
                    .bool(true), nil,
                ]
            )
        }
    }

    @Test("consent categories are those of the brand, by POST and GET (R135)")
    func categories() async throws {
        try await BloomreachFixture.with { f in
            let path = "/data/v2/projects/acme/consent/categories"
            let reply = try await f.api.call(.get, path, as: f.key)
            #expect(reply.status == 200)
            let first = try #require(reply["results"]?[0])
            #expect(first["id"]?.string == "newsletter" && first["legitimate_interest"]?.bool == false)
            #expect(try first["translations"] == JSON(#"{"en":{"name":"News","description":null}}"#))
            #expect(first["sources"]?["public_api"]?.bool == true)
            #expect(reply["results"]?[1]?["legitimate_interest"]?.bool == true)
            #expect(try await f.post(path, "{}").text == reply.text)
        }
    }

    @Test("in-app messages are those for the platform and the consent; an unknown query is ignored (R136)")
    func inApp() async throws {
        try await BloomreachFixture.with { f in
            func put(_ id: String, _ more: String = "") async throws -> Reply {
                try await f.api.call(
                    .put,
                    "/v1/brands/acme/in-app-messages/\(id)",
                    """
                    {"message":{"name":"n","message_type":"modal","frequency":"always","trigger":{"event_type":"e"},\
                    "payload":{"title":"Hi"},"is_html":false}\(more)}
                    """
                )
            }
            #expect(try await put("all").status == 201)
            #expect(try await put("all").status == 200)
            #expect(try await put("android", #","platforms":["android"]"#).status == 201)
            #expect(try await put("news", #","consentCategory":"newsletter""#).status == 201)
            try await put("x", #","consentCategory":"unknown""#).expectProblem(422, "invalid_request")
            func fetch() async throws -> [JSON] {
                let body = #"{"customer_ids":\#(BloomreachFixture.customer),"device":"ios"}"#
                let reply = try await f.post("/webxp/s/acme/inappmessages?v=1&compatibility=3", body)
                #expect(reply.status == 200 && reply["success"]?.bool == true, "\(reply.text)")
                return reply["data"]?.items ?? []
            }
            let found = try await fetch()
            #expect(found.map { $0["id"]?.string } == ["all"])
            #expect(found.first?["payload"]?["title"]?.string == "Hi" && found.first?["is_html"]?.bool == false)
            #expect(try await f.event("consent", #"{"category":"newsletter","action":"accept"}"#).status == 200)
            #expect(try await fetch().map { $0["id"]?.string } == ["all", "news"])
            let listed = try await f.api.call(.get, "/v1/brands/acme/in-app-messages")
            #expect(listed["items"]?.items.map { $0["id"]?.string } == ["all", "android", "news"])
            #expect(try await f.api.call(.delete, "/v1/brands/acme/in-app-messages/all").status == 204)
            #expect(try await fetch().map { $0["id"]?.string } == ["news"])
        }
    }

    @Test("what a consumer does not consent to be tracked is not, unless its link forces it (R159)")
    func trackingConsent() async throws {
        try await BloomreachFixture.with { f in
            try #require(try await f.api.call(.get, "/v1/brands/acme/outbound/reader").status == 200)
            let refused = #"{"status":"clicked","has_tracking_consent":false,"url":"https://x.example/?a=1"}"#
            #expect(try await f.event("campaign", refused).status == 200)
            #expect(try await f.feed().isEmpty)
            let url = "https://x.example/?xnpe_force_track=true"
            let forced = #"{"status":"clicked","has_tracking_consent":false,"url":"\#(url)"}"#
            #expect(try await f.event("campaign", forced).status == 200)
            #expect(try await f.event("campaign", #"{"status":"delivered"}"#).status == 200)
            let items = try await f.feed().compactMap { $0["data"]?["properties"] }
            #expect(items.map { $0["tracking_forced"]?.bool } == [true, nil])
        }
    }

    @Test("a cookie alone is an anonymous consumer, whom both ids merge")
    func merges() async throws {
        try await BloomreachFixture.with { f in
            #expect(try await f.customers(#"{"cookie":"cookie-1"}"#, #"{"seen":1,"plan":"free"}"#).status == 200)
            let anonymous = try await f.api.call(.get, "/v1/brands/acme/consumers/cookie-1")
            #expect(anonymous["anonymous"]?.bool == true)
            #expect(try await f.put("i-1", of: "cookie-1").status == 201)
            #expect(try await f.customers(BloomreachFixture.customer, #"{"plan":"gold"}"#).status == 200)
            let export = try await f.api.call(.get, "/v1/brands/acme/consumers/cookie-1/export")
            #expect(try export.json()["consumer"]?["mergedIds"] == JSON(#"["cookie-1"]"#))
            #expect(try export.json()["properties"] == JSON(#"{"plan":"gold","seen":1}"#))
            #expect(try export.json()["inbox"]?[0]?["id"]?.string == "i-1")
            // An identified consumer is not merged, whoever names it as a cookie.
            #expect(try await f.customers(#"{"registered":"u-9","cookie":"u-1"}"#).status == 200)
            let kept = try await f.api.call(.get, "/v1/brands/acme/consumers/u-1")
            #expect(kept["id"]?.string == "u-1")
        }
    }
}

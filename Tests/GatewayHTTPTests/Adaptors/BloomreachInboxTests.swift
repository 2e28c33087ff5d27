import GatewayModel
import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Bloomreach: inbox and customer tokens", .timeLimit(.minutes(10)))
struct BloomreachInboxTests {
    private static let registered = #"{"registered":"u-1"}"#

    private static func ids(_ reply: Reply) -> [String] {
        reply["messages"]?.items.compactMap { $0["id"]?.string } ?? []
    }

    @Test("a fetch has everything, and later what has changed; marking is idempotent and the customer's (R137)")
    func fetch() async throws {
        try await BloomreachFixture.with { f in
            #expect(try await f.customers().status == 200)
            #expect(try await f.customers(#"{"registered":"u-2"}"#).status == 200)
            for item in ["i-1", "i-2"] { #expect(try await f.put(item).status == 201) }
            let all = try await f.fetch()
            #expect(all.status == 200 && all["success"]?.bool == true && Self.ids(all) == ["i-2", "i-1"])
            let first = try #require(all["messages"]?[0])
            #expect(first["type"]?.string == "html" && first["is_read"]?.bool == false)
            #expect(first["content"]?["title"]?.string == "i-2" && first["create_time"] != nil)
            let token = try #require(all["sync_token"]?.string)
            let none = try await f.fetch(token: token)
            #expect(Self.ids(none) == [] && none["sync_token"]?.string == token)
            #expect(try await f.put("i-3").status == 201)
            #expect(Self.ids(try await f.fetch(token: token)) == ["i-3"])

            for _ in 1...2 {
                let marked = try await f.mark(#"["i-1","unknown"]"#, token: token)
                #expect(marked.text == #"{"success":true}"#)
            }
            #expect(try await f.mark(#"["i-2"]"#, #"{"registered":"u-2"}"#).status == 200)
            let read = try await f.fetch()["messages"]?.items.filter { $0["is_read"]?.bool == true }
            #expect(read?.map { $0["id"]?.string } == ["i-1"])
            #expect(Self.ids(try await f.fetch(token: token)) == ["i-3", "i-1"])
            let listed = try await f.api.call(.get, "/v1/brands/acme/consumers/u-1/inbox?limit=2")
            #expect(listed["items"]?.items.map { $0["id"]?.string } == ["i-1", "i-3"])
            let cursor = try #require(listed["nextCursor"]?.string)
            let rest = try await f.api.call(.get, "/v1/brands/acme/consumers/u-1/inbox?limit=2&cursor=\(cursor)")
            #expect(rest["items"]?.items.map { $0["id"]?.string } == ["i-2"])
        }
    }

    @Test("items expire, and one that is stored again is unread")
    func expiry() async throws {
        try await BloomreachFixture.with { f in
            #expect(try await f.customers().status == 200)
            let soon = f.api.clock.now.adding(seconds: 60).rfc3339
            #expect(try await f.put("i-1", of: "u-1", #","expiresAt":"\#(soon)""#).status == 201)
            #expect(try await f.put("i-2").status == 201)
            #expect(try await f.mark(#"["i-2"]"#).status == 200)
            #expect(try await f.put("i-2").status == 200)
            f.api.clock.advance(seconds: 61)
            let found = try await f.fetch()
            #expect(Self.ids(found) == ["i-2"] && found["messages"]?[0]?["is_read"]?.bool == false)
            try await f.put("i-3", of: "nobody").expectProblem(404, "not_found")
            try await f.put("i-3", of: "u-1", #","expiresAt":"2020-01-01T00:00:00Z""#)
                .expectProblem(422, "invalid_request")
        }
    }

    @Test("a sync token that is unknown, another customer's, or from before a deletion is 410 (R138)")
    func dead() async throws {
        try await BloomreachFixture.with { f in
            #expect(try await f.customers().status == 200)
            #expect(try await f.customers(#"{"registered":"u-2"}"#).status == 200)
            #expect(try await f.put("i-1").status == 201)
            #expect(try await f.put("i-1", of: "u-2").status == 201)
            let token = try #require(try await f.fetch()["sync_token"]?.string)
            let theirs = try #require(try await f.fetch(#"{"registered":"u-2"}"#)["sync_token"]?.string)
            for dead in ["", "x", token + "A", theirs] {
                try await f.fetch(token: dead).expectBloomreach(410, "gone")
                try await f.mark("[]", token: dead).expectBloomreach(410, "gone")
            }
            let path = "/v1/brands/acme/consumers/u-1/inbox/i-1"
            #expect(try await f.api.call(.delete, path).status == 204)
            #expect(try await f.api.call(.delete, path).status == 204)
            try await f.fetch(token: token).expectBloomreach(410, "gone")
            // The item's own token is good enough to mark it (trap 33).
            #expect(try await f.mark(#"["i-1"]"#, token: token).status == 200)
            let again = try await f.fetch()
            #expect(Self.ids(again) == [])
            #expect(try await f.fetch(token: try #require(again["sync_token"]?.string)).status == 200)
            // Nobody's inbox is empty, until somebody has it.
            let nobody = #"{"cookie":"cookie-9"}"#
            let early = try #require(try await f.fetch(nobody)["sync_token"]?.string)
            #expect(try await f.fetch(nobody, token: early).status == 200)
            #expect(try await f.customers(nobody).status == 200)
            try await f.fetch(nobody, token: early).expectBloomreach(410, "gone")
        }
    }

    @Test("a customer token opens its customer's inbox, any number of times (R140, R141, R144)")
    func tokens() async throws {
        try await BloomreachFixture.with { f in
            let keyID = try await f.api.makeCustomerTokenKey()
            #expect(try await f.customers().status == 200)
            #expect(try await f.put("i-1").status == 201)
            let token = f.token(Self.registered, keyID)
            for _ in 1...3 { #expect(Self.ids(try await f.fetch(Self.registered, as: token)) == ["i-1"]) }
            #expect(Self.ids(try await f.fetch("{}", as: token)) == ["i-1"])
            // A cookie beside the id that the token names says nothing else.
            #expect(Self.ids(try await f.fetch(as: token)) == ["i-1"])
            #expect(try await f.mark(#"["i-1"]"#, as: token).status == 200)
            for body in [#"{"registered":"u-2"}"#, #"{"registered":"u-2","cookie":"cookie-1"}"#] {
                try await f.fetch(body, as: token).expectBloomreach(403, "forbidden")
                try await f.mark(#"["i-1"]"#, body, as: token).expectBloomreach(403, "forbidden")
            }
        }
    }

    @Test("an unknown key, a bad signature and an expired token are distinguished, before the body is read (R142)")
    func invalid() async throws {
        try await BloomreachFixture.with { f in
            let keyID = try await f.api.makeCustomerTokenKey()
            try await f.api.makeBrand("other", settings: #"{"wire":{"bloomreach":true}}"#)
            let foreign = try await f.api.makeCustomerTokenKey("other")
            func fetch(_ credential: Credential) async throws -> Reply {
                try await f.post("/webxp/projects/acme/appinbox/fetch", "not json", as: credential)
            }
            try await fetch(f.token(Self.registered, "ctk_none"))
                .expectBloomreach(401, "token_invalid", "unknown_key")
            try await fetch(f.token(Self.registered, foreign))
                .expectBloomreach(401, "token_invalid", "unknown_key")
            let forged = f.token(Self.registered, keyID, key: String(repeating: "x", count: 64))
            try await fetch(forged).expectBloomreach(401, "token_invalid", "bad_signature")
            // An expired forgery is a forgery.
            let late = f.token(Self.registered, keyID, lifetime: -60, key: String(repeating: "x", count: 64))
            try await fetch(late).expectBloomreach(401, "token_invalid", "bad_signature")
            try await fetch(f.token(Self.registered, keyID, lifetime: -60)).expectBloomreach(401, "token_expired")
            try await fetch(f.token(#""u-1""#, keyID)).expectBloomreach(401, "token_invalid", "malformed")
            try await fetch(f.token("{}", keyID)).expectBloomreach(401, "token_invalid", "missing_claim")
            let header = #"{"alg":"HS512","kid":"\#(keyID)"}"#
            let wrong = TestKeys.assertion(#"{"sub":{"registered":"u-1"}}"#, key: API.sdkKeySecret, header: header)
            try await fetch(.bearer(wrong)).expectBloomreach(401, "token_invalid", "wrong_algorithm")
            // A valid one lets the body be read.
            try await fetch(f.token(Self.registered, keyID)).expectBloomreach(400, "invalid_request")
            #expect(try await f.api.call(.delete, "/v1/brands/acme/credentials/\(keyID)").status == 204)
            try await fetch(f.token(Self.registered, keyID)).expectBloomreach(401, "token_invalid", "revoked")
        }
    }

    @Test("each endpoint takes its own kind of authorisation (R143)")
    func kinds() async throws {
        try await BloomreachFixture.with { f in
            let token = f.token(Self.registered, try await f.api.makeCustomerTokenKey())
            let body = #"{"customer_ids":{"registered":"u-1"}}"#
            let track = "/track/v2/projects/acme"
            for path in [
                track + "/customers", track + "/customers/events", track + "/campaigns/clicks",
                "/data/v2/projects/acme/customers/attributes", "/data/v2/projects/acme/consent/categories",
                "/webxp/s/acme/inappmessages", "/campaigns/send-self-check-notification?project_id=acme",
            ] {
                try await f.post(path, body, as: token).expectBloomreach(401, "unauthorized")
            }
            #expect(try await f.fetch().status == 200)
            #expect(try await f.mark("[]").status == 200)
            let patch = #"{"settings":{"customerTokensRequired":true}}"#
            #expect(try await f.api.call(.patch, "/v1/brands/acme", patch).status == 200)
            try await f.fetch().expectBloomreach(401, "unauthorized")
            try await f.mark("[]").expectBloomreach(401, "unauthorized")
            #expect(try await f.fetch(Self.registered, as: token).status == 200)
        }
    }

    @Test("a token of ids that have changed is dead, and none opens the new customer's inbox (R145)")
    func changed() async throws {
        try await BloomreachFixture.with { f in
            let keyID = try await f.api.makeCustomerTokenKey()
            let cookie = #"{"cookie":"cookie-1"}"#
            #expect(try await f.customers(cookie).status == 200)
            let old = f.token(cookie, keyID)
            #expect(try await f.fetch(cookie, as: old).status == 200)
            // Identified: the cookie is another customer's now.
            #expect(try await f.customers().status == 200)
            try await f.fetch(cookie, as: old).expectBloomreach(401, "token_invalid", "revoked")
            try await f.fetch(as: old).expectBloomreach(403, "forbidden")
            let new = f.token(Self.registered, keyID)
            #expect(try await f.fetch(as: new).status == 200)
            #expect(try await f.fetch(cookie, as: new).status == 200)
            // Anonymized: the app has a new cookie.
            let next = #"{"cookie":"cookie-2"}"#
            try await f.fetch(next, as: new).expectBloomreach(403, "forbidden")
            #expect(try await f.customers(next).status == 200)
            try await f.fetch(next, as: new).expectBloomreach(403, "forbidden")
        }
    }

    @Test("customer tokens are minted for back-ends only (R146)")
    func mints() async throws {
        try await BloomreachFixture.with { f in
            let path = "/v1/brands/acme/consumers/u-1/customer-tokens"
            let account = try await f.api.makeAccount("acme", "sessions:mint")
            try await f.api.call(.post, path, as: account, "{}").expectProblem(409, "conflict")
            let keyID = try await f.api.makeCustomerTokenKey()
            #expect(try await f.customers().status == 200)
            #expect(try await f.put("i-1").status == 201)
            let made = try await f.api.call(.post, path, as: account, #"{"ttlSeconds":60,"cookie":"cookie-1"}"#)
            #expect(made.status == 201 && made["keyId"]?.string == keyID && made["expiresIn"]?.int == 60)
            let token = Credential.bearer(try #require(made["token"]?.string))
            #expect(Self.ids(try await f.fetch(as: token)) == ["i-1"])
            f.api.clock.advance(seconds: 66)
            try await f.fetch(as: token).expectBloomreach(401, "token_expired")
            let session = try await f.api.makeSession("u-1")
            try await f.api.call(.post, path, as: session, "{}").expectProblem(403, "forbidden")
            try await f.api.call(.post, path, as: f.key, "{}").expectProblem(401, "unauthorized")
            let reader = try await f.api.makeAccount("acme", "events:read")
            try await f.api.call(.post, path, as: reader, "{}").expectProblem(403, "forbidden")
        }
    }
}

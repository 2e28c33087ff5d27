import GatewayModel
import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Sessions", .timeLimit(.minutes(10)))
struct SessionRouteTests {
    private static let path = "/v1/brands/acme/sessions"
    private static let key = String(repeating: "k", count: 32)

    private static func claims(_ api: API, _ more: String = "", age: Int64 = 0, life: Int64 = 600) -> String {
        let now = api.clock.now.seconds - age
        return #"{"iss":"web","iat":\#(now),"exp":\#(now + life)\#(more)}"#
    }

    private static func assertion(_ claims: String, key: String = key) -> String {
        TestKeys.assertion(claims, key: key, header: #"{"alg":"HS256","typ":"JWT","kid":"web"}"#)
    }

    private func makeKey(_ api: API, _ more: String = "") async throws {
        let made = try await api.call(
            .post,
            "/v1/brands/acme/credentials",
            #"{"kind":"sdkKey","name":"web","secret":"\#(Self.key)"\#(more)}"#
        )
        try #require(made.status == 201, "\(made.text)")
    }

    private func grant(_ api: API, _ token: String, _ more: String = "") async throws -> Reply {
        try await api.call(
            .post,
            Self.path,
            as: .none,
            #"{"grant":"assertion","token":"\#(token)","sdkKeyName":"web"\#(more)}"#
        )
    }

    @Test("an assertion with a lifetime that is too long, or with a single use that is repeated, is rejected")
    func limits() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await makeKey(api, #","maxLifetimeSeconds":600,"singleUse":true"#)
            func token(_ more: String, life: Int64 = 600) -> String {
                Self.assertion(Self.claims(api, #","identifier":"u-1""# + more, life: life))
            }
            func rejection(_ token: String) async throws -> String? {
                let reply = try await grant(api, token)
                reply.expectProblem(401, "token_invalid")
                return reply["reason"]?.string
            }
            #expect(try await rejection(token(#","jti":"a""#, life: 601)) == "lifetime")
            #expect(try await rejection(token("")) == "missing_claim")
            #expect(try await grant(api, token(#","jti":"a","name":"Ann""#)).status == 201)
            #expect(try await rejection(token(#","jti":"a","name":"Eve""#)) == "reused")
            let profile = try await api.call(.get, "/v1/brands/acme/consumers/u-1")
            #expect(profile.text.contains("Ann") && !profile.text.contains("Eve"))
            // Of many concurrent logins one succeeds.
            let contended = token(#","jti":"b""#)
            let responses = try await withThrowingTaskGroup(of: Reply.self) { group in
                for _ in 0..<8 { group.addTask { try await grant(api, contended) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(responses.count(where: { $0.status == 201 }) == 1)
            #expect(responses.count(where: { $0.status == 401 && $0["reason"]?.string == "reused" }) == 7)
        }
    }

    @Test("an assertion opens a session for its consumer")
    func assertion() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await makeKey(api)
            let made = try await grant(
                api,
                Self.assertion(Self.claims(api, #","identifier":"u-1""#)),
                #","deviceId":"d-1""#
            )
            #expect(made.status == 201, "\(made.text)")
            #expect(try made.json().names == ["sessionToken", "expiresIn", "consumer", "merged"])
            #expect(made["expiresIn"]?.int == 3600)
            #expect(made["consumer"] == (try JSON(#"{"id":"u-1","anonymous":false}"#)))
            #expect(made.headers[.cacheControl] == "no-store")
            let session = Credential.bearer(try #require(made["sessionToken"]?.string))
            #expect(try await api.call(.get, "/v1/brands/acme/unread", as: session).status == 200)
            #expect(try await api.register("d-1", as: session).status == 201)
            api.clock.advance(seconds: 3601)
            try await api.call(.get, "/v1/brands/acme/unread", as: session).expectProblem(401, "token_expired")
        }
    }

    @Test("the response distinguishes the errors of an assertion: expired, or invalid with a reason (R26, R54)")
    func rejections() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await makeKey(api)
            let expired = try await grant(api, Self.assertion(Self.claims(api, #","identifier":"u""#, age: 3600)))
            expired.expectProblem(401, "token_expired")
            let forged = try await grant(
                api,
                Self.assertion(Self.claims(api, #","identifier":"u""#), key: String(repeating: "x", count: 32))
            )
            forged.expectProblem(401, "token_invalid")
            #expect(forged["reason"]?.string == "bad_signature")
            let garbled = try await grant(api, "abc")
            garbled.expectProblem(401, "token_invalid")
            #expect(garbled["reason"]?.string == "malformed")
            let missing = try await grant(api, Self.assertion(#"{"identifier":"u","iss":"web"}"#))
            #expect(missing["reason"]?.string == "missing_claim")
        }
    }

    @Test("R53: a problem for a missing claim names it, and no other has the member")
    func missingClaim() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await makeKey(api)
            let now = api.clock.now.seconds
            for (claims, name) in [
                (#"{"iss":"web","identifier":"u","exp":\#(now + 600)}"#, "iat"),
                (#"{"iss":"web","identifier":"u","iat":\#(now)}"#, "exp"),
                (#"{"iss":"web","iat":\#(now),"exp":\#(now + 600)}"#, "identifier"),
            ] {
                let reply = try await grant(api, Self.assertion(claims))
                reply.expectProblem(401, "token_invalid")
                #expect(reply["reason"]?.string == "missing_claim" && reply["claim"]?.string == name, "\(reply.text)")
            }
            let garbled = try await grant(api, "abc")
            #expect(garbled["reason"]?.string == "malformed" && garbled["claim"] == nil, "\(garbled.text)")
        }
    }

    @Test("revoking a key takes effect at once (R33)")
    func revokedKey() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await makeKey(api)
            let token = Self.assertion(Self.claims(api, #","identifier":"u-1""#))
            let opened = try await grant(api, token)
            #expect(opened.status == 201)
            let session = Credential.bearer(try #require(opened["sessionToken"]?.string))
            #expect(try await api.call(.get, "/v1/brands/acme/unread", as: session).status == 200)
            let minted = try await api.makeSession(device: "d-1")
            let id = try #require(
                try await api.call(.get, "/v1/brands/acme/credentials").json()["items"]?[0]?["id"]?.string
            )
            #expect(try await api.call(.delete, "/v1/brands/acme/credentials/\(id)").status == 204)
            try await grant(api, token).expectProblem(401, "token_invalid")
            // The sessions that it opened end with it, and no others.
            try await api.call(.get, "/v1/brands/acme/unread", as: session).expectProblem(401, "token_invalid")
            #expect(try await api.call(.get, "/v1/brands/acme/unread", as: minted).status == 200)
        }
    }

    @Test("sessions that a service account creates end with it, those of the admin do not")
    func revokedAccount() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let account = try await api.makeAccount("acme", "sessions:mint")
            let path = "/v1/brands/acme/consumers/u-1/sessions"
            var sessions: [Credential] = []
            for caller in [account, .admin] {
                let made = try await api.call(.post, path, as: caller, "{}")
                sessions.append(.bearer(try #require(made["sessionToken"]?.string)))
            }
            let id = try #require(
                try await api.call(.get, "/v1/brands/acme/credentials").json()["items"]?[0]?["id"]?.string
            )
            #expect(try await api.call(.delete, "/v1/brands/acme/credentials/\(id)").status == 204)
            try await api.call(.get, "/v1/brands/acme/unread", as: sessions[0]).expectProblem(401, "token_invalid")
            #expect(try await api.call(.get, "/v1/brands/acme/unread", as: sessions[1]).status == 200)
        }
    }

    @Test("a login with an identifier and an anonymous session's token merges the anonymous consumer (R30)")
    func merge() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand(settings: #"{"anonymousConsumers":true}"#)
            try await makeKey(api)
            let made = try await api.call(.post, Self.path, as: .none, #"{"grant":"anonymous","deviceId":"d-1"}"#)
            let anonymous = try #require(made["consumer"]?["id"]?.string)
            let before = Credential.bearer(try #require(made["sessionToken"]?.string))
            _ = try await api.register("d-1", as: before)
            func post(_ id: String, to consumer: String) async throws -> Reply {
                try await api.call(
                    .post,
                    "/v1/brands/acme/events",
                    #"{"id":"\#(id)","type":"agent.message","consumer":"\#(consumer)","text":"x","conversation":"c-1"}"#
                )
            }
            #expect(try await post("e-1", to: anonymous).status == 202)
            let logged = try await grant(
                api,
                Self.assertion(Self.claims(api, #","identifier":"u-1""#)),
                #","deviceId":"d-1","anonymousToken":"\#(made["sessionToken"]?.string ?? "")""#
            )
            #expect(logged["consumer"] == (try JSON(#"{"id":"u-1","anonymous":false}"#)))
            #expect(logged["merged"]?.bool == true && made["merged"]?.bool == false)
            let session = Credential.bearer(try #require(logged["sessionToken"]?.string))
            try await api.call(.get, "/v1/brands/acme/unread", as: before).expectProblem(401, "token_invalid")
            #expect(try await api.call(.get, "/v1/brands/acme/unread", as: session)["unread"]?.int == 1)
            let devices = try await api.call(.get, "/v1/brands/acme/consumers/u-1/devices")
            #expect(try devices.json()["items"]?.items.compactMap { $0["deviceId"]?.string } == ["d-1"])
            // A back-end that does not know continues to post to the old id.
            #expect(try await post("e-2", to: anonymous).status == 202)
            #expect(try await api.call(.get, "/v1/brands/acme/unread", as: session)["unread"]?.int == 2)
        }
    }

    @Test("anonymous consumers exist only where the brand allows them")
    func anonymous() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await api.call(.post, Self.path, as: .none, #"{"grant":"anonymous"}"#).expectProblem(403, "forbidden")
            _ = try await api.call(.patch, "/v1/brands/acme", #"{"settings":{"anonymousConsumers":true}}"#)
            let made = try await api.call(.post, Self.path, as: .none, #"{"grant":"anonymous","deviceId":"d"}"#)
            #expect(made.status == 201)
            #expect(made["consumer"]?["anonymous"]?.bool == true)
            let other = try await api.call(.post, Self.path, as: .none, #"{"grant":"anonymous","deviceId":"d"}"#)
            #expect(other["consumer"]?["id"] != made["consumer"]?["id"])
            // They may have their own lifetime (R65).
            #expect(made["expiresIn"]?.int == 3600)
            for (setting, seconds) in [("2592000", 2_592_000), ("null", 3600)] {
                let settings = #"{"settings":{"anonymousSessionTtlSeconds":\#(setting)}}"#
                #expect(try await api.call(.patch, "/v1/brands/acme", settings).status == 200)
                let next = try await api.call(.post, Self.path, as: .none, #"{"grant":"anonymous"}"#)
                #expect(next["expiresIn"]?.int == seconds)
                let session = try await api.call(.post, "/v1/brands/acme/consumers/u-1/sessions", "{}")
                #expect(session["expiresIn"]?.int == 3600)
            }
        }
    }

    @Test(
        "an invalid grant is rejected with its members",
        arguments: [
            (#"{}"#, "/grant"), (#"{"grant":"magic"}"#, "/grant"), (#"{"grant":"code","code":"x"}"#, "/redirectUri"),
            (#"{"grant":"code","redirectUri":"https://a/"}"#, "/code"),
            (#"{"grant":"code","code":"","redirectUri":"x"}"#, "/code"),
            (#"{"grant":"assertion"}"#, "/token"), (#"{"grant":"assertion","token":5}"#, "/token"),
            (#"{"grant":"anonymous","deviceId":""}"#, "/deviceId"),
            (#"{"grant":"anonymous","anonymousToken":5}"#, "/anonymousToken"),
            (#"{"grant":"anonymous","currentToken":"a b"}"#, "/currentToken"),
        ]
    )
    func badGrants(_ body: String, _ pointer: String) async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let reply = try await api.call(.post, Self.path, as: .none, body)
            reply.expectProblem(422, "invalid_request")
            #expect(reply.pointers == [pointer])
            let nobody = try await api.call(.post, "/v1/brands/nope/sessions", as: .none, body)
            nobody.expectProblem(422, "invalid_request")
            #expect(nobody.pointers == [pointer])
        }
    }

    @Test("an unknown brand has the same response as an unknown issuer")
    func unknownBrands() async throws {
        func token(_ header: String, _ claims: String) -> String {
            TestKeys.assertion(claims, key: Self.key, header: header)
        }
        let ofIssuer = token(#"{"alg":"RS256"}"#, #"{"iss":"https://login.example","sub":"u-1"}"#)
        let ofKey = token(#"{"alg":"HS256","kid":"web"}"#, #"{"iss":"web","identifier":"u-1"}"#)
        let code = #"{"grant":"code","code":"abc","redirectUri":"https://app.example/back"}"#
        try await TestGateway.run { api in
            try await api.makeBrand()
            for (body, reason) in [
                (#"{"grant":"assertion","token":"\#(ofIssuer)"}"#, "unknown_issuer"),
                (#"{"grant":"assertion","token":"\#(ofIssuer)","issuer":"Login"}"#, "unknown_issuer"),
                (#"{"grant":"assertion","token":"\#(ofKey)"}"#, "unknown_issuer"),
                (#"{"grant":"assertion","token":"\#(ofKey)","sdkKeyName":"web"}"#, "unknown_key"),
                (#"{"grant":"assertion","token":"a.b.c"}"#, "malformed"), (code, "unknown_issuer"),
            ] {
                let known = try await api.call(.post, Self.path, as: .none, body)
                known.expectProblem(401, "token_invalid")
                #expect(known["reason"]?.string == reason)
                for brand in ["nope", "%20", "a%2Fb"] {
                    let unknown = try await api.call(.post, "/v1/brands/\(brand)/sessions", as: .none, body)
                    unknown.expectProblem(401, "token_invalid")
                    #expect(unknown["reason"] == known["reason"] && unknown["detail"] == known["detail"], "\(body)")
                    #expect(unknown.headers[.wwwAuthenticate] == known.headers[.wwwAuthenticate])
                }
            }
            let anonymous = try await api.call(.post, "/v1/brands/nope/sessions", as: .none, #"{"grant":"anonymous"}"#)
            anonymous.expectProblem(401, "token_invalid")
            #expect(anonymous["reason"]?.string == "unknown_issuer")
        }
    }

    @Test("every new session has another token, bound to its consumer and brand (R4-R6)")
    func minting() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let account = try await api.makeAccount("acme", "sessions:mint")
            let path = "/v1/brands/acme/consumers/u-1/sessions"
            let first = try await api.call(.post, path, as: account, "{}")
            let second = try await api.call(.post, path, as: account)
            #expect([first.status, second.status] == [201, 201])
            #expect(first["sessionToken"] != second["sessionToken"])
            #expect(first["consumer"]?["id"]?.string == "u-1")
        }
    }

    @Test(
        "logout ends the token and the requested part of the registration",
        arguments: [("", 0), ("?unregister=agent", 1), ("?unregister=none", 2)]
    )
    func logout(_ query: String, _ kept: Int) async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession(device: "d-1")
            _ = try await api.register("d-1", as: session)
            #expect(try await api.call(.delete, Self.path + "/current" + query, as: session).status == 204)
            try await api.call(.get, "/v1/brands/acme/unread", as: session).expectProblem(401, "token_invalid")
            let devices = try await api.call(.get, "/v1/brands/acme/consumers/u-1/devices").json()["items"]?.items ?? []
            #expect(devices.first?["receives"]?.items.count ?? 0 == kept)
        }
    }

    @Test("R198: logging out a session without a device unregisters only what was registered with it")
    func unboundLogout() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            func devices() async throws -> [String?] {
                let reply = try await api.call(.get, "/v1/brands/acme/consumers/u-1/devices")
                return try reply.json()["items"]?.items.map { $0["deviceId"]?.string } ?? []
            }
            _ = try await api.register("d-1", as: try await api.makeSession(device: "d-1"), token: "aa")
            let unbound = try await api.makeSession()
            #expect(try await api.call(.delete, Self.path + "/current", as: unbound).status == 204)
            #expect(try await devices() == ["d-1"])
            // Its first registration binds a session.
            let other = try await api.makeSession()
            #expect(try await api.register("d-2", as: other, token: "bb").status == 201)
            #expect(try await devices() == ["d-1", "d-2"])
            #expect(try await api.call(.delete, Self.path + "/current", as: other).status == 204)
            #expect(try await devices() == ["d-1"])
        }
    }

    @Test("remote logout ends the tokens of one device or of all")
    func remoteLogout() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let account = try await api.makeAccount("acme", "consumers:write")
            let first = try await api.makeSession(device: "d-1")
            let second = try await api.makeSession(device: "d-2")
            _ = try await api.register("d-1", as: first, token: "aa")
            _ = try await api.register("d-2", as: second, token: "bb")
            let path = "/v1/brands/acme/consumers/u-1/sessions"
            #expect(try await api.call(.delete, path + "?deviceId=d-1&unregister=none", as: account).status == 204)
            try await api.call(.get, "/v1/brands/acme/unread", as: first).expectProblem(401, "token_invalid")
            #expect(try await api.call(.get, "/v1/brands/acme/unread", as: second).status == 200)
            #expect(try await api.call(.delete, path, as: account).status == 204)
            try await api.call(.get, "/v1/brands/acme/unread", as: second).expectProblem(401, "token_invalid")
            let devices = try await api.call(.get, "/v1/brands/acme/consumers/u-1/devices")
            #expect(try devices.json()["items"]?.items.isEmpty == true)
            #expect(try await api.call(.delete, path, as: account).status == 204)
        }
    }

    @Test("where a brand has single devices, a login logs the others out")
    func singleDevice() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand(settings: #"{"singleDevice":true}"#)
            let first = try await api.makeSession(device: "d-1")
            _ = try await api.register("d-1", as: first, token: "aa")
            let second = try await api.makeSession(device: "d-2")
            _ = try await api.register("d-2", as: second, token: "bb")
            try await api.call(.get, "/v1/brands/acme/unread", as: first).expectProblem(401, "token_invalid")
            let again = try await api.makeSession(device: "d-2")
            #expect(try await api.call(.get, "/v1/brands/acme/unread", as: again).status == 200)
            let devices = try await api.call(.get, "/v1/brands/acme/consumers/u-1/devices")
            #expect(try devices.json()["items"]?.items.compactMap { $0["deviceId"]?.string } == ["d-2"])
        }
    }

    @Test("a push token in an assertion is registered when it is unambiguous (R32)")
    func pushToken() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await makeKey(api, #","app":"ios""#)
            let claims = Self.claims(api, #","identifier":"u-1","push_token":"AABB""#)
            #expect(try await grant(api, Self.assertion(claims), #","deviceId":"d-1""#).status == 201)
            let devices = try await api.call(.get, "/v1/brands/acme/consumers/u-1/devices")
            #expect(try devices.json()["items"]?.items.compactMap { $0["deviceId"]?.string } == ["d-1"])
            // Without a device, or in another format, it is ignored.
            let odd = Self.claims(api, #","identifier":"u-2","push_token":"not hex""#)
            #expect(try await grant(api, Self.assertion(odd), #","deviceId":"d-2""#).status == 201)
            #expect(try await grant(api, Self.assertion(claims)).status == 201)
        }
    }
}

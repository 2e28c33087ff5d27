import HTTPTypes
import HummingbirdTesting
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Sessions of operators", .timeLimit(.minutes(10)))
struct OperatorSessionTests {
    private static let path = "/v1/operators/session"
    private static let far: HTTPFields = [.xForwardedFor: "203.0.113.9"]

    /// The fields that a proxy on this host adds for a client that speaks HTTPS.
    private static func secure(_ address: String = "203.0.113.9") -> HTTPFields {
        [.xForwardedFor: address, .xForwardedProto: "https"]
    }

    private static func with(_ test: @escaping @Sendable (API) async throws -> Void) async throws {
        try await TestGateway.run(.live, limits: ServerLimits(rates: .none)) { api in
            try await api.makeBrand()
            try await api.makeBrand("other")
            try await api.makeOperator("dana", "admin@acme")
            try await test(api)
        }
    }

    @Test("an operator signs in, acts by the cookie with the session's token, and signs out; all is audited")
    func life() async throws {
        try await Self.with { api in
            let signed = try await api.trySigningIn("dana")
            #expect(signed.status == 201)
            let field = try #require(signed.headers[.setCookie])
            #expect(field.hasPrefix("switchboard=sbo_"))
            #expect(field.hasSuffix("; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200"))
            #expect(try signed.json().names == ["name", "roles", "csrfToken", "expiresAt", "idleSeconds"])
            let dana = SignedIn(
                cookie: String(field.prefix { $0 != ";" }),
                csrf: try #require(signed["csrfToken"]?.string)
            )
            let token = String(dana.cookie.dropFirst("switchboard=".count))
            #expect(try await !api.dump().values.joined().contains(token))
            let known = try await api.call(.get, Self.path, as: .none, headers: [.cookie: "a=b; \(dana.cookie); c=d"])
            #expect(known.status == 200 && known["csrfToken"]?.string == dana.csrf)
            #expect(try known["roles"] == JSON(#"[{"role":"admin","brand":"acme"}]"#))

            let brand = "/v1/brands/acme"
            #expect(try await api.call(.get, brand, as: .none, headers: [.cookie: dana.cookie]).status == 200)
            for csrf in [nil, "", "x", dana.csrf + "x", token] {
                var headers = dana.headers
                headers[.xCSRFToken] = csrf
                try await api.call(.patch, brand, as: .none, #"{"name":"Newer"}"#, headers: headers)
                    .expectProblem(403, "forbidden")
                try await api.call(.delete, Self.path, as: .none, headers: headers).expectProblem(403, "forbidden")
            }
            #expect(try await api.call(.patch, brand, of: dana, #"{"name":"Newer"}"#).status == 200)
            let trail = try await api.call(.get, brand + "/audit", of: dana)
            let newest = trail["items"]?[0]
            #expect(newest?["action"]?.string == "brand.changed")
            #expect(try newest?["actor"] == JSON(#"{"kind":"operator","id":"dana"}"#))

            let out = try await api.call(.delete, Self.path, of: dana)
            #expect(out.status == 204)
            #expect(out.headers[.setCookie] == "switchboard=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0")
            try await api.call(.get, brand, of: dana).expectProblem(401, "unauthorized")
            let actions = try await api.call(.get, "/v1/audit")["items"]?.items.map { $0["action"]?.string } ?? []
            #expect(actions.prefix(3) == ["operator.signed_out", "brand.changed", "operator.signed_in"])
        }
    }

    @Test("an admin of a brand is one there only, of the instance everywhere; a brand without a role is unknown")
    func scope() async throws {
        try await Self.with { api in
            try await api.makeOperator("root", "admin")
            let (dana, root) = (try await api.signIn("dana"), try await api.signIn("root"))
            try await api.call(.get, "/v1/brands/other", of: dana).expectProblem(404, "not_found")
            try await api.call(.get, "/v1/brands/nowhere", of: dana).expectProblem(404, "not_found")
            try await api.call(.get, "/v1/brands/other/unread?consumer=u", of: dana).expectProblem(404, "not_found")
            for path in ["/v1/brands", "/v1/operators", "/v1/audit", "/v1/clock"] {
                try await api.call(.get, path, of: dana).expectProblem(403, "forbidden")
                #expect(try await api.call(.get, path, of: root).status == 200)
            }
            try await api.call(.delete, "/v1/brands/acme", of: dana).expectProblem(403, "forbidden")
            let hosts = #"{"settings":{"linkHosts":["go.example.com"]}}"#
            try await api.call(.patch, "/v1/brands/acme", of: dana, hosts).expectProblem(403, "forbidden")
            #expect(try await api.call(.patch, "/v1/brands/acme", of: root, hosts).status == 200)
            #expect(try await api.call(.delete, "/v1/brands/other", of: root).status == 204)
        }
    }

    @Test("over plain HTTP only this host signs in; a trusted proxy's word for HTTPS is enough, and names the cookie")
    func transport() async throws {
        try await Self.with { api in
            let dana = try await api.signIn("dana")
            try await api.trySigningIn("dana", headers: Self.far).expectProblem(403, "forbidden")
            for scheme in ["http", "https, http", "http, https", "", "httpss"] {
                var headers = Self.far
                headers[.xForwardedProto] = scheme
                try await api.trySigningIn("dana", headers: headers).expectProblem(403, "forbidden")
            }
            for scheme in ["proto=http", "for=203.0.113.9", "proto=https;for=203.0.113.9, for=203.0.113.9"] {
                try await api.trySigningIn("dana", headers: [.forwarded: scheme]).expectProblem(403, "forbidden")
            }
            let plain: HTTPFields = [.cookie: dana.cookie]
            let hops: [(HTTPField.Name, String)] = [(.xForwardedFor, "203.0.113.9"), (.forwarded, "for=203.0.113.9")]
            for (name, value) in hops {
                var headers = plain
                headers[name] = value
                try await api.call(.get, Self.path, as: .none, headers: headers).expectProblem(403, "forbidden")
            }
            let proxies: [HTTPFields] = [Self.secure(), [.forwarded: #"for="203.0.113.9";Proto="https""#]]
            for fields in proxies {
                let signed = try await api.trySigningIn("dana", headers: fields)
                let field = try #require(signed.headers[.setCookie])
                #expect(field.hasPrefix("__Host-switchboard=sbo_"))
                #expect(field.hasSuffix("; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=43200"))
                var headers = fields
                headers[.cookie] = String(field.prefix { $0 != ";" })
                #expect(try await api.call(.get, Self.path, as: .none, headers: headers).status == 200)
                // The cookie of the other kind does not count.
                headers[.cookie] = dana.cookie
                try await api.call(.get, Self.path, as: .none, headers: headers).expectProblem(401, "unauthorized")
            }
        }
    }

    @Test("wrong names and wrong passwords are alike, and wait, by name and by address")
    func guessing() async throws {
        try await Self.with { api in
            let wrong = try await api.trySigningIn("dana", "wrong", headers: Self.secure("203.0.113.1"))
            let unknown = try await api.trySigningIn("nobody", headers: Self.secure("203.0.113.1"))
            for reply in [wrong, unknown] { reply.expectProblem(401, "unauthorized") }
            #expect(wrong["detail"] == unknown["detail"] && wrong.headers[.setCookie] == nil)
            for number in 2...4 {
                let reply = try await api.trySigningIn("dana", "wrong", headers: Self.secure("203.0.113.\(number)"))
                reply.expectProblem(401, "unauthorized")
            }
            let late = try await api.trySigningIn("dana")
            late.expectProblem(429, "rate_limited")
            #expect(late.headers[.retryAfter] == "1")
            api.clock.advance(seconds: 1)
            for name in ["a", "b"] {
                let reply = try await api.trySigningIn(name, headers: Self.secure("203.0.113.1"))
                reply.expectProblem(401, "unauthorized")
            }
            try await api.trySigningIn("dana", headers: Self.secure("203.0.113.1")).expectProblem(429, "rate_limited")
            #expect(try await api.trySigningIn("dana", headers: Self.secure("203.0.113.5")).status == 201)
            let trail = try await api.call(.get, "/v1/audit")["items"]?.items.map { $0["action"]?.string } ?? []
            #expect(trail.count { $0 == "operator.signed_in" } == 1)
        }
    }

    @Test("a session ends after an hour without a request, and after twelve in all")
    func expiry() async throws {
        try await Self.with { api in
            let idle = try await api.signIn("dana")
            let used = try await api.signIn("dana")
            for _ in 0..<12 {
                api.clock.advance(seconds: 3599)
                #expect(try await api.call(.get, Self.path, of: used).status == 200)
            }
            try await api.call(.get, Self.path, of: idle).expectProblem(401, "unauthorized")
            api.clock.advance(seconds: 12)
            try await api.call(.get, Self.path, of: used).expectProblem(401, "unauthorized")
        }
    }

    @Test("a changed role counts at once; a changed password and a deleted account end sessions")
    func changes() async throws {
        try await Self.with { api in
            let dana = try await api.signIn("dana")
            let account = "/v1/operators/dana"
            let role = #"{"roles":[{"role":"viewer","brand":"acme"}]}"#
            #expect(try await api.call(.patch, account, role).status == 200)
            try await api.call(.get, "/v1/brands/acme", of: dana).expectProblem(403, "forbidden")
            #expect(try await api.call(.get, "/v1/brands/acme/deliveries", of: dana).status == 200)
            #expect(try await api.call(.patch, account, #"{"password":"another password"}"#).status == 200)
            try await api.call(.get, Self.path, of: dana).expectProblem(401, "unauthorized")
            try await api.trySigningIn("dana").expectProblem(401, "unauthorized")
            let signed = try await api.trySigningIn("dana", "another password")
            let again = SignedIn(
                cookie: String((signed.headers[.setCookie] ?? "").prefix { $0 != ";" }),
                csrf: signed["csrfToken"]?.string ?? ""
            )
            #expect(try await api.call(.get, Self.path, of: again).status == 200)
            #expect(try await api.call(.delete, account).status == 204)
            try await api.call(.get, Self.path, of: again).expectProblem(401, "unauthorized")
        }
    }

    @Test("a cookie that is no session's, or one of two, opens nothing; another credential counts before it")
    func cookies() async throws {
        try await Self.with { api in
            let dana = try await api.signIn("dana")
            let other = try await api.signIn("dana")
            let wrong: [String] = [
                "switchboard=", "switchboard=x", dana.cookie + "x", String(dana.cookie.dropLast()),
                "\(dana.cookie); \(other.cookie)", "S" + String(dana.cookie.dropFirst()),
                "__Host-" + dana.cookie,
            ]
            for cookie in wrong {
                let reply = try await api.call(.get, Self.path, as: .none, headers: [.cookie: cookie])
                reply.expectProblem(401, "unauthorized")
            }
            try await api.call(.get, "/v1/brands/acme", as: .bearer("x"), headers: dana.headers)
                .expectProblem(401, "token_invalid")
            let reader = try await api.makeAccount("acme", "deliveries:read")
            try await api.call(.get, "/v1/brands/acme", as: reader, headers: dana.headers)
                .expectProblem(403, "forbidden")
        }
    }

    @Test("keys of repeated requests belong to the operator, in every session")
    func idempotency() async throws {
        try await Self.with { api in
            try await api.makeOperator("root", "admin")
            let key = HTTPField.Name.idempotencyKey
            let body = #"{"kind":"serviceAccount","name":"a","scopes":["events:write"]}"#
            func create(_ page: SignedIn) async throws -> Int {
                var headers = page.headers
                headers[key] = "k-1"
                return try await api.call(.post, "/v1/brands/acme/credentials", as: .none, body, headers: headers)
                    .status
            }
            #expect(try await create(api.signIn("dana")) == 201)
            #expect(try await create(api.signIn("dana")) == 409)
            #expect(try await create(api.signIn("root")) == 201)
        }
    }

    @Test("an operator's stream ends with the session, and does not prolong it")
    func stream() async throws {
        try await Self.with { api in
            try await api.makeOperator("vera", "viewer@acme")
            func open(_ page: SignedIn) async throws -> RawClient {
                let client = try RawClient(port: try #require(api.client.port))
                let head = "GET /v1/brands/acme/deliveries/tail HTTP/1.1\r\nHost: h\r\nConnection: close\r\n"
                client.send(head + "Cookie: \(page.cookie)\r\n\r\n")
                _ = try #require(await client.read(until: "id: 0\n\n"))
                return client
            }
            let (first, second) = (try await api.signIn("vera"), try await api.signIn("vera"))
            let (ended, idle) = (try await open(first), try await open(second))
            #expect(try await api.call(.delete, Self.path, of: first).status == 204)
            #expect(await ended.readToEnd() != nil, "the stream of a session that was ended continues")
            api.clock.advance(seconds: 3600)
            #expect(await idle.readToEnd() != nil, "the stream of a session without a request continues")
        }
    }

    @Test("a stream that ends by itself leaves the connection to the next request, also one without texts")
    func connectionAfterStream() async throws {
        try await Self.with { api in
            try await api.makeOperator("vera", "viewer@acme")
            let (page, port) = (try await api.signIn("vera"), try #require(api.client.port))
            let (client, other) = (try RawClient(port: port), try HTTP2Client(api))
            let brand = "/v1/brands/acme"
            func send(_ path: String, _ field: String) {
                client.send("GET \(path) HTTP/1.1\r\nHost: h\r\n\(field)\r\n\r\n")
            }
            let admin = "Authorization: \(Credential.admin.header ?? "")"
            send(brand + "/deliveries/export?format=csv", admin)
            let export = try #require(await client.read(until: "\r\n0\r\n\r\n"))
            #expect(export.hasPrefix("HTTP/1.1 200") && export.contains("messageId"))
            send(brand + "/deliveries/tail", "Cookie: \(page.cookie)")
            #expect(try #require(await client.read(until: "id: 0\n\n")).hasPrefix("HTTP/1.1 200"))
            other.send(.request(1, "GET", brand + "/deliveries/tail", [("cookie", page.cookie)], isLast: true))
            #expect(try #require(await other.next(.data, stream: 1)).isEnd == false)
            // Sent while the stream runs: its turn comes after it.
            send(brand, admin)
            #expect(try await api.call(.delete, Self.path, of: page).status == 204)
            let rest = try #require(await client.read(until: #""id":"acme""#))
            #expect(rest.contains("0\r\n\r\nHTTP/1.1 200"), "\(rest)")
            send("/livez", "Connection: close")
            #expect(try #require(await client.readToEnd()).contains("HTTP/1.1 200"))
            #expect(try #require(await other.response(1)).resetCode == nil)
            other.request(3, "GET", brand)
            #expect(await other.response(3)?.status == "200")
        }
    }
}

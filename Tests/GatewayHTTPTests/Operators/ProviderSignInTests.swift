import GatewayModel
import HTTPTypes
import Identity
import PushSimulator
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Signing operators in at an identity provider", .timeLimit(.minutes(10)))
struct ProviderSignInTests {
    private static let account = "/v1/operators/oidc:dana@example.com"

    @Test("a person signs in at the provider with the roles of its claim, like after a password; all is audited")
    func life() async throws {
        try await ProviderFixture.with { f in
            let form = try await f.api.open("/sign-in?next=%2Fconsole%2Fbrands%2Facme%2Flanes", of: nil)
            form.expectPage(200)
            let target = "/console/sign-in/oidc?next=%2Fconsole%2Fbrands%2Facme%2Flanes"
            #expect(form.text.contains(#"<a id="provider" href="\#(target)">"#), "\(form.text)")
            let begun = try await f.api.open("/sign-in/oidc?next=%2Fconsole%2Fbrands%2Facme%2Flanes", of: nil)
            let field = try #require(begun.headers[.setCookie])
            #expect(field.hasPrefix("switchboard-sign-in=sbi_"))
            #expect(field.hasSuffix("; Path=/; HttpOnly; SameSite=Lax; Max-Age=600"))
            let page = try #require(begun.headers[.location])
            for part in [
                "response_type=code", "client_id=client%3A1", "code_challenge_method=S256",
                "redirect_uri=http%3A%2F%2Flocalhost%2Fconsole%2Fsign-in%2Foidc%2Fcallback",
            ] {
                #expect(page.contains(part), "\(page)")
            }
            let back = try await f.authorize(page)
            let signed = try await f.finish(back, String(field.prefix { $0 != ";" }))
            signed.expectPage(200)
            #expect(signed.headers[.referrerPolicy] == "no-referrer")
            #expect(signed.text.contains(#"content="0; url=/console/brands/acme/lanes""#))
            #expect(signed.text.contains(#"<a id="continue" href="/console/brands/acme/lanes">"#))
            let session = try #require(signed.cookies.first)
            #expect(signed.cookies.count == 2 && session.hasPrefix("switchboard=sbo_"))
            #expect(session.hasSuffix("; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200"))
            #expect(signed.cookies[1] == "switchboard-sign-in=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0")
            let known = try await f.api.call(
                .get,
                "/v1/operators/session",
                as: .none,
                headers: [.cookie: String(session.prefix { $0 != ";" })]
            )
            #expect(known.status == 200 && known["name"]?.string == "oidc:dana@example.com")
            #expect(try known["roles"] == JSON(#"[{"role":"viewer","brand":"acme"}]"#))
            let all = try await f.api.dump().values.joined()
            let token = String(session.dropFirst("switchboard=".count).prefix { $0 != ";" })
            #expect(!all.contains(token) && !all.contains("a secret, with"))

            f.person(roles: ["admin@acme", "support", "support@acme", "nonsense", "admin@nowhere"])
            #expect(try await f.signIn().status == 200)
            let shown = try await f.api.call(.get, Self.account)
            let roles = #"[{"role":"support","brand":null},{"role":"admin","brand":"acme"}]"#
            #expect(try shown["roles"] == JSON(roles))
            let trail = try await f.api.call(.get, "/v1/audit")["items"]?.items ?? []
            let actions = trail.filter { $0["actor"]?["id"]?.string == "oidc:dana@example.com" }
            #expect(
                actions.map { $0["action"]?.string } == [
                    "operator.signed_in", "operator.changed", "operator.signed_in", "operator.created",
                ]
            )
        }
    }

    @Test("an account of the provider has no password, and only the provider changes it")
    func account() async throws {
        try await ProviderFixture.with { f in
            let password = API.password
            let made = try await f.api.call(
                .post,
                "/v1/operators",
                #"{"name":"oidc:dana@example.com","password":"\#(password)","roles":[{"role":"admin"}]}"#
            )
            made.expectProblem(422, "invalid_request")
            #expect(made.pointers == ["/name"])
            #expect(try await f.signIn().status == 200)
            for body in [#"{"password":"\#(password)"}"#, #"{"roles":[{"role":"admin"}]}"#, "{}"] {
                try await f.api.call(.patch, Self.account, body).expectProblem(422, "invalid_request")
            }
            let tried = try await f.api.trySigningIn("oidc:dana@example.com", password)
            tried.expectProblem(401, "unauthorized")
            // A person who is called like an account with a password is another one.
            try await f.api.makeOperator("root", "admin")
            f.person("root")
            #expect(try await f.signIn().status == 200)
            let root = try await f.api.call(.get, "/v1/operators/root")
            #expect(try root["roles"] == JSON(#"[{"role":"admin","brand":null}]"#))
            #expect(try await f.api.call(.delete, Self.account).status == 204)
        }
    }

    @Test("what the provider does wrong is rejected, each", arguments: SimulatedLogin.Fault.allCases)
    func faults(fault: SimulatedLogin.Fault) async throws {
        try await ProviderFixture.with { f in
            f.person(fault: fault)
            try await f.signIn().expectFailure(fault == .state ? 422 : 403)
            #expect(try await f.api.call(.get, "/v1/operators")["items"]?.items.isEmpty == true)
            f.person()
            #expect(try await f.signIn().status == 200)
        }
    }

    @Test("a provider that fails, or signs wrongly, signs nobody in")
    func failures() async throws {
        try await ProviderFixture.with { f in
            f.rule(RuleAction(status: 500), "configuration")
            try await f.api.open(ProviderFixture.path, of: nil).expectFailure(502)
            let good = (page: "https://a.example/a", token: "https://a.example/t", keys: "https://a.example/k")
            let documents = [
                f.configuration("https://other.example", good.page, good.token, good.keys),
                f.configuration(f.issuer, "javascript:alert(1)", good.token, good.keys),
                f.configuration(f.issuer, good.page, "http://a.example/t", good.keys),
                f.configuration(f.issuer, good.page, good.token, "https://10.0.0.1/k"),
                "[]", "", String(repeating: " ", count: 65_537),
            ]
            for document in documents {
                f.rule(RuleAction(body: Array(document.utf8)), "configuration")
                try await f.api.open(ProviderFixture.path, of: nil).expectFailure(502)
            }
            f.simulator.setRules([])
            let rules: [(RuleAction, String, Int)] = [
                (RuleAction(spoilsSignature: true), "token", 403), (RuleAction(status: 500), "token", 502),
                (RuleAction(reason: "invalid_grant"), "token", 403), (RuleAction(html: "x"), "token", 502),
                (RuleAction(reason: "invalid_client"), "token", 502),
                (RuleAction(body: Array("{}".utf8)), "token", 502),
            ]
            for (action, path, status) in rules {
                f.rule(action, path)
                try await f.signIn().expectFailure(status)
            }
            f.simulator.setRules([])
            #expect(try await f.signIn().status == 200)
        }
    }

    @Test("tokens are signed with RS256 or ES256, not with PS256")
    func algorithms() async throws {
        try await ProviderFixture.with { f in
            for (algorithm, status) in [(SigningAlgorithm.es256, 200), (.rs256, 200), (.ps256, 403)] {
                try f.simulator.identityProvider.rotateKey(algorithm)
                // An unknown key is looked for once in a minute.
                f.api.clock.advance(seconds: 61)
                #expect(try await f.signIn().status == status, "\(algorithm)")
            }
        }
    }

    @Test("a sign-in comes back once, in time, and in the browser that began it")
    func binding() async throws {
        try await ProviderFixture.with { f in
            let (page, cookie) = try await f.begin()
            let back = try await f.authorize(page)
            #expect(try await f.finish(back, cookie).status == 200)
            try await f.finish(back, cookie).expectFailure(422)

            let other = try await f.begin().cookie
            let wrong: [String?] = [nil, other, "switchboard-sign-in=", "switchboard-sign-in=x", "__Host-" + cookie]
            for value in wrong {
                let (page, cookie) = try await f.begin()
                let back = try await f.authorize(page)
                try await f.finish(back, value).expectFailure(422)
                // Its state is used up.
                try await f.finish(back, cookie).expectFailure(422)
            }

            for (seconds, status) in [(Int64(599), 200), (600, 422)] {
                let (page, cookie) = try await f.begin()
                f.api.clock.advance(seconds: seconds)
                let back = try await f.authorize(page)
                #expect(try await f.finish(back, cookie).status == status, "\(seconds)")
            }

            for query in ["", "?code=x", "?state=x&code=x", "?state=%00"] {
                try await f.finish(ProviderFixture.path + "/callback" + query, cookie).expectFailure(422)
            }
            try await f.finish(ProviderFixture.path + "/callback?state=a&state=b", cookie).expectPage(422)
            let late = try await f.begin()
            let state = try #require(late.page.split(separator: "&").first { $0.hasPrefix("state=") })
            try await f.finish(ProviderFixture.path + "/callback?\(state)", late.cookie).expectFailure(403)
        }
    }

    @Test("no role, no entry; values of the claim are mapped where the settings do")
    func roles() async throws {
        try await ProviderFixture.with { f in
            for roles in [[], ["nonsense", "Viewer", "viewer@", "@acme", "viewer@nowhere", "viewer@acme@acme"]] {
                f.person(roles: roles)
                try await f.signIn().expectFailure(403)
            }
            #expect(try await f.api.call(.get, "/v1/operators")["items"]?.items.isEmpty == true)

            // Who loses the last role loses the sessions, too.
            f.person()
            let cookie = String(try #require(try await f.signIn().cookies.first).prefix { $0 != ";" })
            for (roles, status) in [(["viewer@acme"], 200), (["viewer@nowhere"], 401)] {
                f.person(roles: roles)
                #expect(try await f.signIn().status == (status == 200 ? 200 : 403))
                let call = try await f.api.call(
                    .get,
                    "/v1/operators/session",
                    as: .none,
                    headers: [.cookie: cookie]
                )
                #expect(call.status == status, "\(roles)")
            }
            let last = try await f.api.call(.get, "/v1/audit")["items"]?.items.first
            #expect(last?["action"]?.string == "operator.deleted")
        }
        let rule = OperatorProvider.Rule(value: "ops", grant: OperatorGrant(.operator, in: BrandID(trusted: "acme")))
        try await ProviderFixture.with(mapping: [rule]) { f in
            f.person(roles: ["admin", "viewer@acme"])
            try await f.signIn().expectFailure(403)
            f.person(roles: ["ops", "admin"])
            #expect(try await f.signIn().status == 200)
            let shown = try await f.api.call(.get, Self.account)
            #expect(try shown["roles"] == JSON(#"[{"role":"operator","brand":"acme"}]"#))
        }
    }

    @Test("over plain HTTP only this host signs in; over HTTPS the cookies are the host's own")
    func transport() async throws {
        try await ProviderFixture.with { f in
            let far: HTTPFields = [.xForwardedFor: "203.0.113.9"]
            try await f.api.open(ProviderFixture.path, of: nil, headers: far).expectPage(403)
            let (page, cookie) = try await f.begin()
            let back = try await f.authorize(page)
            try await f.finish(back, cookie, headers: far).expectPage(403)
            #expect(try await f.finish(back, cookie).status == 200)

            let secure: HTTPFields = [.xForwardedFor: "203.0.113.9", .xForwardedProto: "https"]
            let begun = try await f.begin(headers: secure)
            #expect(begun.cookie.hasPrefix("__Host-switchboard-sign-in=sbi_"))
            #expect(begun.page.contains("redirect_uri=https%3A%2F%2Flocalhost%2F"))
            let signed = try await f.finish(try await f.authorize(begun.page), begun.cookie, headers: secure)
            signed.expectPage(200)
            #expect(signed.cookies.allSatisfy { $0.hasPrefix("__Host-switchboard") && $0.contains("; Secure;") })
        }
    }

    @Test("sign-ins count for their address; without a provider there is no such page")
    func limits() async throws {
        try await ProviderFixture.with(rates: RateLimits(addressPerSecond: 1)) { f in
            let secure: HTTPFields = [.xForwardedFor: "203.0.113.9", .xForwardedProto: "https"]
            for _ in 1...5 { _ = try await f.begin(headers: secure) }
            try await f.api.open(ProviderFixture.path, of: nil, headers: secure).expectPage(429)
            #expect(try await f.signIn().status == 200)
        }
        try await TestGateway.run(.live) { api in
            for path in [ProviderFixture.path, ProviderFixture.path + "/callback?state=x&code=y"] {
                try await api.open(path, of: nil).expectPage(404)
            }
            #expect(try await !api.open("/sign-in", of: nil).text.contains("provider"))
        }
    }

    @Test(
        "after signing in only a page of the console follows",
        arguments: ["https://evil.example/", "//evil.example", "/console/a%0d%0ax", "/v1/brands", "javascript:x"]
    )
    func next(path: String) async throws {
        try await ProviderFixture.with { f in
            let signed = try await f.signIn("?next=" + path)
            signed.expectPage(200)
            #expect(signed.text.contains(#"<a id="continue" href="/console">"#))
        }
    }
}

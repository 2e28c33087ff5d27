import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("The frame of the console", .timeLimit(.minutes(10)))
struct ConsoleFrameTests {
    private static func with(_ test: @escaping @Sendable (API) async throws -> Void) async throws {
        try await TestGateway.run(.live, limits: ServerLimits(rates: .none)) { api in
            try await api.makeBrand()
            try await api.makeBrand("other")
            try await test(api)
        }
    }

    @Test("an operator signs in, sees the brands with a role, and signs out; all is audited")
    func life() async throws {
        try await Self.with { api in
            try await api.makeOperator("dana", "support@acme")
            let page = try await api.open("/sign-in?next=%2Fconsole%2Fbrands%2Facme%2Flanes", of: nil)
            page.expectPage(200)
            #expect(page.text.contains(#"name="next" value="/console/brands/acme/lanes""#))
            let fields = ["name": "dana", "password": API.password, "next": "/console/brands/acme/lanes"]
            let signed = try await api.submit("/sign-in", of: nil, fields)
            signed.expectRedirection(to: "/console/brands/acme/lanes")
            let field = try #require(signed.headers[.setCookie])
            #expect(field.hasPrefix("switchboard=sbo_") && field.contains("; HttpOnly; SameSite=Strict;"))
            let cookie = String(field.prefix { $0 != ";" })
            let session = try await api.call(.get, "/v1/operators/session", as: .none, headers: [.cookie: cookie])
            let dana = SignedIn(cookie: cookie, csrf: try #require(session["csrfToken"]?.string))
            let brands = try await api.open("", of: dana)
            brands.expectPage(200)
            #expect(brands.text.contains(#"<a href="/console/brands/acme/deliveries">acme</a></th>"#))
            #expect(brands.text.contains("<td>support</td>") && !brands.text.contains(">other<"))
            #expect(brands.text.contains(#"name="csrf" value="\#(dana.csrf)""#))

            for csrf in ["", "x", dana.csrf + "x", "x\r\nSet-Cookie: a=b"] {
                let forged = try await api.submit("/sign-out", of: dana, csrf: csrf)
                forged.expectPage(403)
                #expect(forged.headers[.setCookie] == nil)
            }
            let out = try await api.submit("/sign-out", of: dana)
            out.expectRedirection(to: "/console/sign-in")
            #expect(out.headers[.setCookie]?.contains("Max-Age=0") == true)
            try await api.open("", of: dana).expectRedirection(to: "/console/sign-in?next=%2Fconsole")
            let actions = try await api.call(.get, "/v1/audit")["items"]?.items.map { $0["action"]?.string } ?? []
            #expect(actions.prefix(2) == ["operator.signed_out", "operator.signed_in"])
        }
    }

    @Test("a wrong password is a page with the reason, and waits as in the API; no browser's own dialog is asked for")
    func wrongPassword() async throws {
        try await Self.with { api in
            try await api.makeOperator("dana", "support@acme")
            for attempt in 1...5 {
                let fields = ["name": "dana", "password": #"<script>"#, "next": ""]
                let wrong = try await api.submit("/sign-in", of: nil, fields)
                wrong.expectPage(attempt < 5 ? 422 : 429)
                #expect((wrong.headers[.retryAfter] != nil) == (attempt == 5))
                #expect(wrong.text.contains(#"role="alert""#) && wrong.headers[.setCookie] == nil)
            }
            try await api.submit("/sign-in", of: nil, ["name": "", "password": ""]).expectPage(422)
            let far: HTTPFields = [.secFetchSite: "same-origin", .xForwardedFor: "203.0.113.9"]
            let plain = try await api.submit("/sign-in", of: nil, ["name": "a", "password": "b"], headers: far)
            plain.expectPage(403)
            #expect(plain.text.contains("over HTTPS"))
        }
    }

    @Test(
        "after signing in only a page of the console follows",
        arguments: [
            "https://evil.example/", "//evil.example", "/console/../x\\y", "/console/a\r\nSet-Cookie: b=c",
            "javascript:alert(1)", "/v1/brands", "/console/\"><script>", "",
        ]
    )
    func next(path: String) async throws {
        try await Self.with { api in
            try await api.makeOperator("dana", "support@acme")
            let fields = ["name": "dana", "password": API.password, "next": path]
            let signed = try await api.submit("/sign-in", of: nil, fields)
            let target = try #require(signed.headers[.location])
            #expect(signed.status == 303 && (target == "/console" || target == path && path.hasPrefix("/console/\"")))
            #expect(signed.headers[.setCookie]?.hasPrefix("switchboard=sbo_") == true)
            let encoded = path.utf8.map { "%" + String(Int($0) + 256, radix: 16).dropFirst() }.joined()
            let page = try await api.open("/sign-in?next=\(encoded)", of: nil)
            page.expectPage(200)
            #expect(!page.text.contains("evil"))
        }
    }

    @Test("a form of another site's page is rejected, before anything is changed; so is one of another type")
    func otherSite() async throws {
        try await Self.with { api in
            try await api.makeOperator("dana", "operator@acme")
            let dana = try await api.signIn("dana")
            let pause = "/brands/acme/lanes/ios:apns:production/pause"
            let wrong: [HTTPFields] = [
                [.secFetchSite: "cross-site"], [.secFetchSite: "same-site"], [.secFetchSite: "none"],
                [.origin: "https://evil.example"], [.origin: "null"],
            ]
            for headers in wrong {
                try await api.submit(pause, of: dana, headers: headers).expectPage(403)
                let fields = ["name": "dana", "password": API.password]
                let signed = try await api.submit("/sign-in", of: nil, fields, headers: headers)
                signed.expectPage(403)
                #expect(signed.headers[.setCookie] == nil)
            }
            let json = try await api.call(
                .post,
                "/console" + pause,
                as: .none,
                #"{"csrf":"\#(dana.csrf)"}"#,
                headers: dana.headers
            )
            json.expectPage(415)
            let lanes = try await api.call(.get, "/v1/brands/acme/lanes")
            #expect(lanes["items"]?.items.allSatisfy { $0["pausedSince"] == .null } == true)
            // An older browser sends the origin only.
            try await api.submit(pause, of: dana, headers: [.origin: "http://localhost"])
                .expectRedirection(to: "/console/brands/acme/lanes")
            let long = try await api.submit(pause, of: dana, ["x": String(repeating: "x", count: 16_384)])
            long.expectPage(413)
        }
    }

    @Test("files are those of a table, with a tag; no path leads elsewhere")
    func assets() async throws {
        try await Self.with { api in
            try await api.makeOperator("vera", "viewer@acme")
            let vera = try await api.signIn("vera")
            for (name, type) in [
                ("console.css", "text/css; charset=utf-8"), ("tail.js", "text/javascript; charset=utf-8"),
                ("console.js", "text/javascript; charset=utf-8"),
                ("icon.svg", "image/svg+xml"),
            ] {
                let file = try await api.open("/assets/" + name, of: nil)
                #expect(file.status == 200 && file.headers[.contentType] == type && !file.text.isEmpty)
                #expect(file.headers[.contentTypeOptions] == "nosniff" && file.headers[.cacheControl] == "no-cache")
                let tag = try #require(file.headers[.eTag])
                let again = try await api.open("/assets/" + name, of: nil, headers: [.ifNoneMatch: tag])
                #expect(again.status == 304 && again.text.isEmpty && again.headers[.eTag] == tag)
                // The pages name the content, and a browser keeps it; another content under that name it does not keep.
                let version = tag.filter { $0 != "\"" }
                let kept = try await api.open("/assets/\(name)?v=\(version)", of: nil)
                #expect(kept.text == file.text)
                #expect(kept.headers[.cacheControl] == "public, max-age=31536000, immutable")
                let other = try await api.open("/assets/\(name)?v=\(version)x", of: nil)
                #expect(other.status == 200 && other.headers[.cacheControl] == "no-cache")
                let page = try await api.open(name == "tail.js" ? "/brands/acme/tail" : "/brands/acme/lanes", of: vera)
                #expect(page.text.contains("/console/assets/\(name)?v=\(version)\""), "\(name)")
            }
            let wrong = [
                "x", "..", "%2e%2e", "..%2Fconsole.css", "..%2F..%2F..%2Fetc%2Fpasswd", "console.css%00",
                "%2Fetc%2Fpasswd", "CONSOLE.CSS", "console.css%2F", String(repeating: "a", count: 300),
            ]
            for name in wrong { try await api.open("/assets/" + name, of: nil).expectPage(404) }
            try await api.open("/assets/console.css%FF", of: nil).expectPage(400)
            for path in ["/assets/../console.css", "/nowhere", "/brands/acme/nowhere"] {
                try await api.open(path, of: nil).expectPage(404)
            }
            let method = try await api.call(.delete, "/console/assets/tail.js", as: .none)
            method.expectPage(405)
            #expect(method.headers[.allow] == "GET, HEAD")
        }
    }

    @Test("every page leads a caller without a session to the sign-in page, and is closed to other credentials")
    func closed() async throws {
        try await Self.with { api in
            let brand = "/brands/acme"
            let pages = [
                "", brand + "/deliveries?state=failed", brand + "/deliveries/1", brand + "/failures", brand + "/tail",
                brand + "/lanes", brand + "/audit", brand + "/search?q=a", brand + "/consumers/u-1",
                brand + "/consumers/u-1/explain", brand + "/objectives", brand + "/unreachable", brand + "/calendar",
            ]
            for path in pages {
                for credential in [Credential.none, .admin, .bearer("x")] {
                    let reply = try await api.call(.get, "/console" + path, as: credential)
                    #expect(reply.status == 303)
                    #expect(reply.headers[.location]?.hasPrefix("/console/sign-in?next=%2Fconsole") == true)
                }
            }
            for path in [
                "/sign-out", brand + "/lanes/ios:apns:production/pause", brand + "/deliveries/1/retry",
                brand + "/failures/replay",
            ] {
                let reply = try await api.submit(path, of: nil, csrf: "x")
                reply.expectRedirection(to: "/console/sign-in")
            }
        }
    }
}

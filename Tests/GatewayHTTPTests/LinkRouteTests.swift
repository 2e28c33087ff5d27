import GatewayModel
import HTTPTypes
import HummingbirdTesting
import Identity
import Testing

@testable import GatewayHTTP

@Suite("Links", .timeLimit(.minutes(10)))
struct LinkRouteTests {
    private static let apple = "/.well-known/apple-app-site-association"
    private static let android = "/.well-known/assetlinks.json"
    private static let fingerprint = Array(repeating: "aB", count: 32).joined(separator: ":")

    private static func links(_ host: String, _ more: String) -> String {
        #"{"platform":"ios","links":{"host":"\#(host)","paths":["/chat/*","/help"]\#(more)}}"#
    }

    private static func hosts(_ host: String) -> String { #"{"linkHosts":["\#(host)"]}"# }

    private static let ios = #","ios":{"appIds":["TEAM123456.com.example.app"]}"#
    private static let both =
        ios + #","android":{"packageName":"com.example.app","sha256CertFingerprints":["\#(fingerprint)"]}"#
    private static let pages =
        #","fallback":{"ios":"https://apps.apple.com/app/id1","web":"https://example.com/?from=link"}"#

    private static func get(
        _ api: API,
        _ path: String,
        host: String,
        agent: String? = nil,
        method: HTTPRequest.Method = .get
    ) async throws -> Reply {
        let client = try RawClient(port: try #require(api.client.port))
        let agent = agent.map { "User-Agent: \($0)\r\n" } ?? ""
        client.send("\(method.rawValue) \(path) HTTP/1.1\r\nHost: \(host)\r\n\(agent)Connection: close\r\n\r\n")
        return try Reply(raw: try #require(await client.readToEnd()))
    }

    @Test("each host's files name its own apps, and an unknown host has none (R123-R125)")
    func associations() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand(settings: #"{"linkHosts":["go.example.com"]}"#)
            try await api.makeBrand("other", settings: #"{"linkHosts":["X.example"]}"#)
            let put = try await api.call(
                .put,
                "/v1/brands/acme/apps/one",
                Self.links("Go.Example.com", Self.both + #","passwords":true"#)
            )
            #expect(put.status == 201, "\(put.text)")
            #expect(put["links"]?["host"]?.string == "go.example.com")
            // A second app of the brand on the same host, and another brand's app on its own.
            let second = Self.links("go.example.com", #","ios":{"appIds":["TEAM123456.com.example.two"]}"#)
            #expect(try await api.call(.put, "/v1/brands/acme/apps/two", second).status == 201)
            #expect(
                try await api.call(.put, "/v1/brands/other/apps/x", Self.links("x.example", Self.ios)).status == 201
            )

            let file = try await Self.get(api, Self.apple, host: "go.example.com")
            #expect(file.status == 200 && file.headers[.contentType]?.hasPrefix("application/json") == true)
            #expect(file.headers[.cacheControl] == "no-cache")
            let component = #"[{"/":"/chat/*"},{"/":"/help"}]"#
            let details = ["app", "two"].map {
                #"{"appIDs":["TEAM123456.com.example.\#($0)"],"components":\#(component)}"#
            }
            let expected = #"""
                {"applinks":{"details":[\#(details.joined(separator: ","))]},
                "webcredentials":{"apps":["TEAM123456.com.example.app"]}}
                """#
            #expect(try file.json() == JSON(expected))
            let statements = try await Self.get(api, Self.android, host: "GO.example.com:8443")
            #expect(try statements.json().items.count == 1)
            let target = try statements.json().items.first?["target"]
            #expect(target?["package_name"]?.string == "com.example.app")
            #expect(target?["sha256_cert_fingerprints"]?.items.first?.string == Self.fingerprint.uppercased())
            let relations = try statements.json().items.first?["relation"]?.items.compactMap(\.string)
            #expect(
                relations == ["handle_all_urls", "get_login_creds"].map { "delegate_permission/common." + $0 }
            )
            let other = try await Self.get(api, Self.apple, host: "x.example")
            #expect(!other.text.contains("two") && !other.text.contains("webcredentials"))
            for host in ["example.com", "a.go.example.com", "", "127.0.0.1"] {
                for path in [Self.apple, Self.android] {
                    try await Self.get(api, path, host: host).expectProblem(404, "not_found")
                }
            }
            let taken = try await api.call(.put, "/v1/brands/other/apps/x", Self.links("go.example.com", Self.ios))
            taken.expectProblem(422, "invalid_request")
            #expect(taken["errors"]?[0]?["pointer"]?.string == "/links/host")
            #expect(try await api.call(.delete, "/v1/brands/acme").status == 204)
            try await Self.get(api, Self.apple, host: "go.example.com").expectProblem(404, "not_found")
        }
    }

    @Test("passwords are shared only when an app sets it")
    func passwords() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand(settings: Self.hosts("go.example.com"))
            for (passwords, isShared) in [("", false), (#","passwords":false"#, false), (#","passwords":true"#, true)] {
                let put = try await api.call(
                    .put,
                    "/v1/brands/acme/apps/one",
                    Self.links("go.example.com", Self.both + passwords)
                )
                #expect([200, 201].contains(put.status), "\(put.text)")
                let apple = try await Self.get(api, Self.apple, host: "go.example.com")
                #expect(apple.status == 200 && apple.text.contains("applinks"))
                #expect(apple.text.contains("webcredentials") == isShared)
                let android = try await Self.get(api, Self.android, host: "go.example.com")
                #expect(android.status == 200 && android.text.contains("handle_all_urls"))
                #expect(android.text.contains("get_login_creds") == isShared)
            }
        }
    }

    @Test("only the administrator gives link hosts, each to one brand, and apps use only their brand's")
    func given() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            try await api.makeBrand("other", settings: Self.hosts("b.example"))
            let tenant = try await api.makeAccount("acme", "brand:admin")
            let app = "/v1/brands/acme/apps/one"
            func refusedApp(_ host: String) async throws {
                let put = try await api.call(.put, app, as: tenant, Self.links(host, Self.ios))
                put.expectProblem(422, "invalid_request")
                #expect(put.pointers == ["/links/host"])
            }
            func patch(_ settings: String, as credential: Credential = .admin) async throws -> Reply {
                try await api.call(.patch, "/v1/brands/acme", as: credential, #"{"settings":\#(settings)}"#)
            }
            try await refusedApp("a.example")
            try await refusedApp("b.example")
            try await patch(Self.hosts("a.example"), as: tenant).expectProblem(403, "forbidden")
            try await patch(Self.hosts("b.example")).expectProblem(409, "conflict")
            let made = try await api.call(
                .post,
                "/v1/brands",
                #"{"id":"third","name":"x","settings":\#(Self.hosts("b.example"))}"#
            )
            made.expectProblem(409, "conflict")
            for wrong in [#"["localhost"]"#, #"["a.example","A.example"]"#, #"[1]"#, #""a.example""#] {
                try await patch(#"{"linkHosts":\#(wrong)}"#).expectProblem(422, "invalid_request")
            }
            #expect(try await patch(Self.hosts("A.example")).status == 200)
            #expect(try await api.call(.put, app, as: tenant, Self.links("a.example", Self.ios)).status == 201)
            #expect(try await Self.get(api, Self.apple, host: "a.example").status == 200)
            // A tenant may change everything else, including a reset to the defaults.
            #expect(try await patch(Self.hosts("a.example"), as: tenant).status == 200)
            #expect(try await patch(#"{"preview":"none"}"#, as: tenant).status == 200)
            let defaults = try await patch("null", as: tenant)
            #expect(defaults["settings"]?["linkHosts"]?.items.compactMap(\.string) == ["a.example"])
            for less in [#"{"linkHosts":null}"#, #"{"linkHosts":[]}"#, Self.hosts("c.example")] {
                try await patch(less, as: tenant).expectProblem(403, "forbidden")
                try await patch(less).expectProblem(409, "conflict")
            }
            #expect(try await Self.get(api, Self.apple, host: "a.example").status == 200)
            #expect(try await api.call(.delete, app).status == 204)
            #expect(try await patch(#"{"linkHosts":[]}"#).status == 200)
            try await refusedApp("a.example")
            // It is free again, like that of a deleted brand.
            #expect(try await api.call(.delete, "/v1/brands/other").status == 204)
            #expect(try await patch(#"{"linkHosts":["a.example","b.example"]}"#).status == 200)
        }
    }

    @Test("data without link hosts: a host that one brand uses is given to it, one of several brands to none")
    func upgraded() async throws {
        try await TestGateway.run(started: false) { api in
            @Sendable func put(_ brand: String, _ host: String, _ api: API) async throws {
                let links = Self.links(host, Self.ios + Self.pages)
                let put = try await api.call(.put, "/v1/brands/\(brand)/apps/one", links)
                #expect(put.status == 201, "\(put.text)")
            }
            for (brand, host) in [("acme", "own.example"), ("other", "both.example"), ("third", "x.example")] {
                try await api.makeBrand(brand, settings: Self.hosts(host))
            }
            try await put("acme", "own.example", api)
            try await put("other", "both.example", api)
            // Two brands with one host, as older data may have.
            try await api.execute(
                "UPDATE brands SET settings = json_remove(settings, '$.linkHosts') WHERE id = 'other'"
            )
            try await api.execute("UPDATE brands SET settings = replace(settings, 'x.example', 'both.example')")
            try await TestGateway.runAnother(on: api.data) { try await put("third", "both.example", $0) }
            try await api.execute("UPDATE brands SET settings = json_remove(settings, '$.linkHosts')")
            try await TestGateway.runAnother(on: api.data) { next in
                #expect(try await Self.get(next, Self.apple, host: "own.example").status == 200)
                #expect(try await Self.get(next, "/chat/1", host: "own.example").status == 302)
                try await Self.get(next, Self.apple, host: "both.example").expectProblem(404, "not_found")
                try await Self.get(next, Self.android, host: "both.example").expectProblem(404, "not_found")
                try await Self.get(next, "/chat/1", host: "both.example").expectProblem(404, "not_found")
                #expect(next.directory.appsWithoutLinkHost.map(\.brand.rawValue) == ["other", "third"])
                // Its app is unchanged; a new PUT is rejected.
                let app = try await next.call(.get, "/v1/brands/other/apps/one")
                #expect(app["links"]?["host"]?.string == "both.example")
                let put = try await next.call(.put, "/v1/brands/other/apps/one", Self.links("both.example", Self.ios))
                put.expectProblem(422, "invalid_request")
                let trail = try await next.call(.get, "/v1/brands/acme/audit")
                #expect(trail.text.contains("settings.linkHosts"))
                #expect(try await next.call(.delete, "/v1/brands/third").status == 204)
            }
            // A host that was not given stays so, though no other brand uses it any more.
            try await TestGateway.runAnother(on: api.data) { next in
                try await Self.get(next, Self.apple, host: "both.example").expectProblem(404, "not_found")
                let give = try await next.call(
                    .patch,
                    "/v1/brands/other",
                    #"{"settings":\#(Self.hosts("both.example"))}"#
                )
                #expect(give.status == 200, "\(give.text)")
                #expect(try await Self.get(next, Self.apple, host: "both.example").status == 200)
                #expect(next.directory.appsWithoutLinkHost.isEmpty)
            }
        }
    }

    @Test("a browser that opens a link of the app is redirected to its platform's page (R189)")
    func fallback() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand(settings: Self.hosts("go.example.com"))
            let put = try await api.call(
                .put,
                "/v1/brands/acme/apps/one",
                Self.links("go.example.com", Self.ios + Self.pages)
            )
            #expect(put.status == 201, "\(put.text)")
            let phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)"
            for (agent, page) in [
                (phone, "https://apps.apple.com/app/id1"),
                ("Mozilla/5.0 (Linux; Android 15; Pixel 9)", "https://example.com/?from=link"),
                ("curl/8", "https://example.com/?from=link"),
            ] {
                for method in [HTTPRequest.Method.get, .head] {
                    let reply = try await Self.get(
                        api,
                        "/chat/77?x=1",
                        host: "go.example.com",
                        agent: agent,
                        method: method
                    )
                    #expect(reply.status == 302 && reply.headers[.location] == page, "\(agent)")
                }
            }
            // Another app of the host has a page for all platforms; its id comes first, but the store page takes
            // precedence.
            let other = try await api.call(
                .put,
                "/v1/brands/acme/apps/another",
                Self.links("go.example.com", Self.both + #","fallback":{"web":"https://example.com/all"}"#)
            )
            #expect(other.status == 201, "\(other.text)")
            let stored = try await Self.get(api, "/chat/77", host: "go.example.com", agent: phone)
            #expect(stored.headers[.location] == "https://apps.apple.com/app/id1")
            for path in ["/other", "/chat", "/help/x", "/v1/chat/77"] {
                try await Self.get(api, path, host: "go.example.com", agent: phone).expectProblem(404, "not_found")
            }
            try await Self.get(api, "/chat/77", host: "example.com", agent: phone).expectProblem(404, "not_found")
            // The host does not change the responses of the API.
            try await Self.get(api, "/v1/brands", host: "go.example.com").expectProblem(401, "unauthorized")
            let post = try await Self.get(api, "/chat/77", host: "go.example.com", agent: phone, method: .post)
            post.expectProblem(404, "not_found")
        }
    }

    @Test("links of apps that lead to each other are not redirected, and those that end somewhere are")
    func circle() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand(settings: #"{"linkHosts":["a.example","c.example","d.example"]}"#)
            try await api.makeBrand("other", settings: Self.hosts("b.example"))
            func put(_ app: String, _ brand: String = "acme", host: String, web: String) async throws {
                let made = try await api.call(
                    .put,
                    "/v1/brands/\(brand)/apps/\(app)",
                    Self.links(host, Self.ios + #","fallback":{"web":"\#(web)"}"#)
                )
                #expect([200, 201].contains(made.status), "\(made.text)")
            }
            func page(_ host: String) async throws -> String? {
                let reply = try await Self.get(api, "/chat/1", host: host)
                #expect([302, 404].contains(reply.status))
                return reply.headers[.location]
            }
            try await put("one", host: "a.example", web: "https://B.example:443/chat/7?x#y")
            // The other app is another brand's, and is not affected.
            try await put("two", "other", host: "b.example", web: "https://c.example/chat/8")
            #expect(try await page("a.example") == "https://B.example:443/chat/7?x#y")
            try await put("three", host: "c.example", web: "https://a.example/chat/9")
            for host in ["a.example", "b.example", "c.example"] { #expect(try await page(host) == nil, "\(host)") }
            // A link that only leads into the loop.
            try await put("four", host: "d.example", web: "https://a.example/chat/9")
            #expect(try await page("d.example") == nil)
            try await put("three", host: "c.example", web: "https://a.example/elsewhere")
            for host in ["a.example", "b.example", "c.example", "d.example"] {
                #expect(try await page(host) != nil, "\(host)")
            }
        }
    }

    @Test(
        "an invalid link host is rejected",
        arguments: [
            (#"{"host":"localhost","paths":["/"]\#(ios)}"#, "/links/host"),
            (#"{"host":"a.example:443","paths":["/"]\#(ios)}"#, "/links/host"),
            (#"{"host":"https://a.example","paths":["/"]\#(ios)}"#, "/links/host"),
            (#"{"host":"10.0.0.1","paths":["/"]\#(ios)}"#, "/links/host"),
            (#"{"host":"a..example","paths":["/"]\#(ios)}"#, "/links/host"),
            (#"{"host":"a.example","paths":["/"]}"#, "/links/host"),
            (#"{"host":"a.example","paths":[]\#(ios)}"#, "/links/paths"),
            (#"{"host":"a.example","paths":["chat"]\#(ios)}"#, "/links/paths/0"),
            (#"{"host":"a.example","paths":["/a b"]\#(ios)}"#, "/links/paths/0"),
            (#"{"host":"a.example","paths":["/"],"ios":{"appIds":["com.example"]}}"#, "/links/ios/appIds/0"),
            (#"{"host":"a.example","paths":["/"],"ios":{}}"#, "/links/ios/appIds"),
            (
                #"{"host":"a.example","paths":["/"],"android":{"packageName":"x","sha256CertFingerprints":["\#(fingerprint)"]}}"#,
                "/links/android/packageName"
            ),
            (
                #"{"host":"a.example","paths":["/"],"android":{"packageName":"a.b","sha256CertFingerprints":["AB:CD"]}}"#,
                "/links/android/sha256CertFingerprints/0"
            ),
            (
                #"{"host":"a.example","paths":["/"]\#(ios),"fallback":{"web":"http://x.example"}}"#,
                "/links/fallback/web"
            ),
            (
                #"{"host":"a.example","paths":["/*"]\#(ios),"fallback":{"web":"https://A.example/x"}}"#,
                "/links/fallback/web"
            ),
            (#"{"host":"a.example","paths":["/"]\#(ios),"more":1}"#, "/links/more"),
            (#"{"host":"a.example","paths":["/"]\#(ios),"passwords":1}"#, "/links/passwords"),
            (#"{"host":"a.example","paths":["/\#(String(repeating: "*", count: 256))"]\#(ios)}"#, "/links/paths/0"),
        ]
    )
    func refused(links: String, pointer: String) async throws {
        try await TestGateway.run(started: false) { api in
            try await api.makeBrand()
            let reply = try await api.call(.put, "/v1/brands/acme/apps/x", #"{"platform":"ios","links":\#(links)}"#)
            reply.expectProblem(422, "invalid_request")
            #expect(reply["errors"]?.items.contains { $0["pointer"]?.string == pointer } == true, "\(reply.text)")
        }
    }
}

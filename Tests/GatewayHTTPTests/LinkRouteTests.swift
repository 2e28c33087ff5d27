import HTTPTypes
import HummingbirdTesting
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
            try await api.makeBrand()
            try await api.makeBrand("other")
            let put = try await api.call(.put, "/v1/brands/acme/apps/one", Self.links("Go.Example.com", Self.both))
            #expect(put.status == 201, "\(put.text)")
            #expect(put["links"]?["host"]?.string == "go.example.com")
            // A second app of the brand on the same host, and another brand's on its own.
            let second = Self.links("go.example.com", #","ios":{"appIds":["TEAM123456.com.example.two"]}"#)
            #expect(try await api.call(.put, "/v1/brands/acme/apps/two", second).status == 201)
            #expect(
                try await api.call(.put, "/v1/brands/other/apps/x", Self.links("x.example", Self.ios)).status == 201
            )

            let file = try await Self.get(api, Self.apple, host: "go.example.com")
            #expect(file.status == 200 && file.headers[.contentType]?.hasPrefix("application/json") == true)
            let component = #"[{"/":"/chat/*"},{"/":"/help"}]"#
            let details = ["app", "two"].map {
                #"{"appIDs":["TEAM123456.com.example.\#($0)"],"components":\#(component)}"#
            }
            let expected = #"""
                {"applinks":{"details":[\#(details.joined(separator: ","))]},
                "webcredentials":{"apps":["TEAM123456.com.example.app","TEAM123456.com.example.two"]}}
                """#
            #expect(try file.json() == JSON(expected))
            let statements = try await Self.get(api, Self.android, host: "GO.example.com:8443")
            #expect(try statements.json().items.count == 1)
            let target = try statements.json().items.first?["target"]
            #expect(target?["package_name"]?.string == "com.example.app")
            #expect(target?["sha256_cert_fingerprints"]?.items.first?.string == Self.fingerprint.uppercased())
            let other = try await Self.get(api, Self.apple, host: "x.example")
            #expect(!other.text.contains("two"))
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

    @Test("a browser that opens a link of the app goes to its platform's page (R189)")
    func fallback() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
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
            // Another app of the host has a page for all; it comes by its id first, and the store comes before it.
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
            // Nothing of the API is served otherwise because of a host.
            try await Self.get(api, "/v1/brands", host: "go.example.com").expectProblem(401, "unauthorized")
            let post = try await Self.get(api, "/chat/77", host: "go.example.com", agent: phone, method: .post)
            post.expectProblem(404, "not_found")
        }
    }

    @Test("links of apps that lead to each other lead nowhere, and those that end somewhere go there")
    func circle() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            try await api.makeBrand("other")
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
            // The other is another brand's, and knows of nothing.
            try await put("two", "other", host: "b.example", web: "https://c.example/chat/8")
            #expect(try await page("a.example") == "https://B.example:443/chat/7?x#y")
            try await put("three", host: "c.example", web: "https://a.example/chat/9")
            for host in ["a.example", "b.example", "c.example"] { #expect(try await page(host) == nil, "\(host)") }
            // One that only leads into the circle.
            try await put("four", host: "d.example", web: "https://a.example/chat/9")
            #expect(try await page("d.example") == nil)
            try await put("three", host: "c.example", web: "https://a.example/elsewhere")
            for host in ["a.example", "b.example", "c.example", "d.example"] {
                #expect(try await page(host) != nil, "\(host)")
            }
        }
    }

    @Test(
        "what cannot be a link host is refused",
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

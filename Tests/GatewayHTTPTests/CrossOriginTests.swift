import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Calls of pages from other origins", .timeLimit(.minutes(10)))
struct CrossOriginTests {
    private static let shop = "https://shop.example.com"

    private static func preflight(_ api: API, _ path: String, _ origin: String = shop) async throws -> Reply {
        let headers: HTTPFields = [.origin: origin, .accessControlRequestMethod: "POST"]
        return try await api.call(.options, path, as: .none, headers: headers)
    }

    /// Checks that a response allows nothing.
    private static func expectClosed(_ reply: Reply, _ location: SourceLocation = #_sourceLocation) {
        let names = reply.headers.map(\.name.canonicalName).filter { $0.hasPrefix("access-control-") }
        #expect(names.isEmpty, "\(names)", sourceLocation: location)
    }

    @Test(
        "R192: a preflight of an allowed origin gets 204 and the path's methods, without a credential",
        arguments: [
            ("/v1/brands/acme/unread", "GET, HEAD"), ("/v1/brands/acme/sessions", "POST"),
            ("/v1/brands/acme/sessions/current", "DELETE"),
            ("/v1/brands/acme/apps/ios/devices/d-1", "DELETE, GET, HEAD, PUT"),
            ("/v1/brands/acme/messages", "GET, HEAD"), ("/v1/brands/acme/conversations/c%2F1/read", "POST"),
            ("/v1/brands/acme/messages/m/tap", "POST"), ("/v1/brands/acme/receipts", "POST"),
            ("/v1/brands/acme/proactive", "GET, HEAD"), ("/v1/brands/acme/engagements", "POST"),
            ("/v1/brands/acme/conversations", "POST"), ("/v1/brands/acme/conversations/c/messages", "POST"),
            ("/v1/brands/acme/conversations/c/resolve", "POST"), ("/v1/ccaip/auth/token", "POST"),
            ("/api/ccaip/sign", "POST"),
        ]
    )
    func preflights(_ path: String, _ methods: String) async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand("acme", #","allowedOrigins":["\#(Self.shop)"]"#)
            let reply = try await Self.preflight(api, path)
            #expect(reply.status == 204 && reply.text.isEmpty)
            #expect(reply.headers[.accessControlAllowOrigin] == Self.shop)
            #expect(reply.headers[.accessControlAllowMethods] == methods)
            #expect(reply.headers[.accessControlAllowHeaders]?.contains("Authorization") == true)
            #expect(reply.headers[.accessControlMaxAge] == "600")
            #expect(reply.headers[.vary] == "Origin")
            #expect(reply.headers[.accessControlAllowCredentials] == nil)
            for other in [
                "https://shop.example.com.evil.example", "http://shop.example.com", "null", "https://SHOP.example.com",
            ] {
                let refused = try await Self.preflight(api, path, other)
                #expect(refused.status == 204)
                Self.expectClosed(refused)
            }
        }
    }

    @Test("R192: responses and errors are readable by pages of allowed origins only (R40)")
    func responses() async throws {
        try await TestGateway.run { api in
            try await api.makeWiredBrand("acme", #","allowedOrigins":["\#(Self.shop)"]"#)
            try await api.makeBrand("other")
            let session = try await api.makeSession()
            func call(_ path: String, as credential: Credential, _ origin: String = Self.shop) async throws -> Reply {
                try await api.call(.get, path, as: credential, headers: [.origin: origin])
            }
            let read = try await call("/v1/brands/acme/unread", as: session)
            #expect(read.status == 200 && read.headers[.accessControlAllowOrigin] == Self.shop)
            #expect(read.headers[.accessControlExposeHeaders]?.contains("X-Request-Id") == true)
            #expect(read.headers[.accessControlAllowCredentials] == nil)
            let failed = try await call("/v1/brands/acme/unread", as: .bearer("abc"))
            #expect(failed.status == 401 && failed.headers[.accessControlAllowOrigin] == Self.shop)
            let signed = try await api.call(
                .post,
                API.signPath,
                as: session,
                #"{"payload":{}}"#,
                headers: [.origin: Self.shop]
            )
            #expect(signed.status == 200 && signed.headers[.accessControlAllowOrigin] == Self.shop)
            // Another origin, another brand, and routes of back-ends and operators.
            let foreign = try await call("/v1/brands/acme/unread", as: session, "https://evil.example")
            #expect(foreign.status == 200 && foreign.headers[.vary] == "Origin")
            Self.expectClosed(foreign)
            Self.expectClosed(try await call("/v1/brands/other/unread", as: session))
            for path in [
                "/v1/brands/acme", "/v1/brands", "/v1/brands/acme/deliveries", "/v1/brands/acme/consumers/u-1",
                "/v1/brands/acme/consumers/u-1/devices", "/v1/brands/acme/apps/ios", "/metrics", "/nothing",
            ] {
                Self.expectClosed(try await call(path, as: .admin))
                Self.expectClosed(try await Self.preflight(api, path))
            }
            Self.expectClosed(try await Self.preflight(api, API.copilotPath))
            // A call without an origin is none of a page's.
            Self.expectClosed(try await api.call(.get, "/v1/brands/acme/unread", as: session))
        }
    }

    @Test("R192: paths without a brand take the origins of the brands that have the adaptor on")
    func adaptors() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand("off", settings: #"{"allowedOrigins":["https://off.example"]}"#)
            try await api.makeWiredBrand("first", #","allowedOrigins":["https://first.example"]"#)
            try await api.makeWiredBrand("second", #","allowedOrigins":["https://second.example:8443"]"#)
            for (origin, isAllowed) in [
                ("https://first.example", true), ("https://second.example:8443", true), ("https://off.example", false),
            ] {
                let reply = try await Self.preflight(api, API.exchangePath, origin)
                #expect((reply.headers[.accessControlAllowOrigin] == origin) == isAllowed, "\(origin)")
            }
            let off = try await api.call(.patch, "/v1/brands/first", #"{"settings":{"wire":{"ccai":false}}}"#)
            #expect(off.status == 200)
            Self.expectClosed(try await Self.preflight(api, API.exchangePath, "https://first.example"))
        }
    }

    @Test("R192: only exact origins are accepted as settings, at most 32")
    func settings() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            func patch(_ origins: String) async throws -> Reply {
                try await api.call(.patch, "/v1/brands/acme", #"{"settings":{"allowedOrigins":\#(origins)}}"#)
            }
            let good = #"["https://shop.example.com","http://localhost:3000","https://a-b.example:8443"]"#
            let set = try await patch(good)
            #expect(try set.json()["settings"]?["allowedOrigins"] == (try JSON(good)), "\(set.text)")
            for wrong in [
                "*", "null", "", "shop.example.com", "https://", "https://Shop.example.com", "HTTPS://shop.example.com",
                "https://shop.example.com/", "https://shop.example.com/x", "https://shop.example.com:443",
                "http://shop.example.com:80", "https://shop.example.com:", "https://shop.example.com:0",
                "https://shop.example.com:08", "https://shop.example.com:65536", "https://a:b@shop.example.com",
                "https://*.example.com", "ftp://shop.example.com", "https://shop.example.com ", "https://é.example",
            ] {
                let refused = try await patch(#"["\#(wrong)"]"#)
                refused.expectProblem(422, "invalid_request")
                #expect(refused.pointers == ["/settings/allowedOrigins/0"], "\(wrong)")
            }
            let many = (0..<33).map { #""https://o\#($0).example""# }.joined(separator: ",")
            try await patch("[\(many)]").expectProblem(422, "invalid_request")
            #expect(try await patch("null")["settings"]?["allowedOrigins"] == .array([]))
        }
    }
}

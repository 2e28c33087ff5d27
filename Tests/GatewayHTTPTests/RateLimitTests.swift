import CoreMetrics
import GuardedHTTP
import HTTPTypes
import HummingbirdTesting
import Telemetry
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Rate limits", .timeLimit(.minutes(10)))
struct RateLimitTests {
    @Test("a bucket allows a burst, then its rate, and is full again after its time")
    func bucket() {
        var buckets = RateBuckets(perSecond: 10)
        let start: UInt64 = 1_000_000_000_000
        #expect(buckets.quota == 50)
        for left in (0..<50).reversed() {
            guard case .taken(let remaining, _) = buckets.take(1, now: start) else {
                Issue.record("rejected with \(left) left")
                return
            }
            #expect(remaining == left)
        }
        #expect(buckets.take(1, now: start) == .refused(wait: 100_000_000))
        // A rejection takes nothing.
        #expect(buckets.take(1, now: start + 99_999_999) == .refused(wait: 1))
        #expect(buckets.take(1, now: start + 100_000_000) == .taken(remaining: 0, untilFull: 5_000_000_000))
        #expect(buckets.take(1, now: start + 100_000_000) == .refused(wait: 100_000_000))
        // Another caller's bucket is unchanged, and this one is full again after five seconds.
        #expect(buckets.take(2, now: start) == .taken(remaining: 49, untilFull: 100_000_000))
        #expect(buckets.take(1, now: start + 6_000_000_000) == .taken(remaining: 49, untilFull: 100_000_000))
    }

    @Test("memory is limited for any number of callers, and nobody is slowed down because of others")
    func bounded() {
        var buckets = RateBuckets(perSecond: 1)
        for caller in 0..<(3 * RateBuckets.maxCallers) {
            guard case .taken = buckets.take(caller, now: 5) else {
                Issue.record("caller \(caller) was rejected")
                return
            }
            #expect(buckets.count <= RateBuckets.maxCallers)
        }
    }

    @Test("a caller that exceeds its limit gets Retry-After, and others are not slowed down")
    func callers() async throws {
        let limits = ServerLimits(rates: RateLimits(accountPerSecond: 2, sessionPerSecond: 1, addressPerSecond: 1))
        try await TestGateway.run(limits: limits) { api in
            try await api.makeBrand()
            let account = try await api.makeAccount("acme", "deliveries:read")
            let other = try await api.makeAccount("acme", "deliveries:read")
            let path = "/v1/brands/acme/deliveries"
            for left in (0..<10).reversed() {
                let reply = try await api.call(.get, path, as: account)
                #expect(reply.status == 200)
                #expect(reply.headers[.rateLimitPolicy] == #""account";q=10;w=5"#)
                #expect(reply.headers[.rateLimit]?.hasPrefix(#""account";r=\#(left);t="#) == true)
            }
            let refused = try await api.call(.get, path, as: account)
            refused.expectProblem(429, "rate_limited")
            #expect(refused["retryable"]?.bool == true)
            #expect(refused.headers[.retryAfter] == "1")
            #expect(refused.headers[.rateLimit] == #""account";r=0;t=1"#)
            #expect(try await api.call(.get, path, as: other).status == 200)
            let admin = try await api.call(.get, path)
            #expect(admin.status == 200 && admin.headers[.rateLimit] == nil)
            api.clock.advance(seconds: 1)
            #expect(try await api.call(.get, path, as: account).status == 200)
            let session = try await api.makeSession()
            for _ in 0..<5 { #expect(try await api.call(.get, "/v1/brands/acme/unread", as: session).status == 200) }
            try await api.call(.get, "/v1/brands/acme/unread", as: session).expectProblem(429, "rate_limited")
        }
    }

    @Test("an address is slowed down for requests without a valid credential")
    func addresses() async throws {
        let limits = ServerLimits(rates: RateLimits(addressPerSecond: 1))
        try await TestGateway.run(.live, limits: limits) { api in
            try await api.makeBrand(settings: #"{"anonymousConsumers":true}"#)
            let path = "/v1/brands/acme/sessions"
            let body = #"{"grant":"anonymous"}"#
            // A caller on this host, and one for whom a proxy on this host speaks.
            for _ in 0..<7 { #expect(try await api.call(.post, path, as: .none, body).status == 201) }
            let far: HTTPFields = [.xForwardedFor: "203.0.113.9, 127.0.0.1"]
            for _ in 0..<5 { #expect(try await api.call(.post, path, as: .none, body, headers: far).status == 201) }
            let refused = try await api.call(.post, path, as: .none, body, headers: far)
            refused.expectProblem(429, "rate_limited")
            #expect(refused.headers[.rateLimitPolicy] == #""address";q=5;w=5"#)
            // Invalid credentials count too; valid ones from the same address do not.
            try await api.call(.get, "/v1/brands", as: .bearer("x"), headers: far).expectProblem(429, "rate_limited")
            #expect(try await api.call(.get, "/v1/brands", headers: far).status == 200)
            #expect(try await api.call(.post, path, as: .none, body, headers: [.xForwardedFor: "::2"]).status == 201)
            // Remote callers do not read the metrics through the proxy.
            #expect(try await api.call(.get, "/metrics", as: .none).status == 200)
            #expect(try await api.call(.get, "/metrics", as: .none, headers: [.xForwardedFor: "::2"]).status == 401)
        }
    }

    @Test("a caller of unknown paths is slowed down, and one that opens a link is not")
    func unmatched() async throws {
        let limits = ServerLimits(rates: RateLimits(addressPerSecond: 1))
        try await TestGateway.run(.live, limits: limits) { api in
            try await api.makeBrand(settings: #"{"linkHosts":["go.example.com"]}"#)
            let links =
                #"{"host":"go.example.com","paths":["/chat/*"],"ios":{"appIds":["TEAM123456.com.example.app"]},"#
                + #""fallback":{"web":"https://example.com/"}}"#
            let put = try await api.call(.put, "/v1/brands/acme/apps/one", #"{"platform":"ios","links":\#(links)}"#)
            #expect(put.status == 201, "\(put.text)")
            let far: HTTPFields = [.xForwardedFor: "203.0.113.9"]
            func link(_ path: String) async throws -> Int {
                let client = try RawClient(port: try #require(api.client.port))
                client.send(
                    "GET \(path) HTTP/1.1\r\nHost: go.example.com\r\nX-Forwarded-For: 203.0.113.9\r\nConnection: close\r\n\r\n"
                )
                return try Reply(raw: try #require(await client.readToEnd())).status
            }
            for _ in 0..<7 { #expect(try await link("/chat/1") == 302) }
            #expect(try await link("/other") == 404)
            for path in ["/nothing", "/v1/nothing", "/chat/1"] {
                try await api.call(.get, path, as: .none, headers: far).expectProblem(404, "not_found")
            }
            try await api.call(.delete, "/livez", as: .none, headers: far).expectProblem(405, "method_not_allowed")
            let refused = try await api.call(.get, "/nothing", as: .none, headers: far)
            refused.expectProblem(429, "rate_limited")
            #expect(refused.headers[.rateLimitPolicy] == #""address";q=5;w=5"#)
            // Its links still work, and so do other callers.
            #expect(try await link("/chat/1") == 302)
            try await api.call(.get, "/nothing", as: .none).expectProblem(404, "not_found")
        }
    }

    @Test("logins with one credential are limited, whatever devices and addresses they come from")
    func credentials() async throws {
        let limits = ServerLimits(rates: RateLimits(credentialPerSecond: 1))
        try await TestGateway.run(limits: limits) { api in
            try await api.makeWiredBrand()
            try await api.makeSDKKey(name: "other")
            func token(_ more: String = #","identifier":"u-1""#) -> String { api.token(api.claims(more)) }
            func grant(_ token: String) async throws -> Reply {
                let body = #"{"grant":"assertion","sdkKeyName":"acme","token":"\#(token)"}"#
                return try await api.call(.post, "/v1/brands/acme/sessions", as: .none, body)
            }
            // A login without the credential, or one that is rejected for its claims, does not count.
            for _ in 0..<6 {
                #expect(try await api.exchange(api.token(api.claims(), key: "wrong")).status == 401)
                #expect(try await api.exchange(token(#","identifier":7"#)).status == 400)
            }
            for _ in 0..<3 { #expect(try await api.exchange(token()).status == 200) }
            for _ in 0..<2 { #expect(try await grant(token()).status == 201) }
            let refused = try await grant(token())
            refused.expectProblem(429, "rate_limited")
            #expect(refused.headers[.rateLimitPolicy] == #""credential";q=5;w=5"#)
            let exchange = try await api.exchange(token(#","identifier":"u-2""#))
            exchange.expectEnvelope(429, "rate_limited")
            #expect(exchange.headers[.retryAfter] == "1")
            #expect(try await api.dump()["consumers"]?.contains("u-2") == false)
            #expect(try await api.exchange(token(), keyName: "other").status == 200)
            api.clock.advance(seconds: 1)
            #expect(try await api.exchange(token()).status == 200)
        }
    }

    @Test(
        "only trusted proxies report other clients",
        arguments: [
            ("198.51.100.1", ["203.0.113.9"], "198.51.100.1"), ("10.1.2.3", ["203.0.113.9"], "203.0.113.9"),
            ("10.1.2.3", ["1.2.3.4, 203.0.113.9", "10.9.9.9"], "203.0.113.9"), ("10.1.2.3", [], "10.1.2.3"),
            ("10.1.2.3", ["10.4.4.4"], "10.4.4.4"), ("::ffff:10.1.2.3", ["2001:db8::1"], "2001:db8::1"),
            ("127.0.0.1", ["203.0.113.9"], nil), ("::1", [], nil),
            // Some proxies write the client's port; an invalid address counts as the proxy's own.
            ("10.1.2.3", ["203.0.113.9:50001"], "203.0.113.9"), ("10.1.2.3", ["[2001:db8::1]:50001"], "2001:db8::1"),
            ("10.1.2.3", ["[2001:db8::1]"], "2001:db8::1"), ("10.1.2.3", ["203.0.113.9, unknown"], "10.1.2.3"),
            ("10.1.2.3", ["[203.0.113.9]"], "10.1.2.3"), ("10.1.2.3", ["203.0.113.9:"], "203.0.113.9"),
            ("10.1.2.3", ["a:203.0.113.9", "]["], "10.1.2.3"), ("10.1.2.3", [":"], "10.1.2.3"),
        ] as [(String, [String], String?)]
    )
    func forwarded(_ peer: String, _ forwarded: [String], _ expected: String?) throws {
        let proxies = [try #require(AddressRange("10.0.0.0/8"))]
        let address = ClientAddress(
            peer: InternetAddress(peer),
            forwarded: forwarded,
            isProxied: false,
            proxies: proxies
        )
        #expect(try address == expected.map { .remote(try #require(InternetAddress($0))) } ?? .local)
    }

    @Test(
        "Forwarded names the client where there is no X-Forwarded-For",
        arguments: [
            (["for=203.0.113.9"], ["203.0.113.9"]),
            (
                ["For=\"[2001:db8::1]:4711\";proto=https, by=10.0.0.1; for=\"203.0.113.9:80\""],
                ["[2001:db8::1]:4711", "203.0.113.9:80"]
            ),
            (["for=_hidden, proto=http", "for=unknown"], ["_hidden", "", "unknown"]), ([], []),
        ] as [([String], [String])]
    )
    func standardForwarded(_ values: [String], _ expected: [String]) {
        #expect(ClientAddress.hops([], values) == expected)
        #expect(ClientAddress.hops(["203.0.113.1"], values) == ["203.0.113.1"])
    }

    @Test(
        "a proxy on this host that names no client does not count as this host",
        arguments: [
            // As by default, and where the settings name other proxies.
            ("127.0.0.0/8,::1", [], false, nil), ("127.0.0.0/8,::1", [], true, "127.0.0.1"),
            ("127.0.0.0/8,::1", ["203.0.113.9"], true, "203.0.113.9"), ("127.0.0.0/8,::1", [""], true, "127.0.0.1"),
            ("10.0.0.0/8", [], false, nil), ("10.0.0.0/8", [], true, "127.0.0.1"),
            ("10.0.0.0/8", ["203.0.113.9"], true, "127.0.0.1"),
            // Where the settings name a proxy on this host.
            ("127.0.0.1", [], false, "127.0.0.1"), ("127.0.0.1", ["203.0.113.9"], true, "203.0.113.9"),
            ("::1,10.0.0.0/8,127.0.0.0/8", [], false, "127.0.0.1"),
        ] as [(String, [String], Bool, String?)]
    )
    func localProxy(_ proxies: String, _ forwarded: [String], _ isProxied: Bool, _ expected: String?) throws {
        let ranges = try proxies.split(separator: ",").map { try #require(AddressRange(String($0))) }
        let address = ClientAddress(peer: .v4(0x7F00_0001), forwarded: forwarded, isProxied: isProxied, proxies: ranges)
        #expect(try address == expected.map { .remote(try #require(InternetAddress($0))) } ?? .local)
    }

    @Test(
        "metrics are for this host, and not for callers through a proxy on it",
        arguments: [
            ("Forwarded", "for=_hidden"), ("Via", "1.1 proxy"), ("X-Forwarded-Proto", "https"),
            ("X-Forwarded-Host", "go.example.com"), ("X-Real-IP", "203.0.113.9"), ("X-Forwarded-For", "unknown"),
        ]
    )
    func metrics(_ name: String, _ value: String) async throws {
        try await TestGateway.run(.live) { api in
            #expect(try await api.call(.get, "/metrics", as: .none).status == 200)
            #expect(try await api.call(.get, "/metrics", as: .none, headers: [.range: "bytes=0-"]).status == 200)
            let field = try #require(HTTPField.Name(name))
            try await api.call(.get, "/metrics", as: .none, headers: [field: value]).expectProblem(401, "unauthorized")
            #expect(try await api.call(.get, "/metrics", headers: [field: value]).status == 200)
        }
    }

    @Test("ranges of addresses are parsed strictly")
    func ranges() throws {
        for bad in ["", "10", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "::/129", "host", "10.0.0.0/x"] {
            #expect(AddressRange(bad) == nil, "\(bad)")
        }
        let range = try #require(AddressRange("192.0.2.128/25"))
        func holds(_ range: AddressRange, _ address: String) throws -> Bool {
            range.contains(try #require(InternetAddress(address)))
        }
        #expect(try holds(range, "192.0.2.255") && holds(range, "::ffff:192.0.2.128"))
        #expect(try !holds(range, "192.0.2.127") && !holds(range, "::1"))
        let all = try #require(AddressRange("::/0"))
        #expect(try holds(all, "2001:db8::1") && !holds(all, "192.0.2.1"))
    }
}

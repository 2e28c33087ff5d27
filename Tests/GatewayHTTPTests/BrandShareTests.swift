import GatewayModel
import GuardedHTTP
import HTTPTypes
import HummingbirdTesting
import Messaging
import NIOCore
import Testing

@testable import GatewayHTTP

@Suite("Shares per brand", .serialized, .timeLimit(.minutes(10)))
struct BrandShareTests {
    @Test("a single owner uses most of a resource, half of it beside another, and a newcomer always gets some")
    func fair() {
        var (shares, free) = (Shares<Int>(), 1000)
        func take(_ owner: Int) -> Bool {
            guard shares.admits(1, of: owner, free: free, of: 1000) else { return false }
            shares.take(of: owner)
            free -= 1
            return true
        }
        while take(0) {}
        #expect(shares[0] == 800)
        // Each newcomer gets some, though those before it took all they could and released nothing.
        for owner in 1...4 {
            #expect(take(owner), "\(owner)")
            while take(owner) {}
        }
        #expect(!take(0))
        while shares[0] > 500 {
            shares.release(of: 0)
            free += 1
        }
        #expect(!take(0))
        for _ in 0..<50 {
            shares.release(of: 0)
            free += 1
        }
        #expect(take(0))
    }

    @Test("a brand gets slots only up to its share, and a single brand gets all")
    func claims() {
        let (one, other) = (BrandID(trusted: "one"), BrandID(trusted: "other"))
        var slots = SlotShares(limit: 10, perAddress: 1)
        for _ in 0..<8 {
            #expect(slots.take(nil) == nil && slots.claim(one, isOnly: false))
        }
        #expect(slots.take(nil) == nil && !slots.claim(one, isOnly: false))
        #expect(slots.claim(other, isOnly: false) == true)
        #expect(slots.take(nil) == nil && slots.taken == 10)
        #expect(slots.claim(one, isOnly: true) == true)
        slots.release(nil, one)
        slots.release(nil, other)
        #expect(slots.taken == 8)
    }

    @Test("bodies share their memory by address and by brand, and all of it is released at the end")
    func bodies() throws {
        var bodies = BodyShares(limit: 1000)
        let address = AddressShare(try #require(InternetAddress("203.0.113.9")))
        let one = BodyOwner(address: address, brand: BrandID(trusted: "one"))
        let other = BodyOwner(address: nil, brand: BrandID(trusted: "other"))
        var held = 0
        while bodies.take(10, of: one) { held += 10 }
        #expect(held == 800 && bodies.taken == 800)
        #expect(bodies.take(150, of: other) && !bodies.take(10, of: one) && !bodies.take(51, of: BodyOwner()))
        // The address is at its share under any brand, and the brand from any address.
        #expect(!bodies.admits(1, of: BodyOwner(address: address, brand: nil)))
        #expect(!bodies.admits(1, of: BodyOwner(address: nil, brand: one.brand)))
        #expect(bodies.admits(1, of: BodyOwner(address: nil, brand: BrandID(trusted: "new"))))
        bodies.release(150, of: other)
        bodies.release(800, of: one)
        #expect(bodies.taken == 0 && bodies.take(900, of: one))
    }

    @Test("a brand that uses up its share of the slots leaves room for the other brand")
    func slots() async throws {
        let metrics = TestMetrics()
        try await TestGateway.run(.live, limits: ServerLimits(maxRequestsInFlight: 10), metrics: metrics) { api in
            try await api.makeBrand()
            let port = try #require(api.client.port)
            let account = try await api.makeAccount("acme", "events:write", "deliveries:read")
            let header = try #require(account.header)
            func begin() throws -> RawClient {
                let client = try RawClient(port: port)
                client.send(
                    "POST /v1/brands/acme/events HTTP/1.1\r\nHost: h\r\nAuthorization: \(header)\r\n"
                        + "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
                )
                return client
            }
            // A single brand may use all slots.
            var clients = try (0..<10).map { _ in try begin() }
            func read(_ brand: String, _ credential: Credential) async throws -> Reply {
                try await api.call(.get, "/v1/brands/\(brand)/deliveries", as: credential)
            }
            let full = try await api.untilRefused(holding: &clients, begin: begin) { try await read("acme", account) }
            #expect(full.text.contains("Too many requests are being handled."))
            for client in clients { client.endOfInput() }
            _ = try await api.until {
                try await read("acme", account)
            } holds: {
                $0.status == 200
            }
            try await api.makeBrand("other")
            let other = try await api.makeAccount("other", "deliveries:read")
            clients = try (0..<8).map { _ in try begin() }
            let refused = try await api.untilRefused(holding: &clients, begin: begin) {
                try await read("acme", account)
            }
            refused.expectProblem(503, "overloaded")
            #expect(refused.text.contains("of this brand") && refused.headers[.retryAfter] == "1")
            for _ in 0..<5 { #expect(try await read("other", other).status == 200) }
            #expect((metrics.value(#"switchboard_http_refused_total{limit="brand_requests"}"#) ?? 0) >= 1)
            withExtendedLifetime(clients) {}
        }
    }

    @Test("windows have a share by address, and leave room for other brands")
    func windows() async throws {
        let metrics = TestMetrics()
        let limits = ServerLimits(windowsPerAddress: 2, rates: .none)
        let room = WindowLimits(idleSeconds: 600, maxOpen: 10)
        try await TestGateway.run(.live, limits: limits, windows: room, metrics: metrics) { api in
            try await api.makeBrand()
            try await api.makeBrand("other")
            let port = try #require(api.client.port)
            let session = try await api.makeSession()
            func open(_ address: Int) async throws -> WindowClient {
                try await WindowClient(port: port, as: session, headers: ["X-Forwarded-For: 203.0.113.\(address)"])
            }
            var windows: [WindowClient] = []
            for address in 1...4 {
                for _ in 0..<2 {
                    let window = try await open(address)
                    #expect(try await window.receive()["type"]?.string == "ready")
                    windows.append(window)
                }
            }
            #expect(await (try open(1)).end() == "1013 overloaded")
            #expect(metrics.value(#"switchboard_http_refused_total{limit="address_windows"}"#) == 1)
            // From an address without windows: the brand is at its share.
            #expect(await (try open(5)).end() == "1013 overloaded")
            #expect(metrics.value(#"switchboard_http_refused_total{limit="brand_windows"}"#) == 1)
            let other = try await WindowClient(
                port: port,
                path: "/v1/brands/other/window",
                as: try await api.makeSession(brand: "other")
            )
            #expect(try await other.receive()["type"]?.string == "ready")
            // A closed window releases its address's slot.
            for window in windows[0..<4] {
                window.send(WindowClient.frame(8, []))
                #expect(await window.end() == "none")
            }
            #expect(await metrics.reaches("switchboard_windows_open", 5))
            #expect(try await (try open(1)).receive()["type"]?.string == "ready")
        }
    }
}

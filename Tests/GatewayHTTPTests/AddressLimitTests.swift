import HTTPTypes
import HummingbirdTesting
import Testing

@testable import GatewayHTTP

@Suite("Limits per address", .serialized, .timeLimit(.minutes(10)))
struct AddressLimitTests {
    private static let admin = "Authorization: Bearer \(TestGateway.adminToken)\r\n"
    private static let far: HTTPFields = [.xForwardedFor: "203.0.113.9"]

    /// Returns the head of a request that posts an event for a remote caller.
    private static func post(length: Int, _ more: String = "X-Forwarded-For: 203.0.113.9\r\n") -> String {
        "POST /v1/brands/acme/events HTTP/1.1\r\nHost: h\r\n\(admin)Content-Type: application/json\r\n\(more)"
            + "Content-Length: \(length)\r\n\r\n"
    }

    @Test("an address that uses up its share of connections does not prevent others from connecting")
    func connections() async throws {
        let metrics = TestMetrics()
        var limits = ServerLimits(connectionsPerAddress: 3, trustedProxies: [])
        limits.ownAddresses = []
        try await TestGateway.run(.live, limits: limits, metrics: metrics) { api in
            let port = try #require(api.client.port)
            let open = "switchboard_http_open_connections"
            let request = "GET /v1/brands HTTP/1.1\r\nHost: h\r\n\(Self.admin)Connection: close\r\n\r\n"
            // One more is the test's own, from another address.
            let held = try (0..<3).map { _ in try RawClient(port: port, from: 2) }
            #expect(await metrics.reaches(open, 4))
            let surplus = try RawClient(port: port, from: 2)
            surplus.send(request)
            let response = try #require(await surplus.readToEnd())
            #expect(response.hasPrefix("HTTP/1.1 503") && response.lowercased().contains("retry-after: 5"))
            #expect(response.contains("This address has too many connections open."))
            #expect(await metrics.reaches(open, 4))
            let crowd = try (0..<ServerLimits.addressSurplusConnections).map { _ in try RawClient(port: port, from: 2) }
            #expect(await metrics.reaches(open, 4 + Double(crowd.count)))
            #expect(await (try RawClient(port: port, from: 2)).readToEnd() == "")
            #expect(metrics.value(#"switchboard_http_refused_total{limit="address_connections"}"#) == 2)
            do {
                let other = try RawClient(port: port, from: 3)
                other.send(request)
                #expect(try #require(await other.readResponseHead()).hasPrefix("HTTP/1.1 200"))
            }
            // A closed connection makes room.
            for client in held + crowd { client.endOfInput() }
            #expect(await metrics.reaches(open, 1))
            let next = try RawClient(port: port, from: 2)
            next.send(request)
            #expect(try #require(await next.readToEnd()).hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test("connections from this host have no limit per address")
    func ownConnections() async throws {
        let metrics = TestMetrics()
        try await TestGateway.run(.live, limits: ServerLimits(connectionsPerAddress: 1), metrics: metrics) { api in
            let port = try #require(api.client.port)
            let held = try (0..<20).map { _ in try RawClient(port: port) }
            #expect(await metrics.reaches("switchboard_http_open_connections", 21))
            #expect(try await api.call(.get, "/v1/brands").status == 200)
            #expect(metrics.value(#"switchboard_http_refused_total{limit="address_connections"}"#) ?? 0 == 0)
            withExtendedLifetime(held) {}
        }
    }

    @Test("128 unfinished bodies of one caller leave slots for others")
    func unfinishedBodies() async throws {
        let metrics = TestMetrics()
        try await TestGateway.run(.live, limits: ServerLimits(maxRequestsInFlight: 130), metrics: metrics) { api in
            try await api.makeBrand()
            let port = try #require(api.client.port)
            func begin() throws -> RawClient {
                let client = try RawClient(port: port)
                client.send(Self.post(length: 100) + "{")
                return client
            }
            var clients = try (0..<128).map { _ in try begin() }
            let refused = try await api.untilRefused(holding: &clients, begin: begin) {
                try await api.call(.get, "/v1/brands", headers: Self.far)
            }
            refused.expectProblem(503, "overloaded")
            #expect(refused.text.contains("of this address"))
            let other: HTTPFields = [.xForwardedFor: "203.0.113.10"]
            for headers in [other, [:]] {
                #expect(try await api.call(.get, "/v1/brands", headers: headers).status == 200)
            }
            #expect((metrics.value(#"switchboard_http_refused_total{limit="address_requests"}"#) ?? 0) >= 1)
            #expect(metrics.value(#"switchboard_http_refused_total{limit="requests"}"#) ?? 0 == 0)
            // Closed connections release their slots.
            for client in clients { client.endOfInput() }
            _ = try await api.until {
                try await api.call(.get, "/v1/brands", headers: Self.far)
            } holds: {
                $0.status == 200
            }
        }
    }

    @Test("a proxy that names no client has half of one address's slots, and a warning is logged")
    func unnamedProxy() async throws {
        let log = CapturedLog()
        let limits = ServerLimits(slotsPerAddress: 4)
        try await TestGateway.run(.live, limits: limits, logger: log.logger) { api in
            try await api.makeBrand()
            let port = try #require(api.client.port)
            func begin() throws -> RawClient {
                let client = try RawClient(port: port)
                client.send(Self.post(length: 100, "Via: 1.1 proxy\r\n") + "{")
                return client
            }
            var clients = try (0..<2).map { _ in try begin() }
            let via = HTTPFields([HTTPField(name: try #require(HTTPField.Name("Via")), value: "1.1 proxy")])
            _ = try await api.untilRefused(holding: &clients, begin: begin) {
                try await api.call(.get, "/v1/brands", headers: via)
            }
            #expect(try await api.call(.get, "/v1/brands").status == 200)
            #expect(log.text.contains("a proxy names no client"))
            withExtendedLifetime(clients) {}
        }
    }

    @Test("heads without the announced bodies hold no slot, and end at the timeout")
    func headsAlone() async throws {
        let metrics = TestMetrics()
        // The timeout of the whole request is far longer.
        let limits = ServerLimits(
            maxRequestsInFlight: 1,
            requestTimeout: .seconds(3600),
            startTimeout: .seconds(4)
        )
        try await TestGateway.run(.live, limits: limits, metrics: metrics) { api in
            try await api.makeBrand()
            let port = try #require(api.client.port)
            var clients: [RawClient] = []
            for _ in 0..<20 {
                let client = try RawClient(port: port)
                // A request in the same bytes is handled first: then the next head has arrived.
                client.send("GET /livez HTTP/1.1\r\nHost: h\r\n\r\n" + Self.post(length: 400))
                #expect(try #require(await client.readResponseHead()).hasPrefix("HTTP/1.1 200"))
                clients.append(client)
                #expect(try await api.call(.get, "/v1/brands").status == 200)
            }
            for client in clients {
                #expect(try #require(await client.readToEnd()).contains("HTTP/1.1 408 "))
            }
            #expect(metrics.value(#"switchboard_http_cut_off_total{reason="slow_body"}"#) == 20)
            #expect(metrics.value(#"switchboard_http_refused_total{limit="requests"}"#) ?? 0 == 0)
        }
    }
}
